// Package device has everything that is assumed of an OpenHarmony device: its
// commands, their outputs, paths and tags, by system version. It runs nothing. Its
// scripts are for hdc.Client.Shell, and its functions parse what they print.
//
//	ProbeScript  ──▶ ParseProbe              what the device is and whether it can record
//	Tracing      ──▶ CheckBegin, ParseEnd    one recording with hitrace
//	SampleScript ──▶ CheckSample, ParseSamples   samples of hiperf beside the recording
//	CloseScript  ──▶ ParseClose, ParseLeft   what recordings leave behind
//	SetScript    ──▶ CheckSet                parameters of ArkUI during a recording
//	StartScript  ──▶ CheckStart              applications
//
// Sources: the OpenHarmony repositories hiviewdfx_hitrace, hiviewdfx_hiview,
// ability_ability_runtime, arkui_ace_engine, graphic_graphic_2d, startup_init and
// third_party_toybox, branches 3.2 to 6.1. What was not read there is marked "unverified". Nothing was run on a phone.
package device

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ohframe/internal/diag"
	"ohframe/internal/pattern"
	"ohframe/internal/record/hdc"
	"ohframe/internal/record/meta"
)

// Folder is where the device's shell may write files.
const Folder = "/data/local/tmp"

// tracefs are the places of the kernel's trace files.
const tracefs = "/sys/kernel/tracing/%[1]s /sys/kernel/debug/tracing/%[1]s"

// readTracefs prints a file of the kernel's trace files.
func readTracefs(file string) string {
	return "for f in " + fmt.Sprintf(tracefs, file) + "; do cat $f 2>/dev/null && break; done"
}

// Facts are what is known of a device, and of the application that is recorded. Unknown
// values are zero.
type Facts struct {
	meta.Device
	App meta.App
	// Installed: the application is. Ability is its main one.
	Installed bool
	Ability   string
	// Tags are the tags of hitrace.
	Tags []string
	// DeveloperMode is "true", "false", or empty if the system has no such mode.
	DeveloperMode string
	// Level is the level below which the device drops markers: 0 debug, 1 info, 2 critical, 3 commercial;
	// empty if the system has none.
	Level string
	// ParallelSymbols: hiperf can look up the names of functions on several CPUs.
	ParallelSymbols bool
	// FreeKB is the free space of Folder; -1 if unknown.
	FreeKB    int64
	ScreenOff bool
	// TracingOn: the kernel records events. From 4.1 on a service of the system may
	// do that at any time.
	TracingOn bool
	// Tracers are the processes that may own a recording.
	Tracers []string
	// Left are the folders of earlier recordings.
	Left []string
}

// Legacy reports whether the device has the hitrace of 3.2 and 4.0, which has no
// sessions. If nothing is known of the system, it has not.
func (f *Facts) Legacy() bool { return legacy(&f.Device) }

func legacy(d *meta.Device) bool { return d.API != 0 && d.API < 11 }

// section begins the output of one command of the probe.
const section = "=ohframe= "

// bundleName is what the names of applications consist of.
var bundleName = pattern.New(`^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+$`)

// IsBundle reports whether s can be the name of an application.
func IsBundle(s string) bool { return bundleName().MatchString(s) }

// ProbeScript asks for everything in Facts. app may be empty.
func ProbeScript(app string) string {
	commands := [][2]string{
		{"model", "param get const.product.model"},
		{"system", "param get const.ohos.fullname"},
		{"software", "param get const.product.software.version"},
		{"api", "param get const.ohos.apiversion"},
		{"developer", "param get const.security.developermode.state"},
		{"level", "param get persist.hitrace.level.threshold"},
		{"kernel", "uname -sr"},
		{"cpus", "nproc"},
		{"df", "df -k " + Folder},
		{"tags", "hitrace -l"},
		{"on", readTracefs("tracing_on")},
		{"ps", "ps -ef | grep -E 'hitrace|hiprofiler|SP_daemon' | grep -v grep"},
		{"left", "ls -d " + Folder + "/ohframe-*"},
		{"screen", "hidumper -s RenderService -a screen"},
		{"battery", "hidumper -s 3302 -a '-i'"},
		{"hiperf", "hiperf help record 2>/dev/null | grep -e " + parallelSymbols},
	}
	if app != "" {
		commands = append(commands, [2]string{"pid", "pidof " + hdc.Quote(app)},
			[2]string{"bundle", "bm dump -n " + hdc.Quote(app) + ` | grep -E '"versionName"|"mainAbility"|"mainElementName"'`})
	}
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "echo; echo '%s%s'; %s\n", section, c[0], c[1])
	}
	return b.String() + "true"
}

