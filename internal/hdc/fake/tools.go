//go:build unix

package fake

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tool is a program of the device. It returns the exit status.
type tool func(w *world, d *Device, args []string) int

var tools map[string]tool

func init() {
	tools = map[string]tool{
		"aa": aa, "bm": bm, "df": df, "hidumper": hidumper, "hitrace": hitrace, "nproc": answers("8"),
		"param": param, "pidof": pidof, "ps": ps, "sleep": sleep, "uitest": uitest, "uname": answers("5.10.97-oh"),
	}
}

// runTool runs a tool with the world locked.
func runTool(name string, t tool) int {
	w, err := open()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake "+name+":", err)
		return 70
	}
	key := os.Getenv(deviceVariable)
	i := slices.IndexFunc(w.config.Devices, func(d Device) bool { return d.Key == key })
	if i < 0 {
		fmt.Fprintln(os.Stderr, "fake "+name+": no device", key)
		return 70
	}
	status := t(w, &w.config.Devices[i], os.Args[1:])
	if err := w.close(); err != nil {
		fmt.Fprintln(os.Stderr, "fake "+name+":", err)
		return 70
	}
	return status
}

func param(_ *world, d *Device, args []string) int {
	p := findProfile(d.System)
	values := map[string]string{
		"const.product.model":            "ALN-AL00",
		"const.ohos.fullname":            p.name,
		"const.ohos.apiversion":          strconv.Itoa(p.api),
		"const.product.software.version": "ALN-AL00 " + p.system,
	}
	if p.developer {
		values["const.security.developermode.state"] = strconv.FormatBool(!d.NoDeveloperMode)
	}
	if len(args) != 2 || args[0] != "get" {
		return 1
	}
	value, ok := values[args[1]]
	if !ok {
		fmt.Printf("Get parameter \"%s\" fail! errNum is:106!\n", args[1])
		return 0
	}
	fmt.Println(value + " ")
	return 0
}

// answers returns a tool that always prints the same.
func answers(text string) tool {
	return func(*world, *Device, []string) int {
		fmt.Println(text)
		return 0
	}
}

func df(_ *world, d *Device, _ []string) int {
	free := max(0, cmp.Or(d.FreeKB, 50_000_000))
	fmt.Printf("Filesystem     1K-blocks     Used Available Use%% Mounted on\n/dev/block/dm-5 104857600 %d %d 50%% /data\n", 104857600-free, free)
	return 0
}

// sleep sleeps for less if the device's clock is fast.
func sleep(w *world, d *Device, args []string) int {
	seconds, err := strconv.ParseFloat(strings.Join(args, " "), 64)
	if err != nil || w.unlocked(func() { time.Sleep(time.Duration(seconds / cmp.Or(d.SleepScale, 1) * float64(time.Second))) }) != nil {
		return 1
	}
	return 0
}

func uitest(_ *world, _ *Device, args []string) int {
	if len(args) == 0 || args[0] != "uiInput" {
		fmt.Println("usage: uitest uiInput")
		return 1
	}
	return answers("No Error")(nil, nil, nil)
}

// isRunning reports whether an application runs.
func (w *world) isRunning(d *Device, a *App) bool {
	if running, ok := w.state.Running[d.Key+" "+a.Bundle]; ok {
		return running
	}
	return a.Running
}

func (d *Device) app(bundle string) *App {
	i := slices.IndexFunc(d.Apps, func(a App) bool { return a.Bundle == bundle })
	if i < 0 {
		return nil
	}
	return &d.Apps[i]
}

func pidof(w *world, d *Device, args []string) int {
	if len(args) == 1 {
		if a := d.app(args[0]); a != nil && w.isRunning(d, a) {
			fmt.Println(a.PID)
			return 0
		}
	}
	return 1
}

func ps(w *world, d *Device, _ []string) int {
	fmt.Println("UID            PID  PPID C STIME TTY          TIME CMD")
	fmt.Println("root             1     0 0 09:00:00 ?     00:00:02 init --second-stage")
	if s := w.state.Sessions[d.Key]; s != nil && s.Owner != "stale" && s.Owner != "command" {
		fmt.Printf("shell         4321     1 0 09:30:00 ?     00:00:00 %s -t 60\n", s.Owner)
	}
	for i := range d.Apps {
		if a := &d.Apps[i]; w.isRunning(d, a) {
			fmt.Printf("20010043     %5d   500 1 09:31:00 ?     00:00:05 %s\n", a.PID, a.Bundle)
		}
	}
	return 0
}

func aa(w *world, d *Device, args []string) int {
	joined := strings.Join(args, " ")
	bundle := valueOf(args, "-b")
	if len(args) == 2 && args[0] == "force-stop" {
		bundle = args[1]
	}
	a := d.app(bundle)
	switch {
	case strings.HasPrefix(joined, "force-stop "):
		if a == nil {
			fmt.Println("error: failed to force stop process.")
			return 0
		}
		w.state.Running[d.Key+" "+bundle] = false
		fmt.Println("force stop process successfully.")
	case strings.HasPrefix(joined, "start "):
		code := 10104001
		if a != nil && valueOf(args, "-a") == a.Ability {
			code = a.StartCode
		}
		if code != 0 {
			fmt.Printf("error: failed to start ability.\nError Code:%d\n", code)
			return 0
		}
		w.state.Running[d.Key+" "+bundle] = true
		fmt.Println("start ability successfully.")
	}
	return 0
}

func valueOf(args []string, flag string) string {
	if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

func bm(_ *world, d *Device, args []string) int {
	a := d.app(valueOf(args, "-n"))
	if a == nil {
		fmt.Println("error: failed to get information and the parameters may be wrong.")
		return 0
	}
	fmt.Printf("%s:\n{\n    \"applicationInfo\": {\"versionName\": \"1.2.3\"},\n"+
		"    \"hapModuleInfos\": [{\"mainAbility\": \"%s\", \"mainElementName\": \"%s\"}],\n    \"versionName\": \"1.2.3\"\n}\n",
		a.Bundle, a.Ability, a.Ability)
	return 0
}

func hidumper(w *world, d *Device, args []string) int {
	switch valueOf(args, "-s") {
	case "RenderService", "10":
		status := "POWER_STATUS_ON"
		if d.ScreenOff {
			status = "POWER_STATUS_OFF"
		}
		fmt.Printf("-------------------------------[ability]-------------------------------\n\n"+
			"-- ScreenInfo\nscreen[0]: id=0, powerstatus=%s, backlight=120, screenType=EXTERNAL_TYPE, render size: 1260x2720\n"+
			"  supportedMode[0]: 1260x2720, refreshrate=120\n  supportedMode[1]: 1260x2720, refreshrate=60\n  activeMode: 1260x2720, refreshrate=120\n", status)
	case "3302":
		fmt.Print("------\ncapacity: 83 \nbatteryLevel: 3 \ntemperature: 310 \n")
	case "AbilityManagerService":
		for i := range d.Apps {
			if a := &d.Apps[i]; w.isRunning(d, a) {
				fmt.Printf("    AbilityRecord ID #12\n      app name [%s]\n      main name [%s]\n      bundle name [%s]\n      state #FOREGROUND\n", a.Bundle, a.Ability, a.Bundle)
				break
			}
		}
	}
	return 0
}
