package device

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ohframe/internal/record/hdc"
)

// Folder is where the device's shell may write files.
const Folder = "/data/local/tmp"

// tracefs are the places of the kernel's trace files.
var tracefs = []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}

// tracingOn are the places of the file that has 1 while the kernel records.
const tracingOn = "/sys/kernel/tracing/tracing_on /sys/kernel/debug/tracing/tracing_on"

// Facts are what is known of a device. Unknown values are zero.
type Facts struct {
	Model string
	// System is the name of the system, such as "OpenHarmony-5.0.0.71".
	System string
	// Software is the version of the manufacturer's software.
	Software string
	API      int
	Kernel   string
	CPUs     int
	// Tags are the tags of hitrace.
	Tags []string
	// DeveloperMode is "true", "false", or empty if the system has no such mode.
	DeveloperMode string
	// FreeKB is the free space of Folder; -1 if unknown.
	FreeKB int64
	// RefreshHz is the refresh rate when the device was asked. It may change at any
	// time.
	RefreshHz float64
	ScreenOff bool
	// Battery is in percent, Temperature in °C.
	Battery     int
	Temperature float64
	// TracingOn: the kernel records events. From 4.1 on a service of the system may
	// do that at any time.
	TracingOn bool
	// Tracers are the processes that may own a recording.
	Tracers []string
	// Left are the folders of earlier recordings.
	Left []string
	// Front is the application in front.
	Front string
	App   AppFacts
}

// AppFacts are what is known of the application that is recorded.
type AppFacts struct {
	Installed bool
	PIDs      []int
	Version   string
	Ability   string // the main one
}

// Legacy reports whether the device has the hitrace of 3.2 and 4.0, which has no
// sessions. If nothing is known of the system, it has not.
func (f *Facts) Legacy() bool { return f.API != 0 && f.API < 11 }

// section begins the output of one command of the probe.
const section = "=ohframe= "

// bundleName is what the names of applications consist of.
var bundleName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+$`)

// IsBundle reports whether s can be the name of an application.
func IsBundle(s string) bool { return bundleName.MatchString(s) }

// ProbeScript asks for everything in Facts. app may be empty.
func ProbeScript(app string) string {
	commands := []struct{ name, command string }{
		{"model", "param get const.product.model"},
		{"system", "param get const.ohos.fullname"},
		{"software", "param get const.product.software.version"},
		{"api", "param get const.ohos.apiversion"},
		{"developer", "param get const.security.developermode.state"},
		{"kernel", "uname -sr"},
		{"cpus", "nproc"},
		{"df", "df -k " + Folder},
		{"tags", "hitrace -l"},
		{"on", readTracefs("tracing_on")},
		{"ps", "ps -ef | grep -E 'hitrace|hiprofiler|SP_daemon' | grep -v grep"},
		{"left", "ls -d " + Folder + "/ohframe-*"},
		{"screen", "hidumper -s RenderService -a screen"},
		{"battery", "hidumper -s 3302 -a '-i'"},
		{"front", "hidumper -s AbilityManagerService -a '-a' | grep -E 'bundle name|state #'"},
	}
	if app != "" {
		commands = append(commands,
			struct{ name, command string }{"pid", "pidof " + hdc.Quote(app)},
			struct{ name, command string }{"bundle", "bm dump -n " + hdc.Quote(app) + ` | grep -E '"versionName"|"mainAbility"|"mainElementName"'`})
	}
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "echo; echo '%s%s'; %s\n", section, c.name, c.command)
	}
	b.WriteString("true")
	return b.String()
}

// readTracefs prints a file of the kernel's trace files.
func readTracefs(file string) string {
	return fmt.Sprintf("cat %s/%s 2>/dev/null || cat %s/%s 2>/dev/null", tracefs[0], file, tracefs[1], file)
}

var (
	number       = regexp.MustCompile(`\d+`)
	tagLine      = regexp.MustCompile(`(?m)^\s+([a-z0-9_]+) - `)
	activeMode   = regexp.MustCompile(`activeMode:.*refreshrate=(\d+)`)
	anyMode      = regexp.MustCompile(`refresh ?rate ?= ?(\d+)`)
	powerStatus  = regexp.MustCompile(`powerstatus=POWER_STATUS_(\w+)`)
	capacity     = regexp.MustCompile(`capacity: (\d+)`)
	temperature  = regexp.MustCompile(`temperature: (\d+)`) // tenths of a degree; unverified
	bundleInList = regexp.MustCompile(`bundle name \[([^\]]+)\]`)
	jsonValue    = regexp.MustCompile(`"(versionName|mainAbility|mainElementName)": *"([^"]*)"`)
	leftFolder   = regexp.MustCompile(`(?m)^/data/local/tmp/ohframe-[0-9a-f]{8}$`)
)