var (
	number      = pattern.New(`\d+`)
	tagLine     = pattern.New(`(?m)^\s+([a-z0-9_]+) - `)
	activeMode  = pattern.New(`activeMode:.*refreshrate=(\d+)`)
	anyMode     = pattern.New(`refresh ?rate ?= ?(\d+)`)
	powerStatus = pattern.New(`powerstatus=POWER_STATUS_(\w+)`)
	capacity    = pattern.New(`capacity: (\d+)`)
	charging    = pattern.New(`chargingStatus: (\d+)`)
	temperature = pattern.New(`temperature: (\d+)`) // tenths of a degree; unverified
	freeColumn  = pattern.New(`(\d+) +\S+ +\S+\s*$`)
	appVersion  = pattern.New(`"versionName": *"([^"]*)"`)
	appAbility  = pattern.New(`"(?:mainAbility|mainElementName)": *"([^"]+)"`)
	leftFolder  = pattern.New(`(?m)^` + ownFolder + `$`)
)

// ParseProbe parses what ProbeScript printed.
func ParseProbe(output string) *Facts {
	sections := sections(output)
	f := &Facts{
		Device: meta.Device{
			Model: parameter(sections["model"]), System: parameter(sections["system"]), Software: parameter(sections["software"]),
			API: atoi(parameter(sections["api"])), Kernel: strings.TrimSpace(sections["kernel"]), CPUs: atoi(sections["cpus"]),
			RefreshHz: float64(atoi(found(activeMode, sections["screen"]))),
			Battery:   atoi(found(capacity, sections["battery"])), Temperature: float64(atoi(found(temperature, sections["battery"]))) / 10,
		},
		DeveloperMode: parameter(sections["developer"]), Level: parameter(sections["level"]),
		ParallelSymbols: strings.Contains(sections["hiperf"], parallelSymbols), FreeKB: -1, TracingOn: strings.TrimSpace(sections["on"]) == "1",
		Left: leftFolder().FindAllString(sections["left"], -1),
	}
	if free, err := strconv.ParseInt(found(freeColumn, sections["df"]), 10, 64); err == nil {
		f.FreeKB = free
	}
	for _, m := range tagLine().FindAllStringSubmatch(sections["tags"], -1) {
		f.Tags = append(f.Tags, m[1])
	}
	for line := range strings.Lines(sections["ps"]) {
		if fields := strings.Fields(line); len(fields) > 7 && !strings.HasSuffix(fields[7], "sh") {
			f.Tracers = append(f.Tracers, strings.Join(fields[7:], " "))
		}
	}
	if f.RefreshHz == 0 {
		f.RefreshHz = float64(atoi(found(anyMode, sections["screen"])))
	}
	switch found(charging, sections["battery"]) {
	case "1":
		f.Charging = new(true)
	case "0", "2", "3": // discharging, connected but not charging, full
		f.Charging = new(false)
	}
	power := found(powerStatus, sections["screen"])
	f.ScreenOff = power != "" && power != "ON"
	for _, pid := range number().FindAllString(sections["pid"], -1) {
		f.App.PIDs = append(f.App.PIDs, atoi(pid))
	}
	bundle := sections["bundle"]
	f.Installed = appVersion().MatchString(bundle) || appAbility().MatchString(bundle)
	f.App.Version, f.Ability = found(appVersion, bundle), found(appAbility, bundle)
	return f
}

// sections returns what the commands of a script printed, by the names of their sections.
func sections(output string) map[string]string {
	list := map[string]string{}
	for i, part := range strings.Split(output, "\n"+section) {
		if name, text, ok := strings.Cut(part, "\n"); ok && i > 0 {
			list[name] = strings.TrimRight(text, "\n ")
		}
	}
	return list
}

// found returns the first submatch of a pattern; empty if it does not match.
func found(pattern func() *regexp.Regexp, text string) string {
	if m := pattern().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// parameter returns the value that "param get" printed; empty if it printed none.
func parameter(output string) string {
	value, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	if strings.HasPrefix(value, "Get parameter ") {
		return ""
	}
	return strings.TrimSpace(value)
}

func atoi(s string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(s))
	return n
}

// StopScript ends an application, and waits until its processes are gone: otherwise its
// start would not be a launch. Processes see the tags of a recording somewhat later than
// hitrace says; the last wait gives those that start an application the time.
func StopScript(bundle string) string {
	return fmt.Sprintf("aa force-stop %s; n=0; while pidof %[1]s >/dev/null && [ $n -lt 25 ]; do sleep 0.2; n=$((n+1)); done; sleep 0.5", hdc.Quote(bundle))
}

// StartScript starts an ability of an application.
func StartScript(bundle, ability string) string {
	return fmt.Sprintf("aa start -b %s -a %s", hdc.Quote(bundle), hdc.Quote(ability))
}

var startCode = pattern.New(`(?i)error code: ?(\d+)`)

// startCodes are codes of "aa start".
var startCodes = map[string]string{"": "unknown reason", "10104001": "it has no such ability", "10106102": "the screen is locked"}

// CheckStart checks what StartScript printed.
func CheckStart(r hdc.Result) error {
	if strings.Contains(r.Output, "start ability successfully") {
		return nil
	}
	code := found(startCode, r.Output)
	why, known := startCodes[code]
	if !known {
		why = "code " + code
	}
	return diag.New(nil, "unlock the device; --app BUNDLE/ABILITY names another ability", "the application did not start: %s", why)
}