// ParseProbe parses what ProbeScript printed.
func ParseProbe(output string) *Facts {
	sections := map[string]string{}
	for i, part := range strings.Split(output, "\n"+section) {
		if name, text, ok := strings.Cut(part, "\n"); ok && i > 0 {
			sections[name] = strings.TrimRight(text, "\n ")
		}
	}
	f := &Facts{
		Model: parameter(sections["model"]), System: parameter(sections["system"]),
		Software: parameter(sections["software"]), DeveloperMode: parameter(sections["developer"]),
		API: atoi(parameter(sections["api"])), Kernel: strings.TrimSpace(sections["kernel"]),
		CPUs: atoi(sections["cpus"]), FreeKB: freeSpace(sections["df"]),
		TracingOn: strings.TrimSpace(sections["on"]) == "1",
		Left:      leftFolder.FindAllString(sections["left"], -1),
	}
	for _, m := range tagLine.FindAllStringSubmatch(sections["tags"], -1) {
		f.Tags = append(f.Tags, m[1])
	}
	for line := range strings.Lines(sections["ps"]) {
		if fields := strings.Fields(line); len(fields) > 7 && !strings.HasSuffix(fields[7], "sh") {
			f.Tracers = append(f.Tracers, strings.Join(fields[7:], " "))
		}
	}
	if m := activeMode.FindStringSubmatch(sections["screen"]); m != nil {
		f.RefreshHz = float64(atoi(m[1]))
	} else if m := anyMode.FindStringSubmatch(sections["screen"]); m != nil {
		f.RefreshHz = float64(atoi(m[1]))
	}
	if m := powerStatus.FindStringSubmatch(sections["screen"]); m != nil {
		f.ScreenOff = m[1] != "ON"
	}
	if m := capacity.FindStringSubmatch(sections["battery"]); m != nil {
		f.Battery = atoi(m[1])
	}
	if m := temperature.FindStringSubmatch(sections["battery"]); m != nil {
		f.Temperature = float64(atoi(m[1])) / 10
	}
	f.Front = front(sections["front"])
	for _, pid := range number.FindAllString(sections["pid"], -1) {
		f.App.PIDs = append(f.App.PIDs, atoi(pid))
	}
	for _, m := range jsonValue.FindAllStringSubmatch(sections["bundle"], -1) {
		f.App.Installed = true
		switch {
		case m[1] == "versionName" && f.App.Version == "":
			f.App.Version = m[2]
		case m[1] != "versionName" && f.App.Ability == "":
			f.App.Ability = m[2]
		}
	}
	return f
}

// parameter returns the value that "param get" printed; empty if there is none.
func parameter(output string) string {
	value := strings.TrimSpace(output)
	if strings.HasPrefix(value, "Get parameter ") {
		return ""
	}
	value, _, _ = strings.Cut(value, "\n")
	return strings.TrimSpace(value)
}

func atoi(s string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(s))
	return n
}

// freeSpace returns the fourth column of the last line of df.
func freeSpace(output string) int64 {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	if len(fields) < 5 {
		return -1
	}
	kb, err := strconv.ParseInt(fields[len(fields)-3], 10, 64)
	if err != nil {
		return -1
	}
	return kb
}

// front returns the application whose ability is in the foreground: the last bundle
// name before "state #FOREGROUND". Unverified.
func front(output string) string {
	bundle := ""
	for line := range strings.Lines(output) {
		if m := bundleInList.FindStringSubmatch(line); m != nil {
			bundle = m[1]
		}
		if strings.Contains(line, "state #FOREGROUND") && bundle != "" {
			return bundle
		}
	}
	return ""
}

// has reports whether the device has the tag.
func (f *Facts) has(tag string) bool { return slices.Contains(f.Tags, tag) }
