package record

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"ohframe/internal/diag"
	"ohframe/internal/exit"
	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
	"ohframe/internal/record/meta"
	"ohframe/internal/version"
)

// recorder is a device that is ready to record.
type recorder struct {
	Options
	*Host
	client *hdc.Client
	facts  *device.Facts
	// tags are recorded, missing are not on this device.
	tags, missing []string
	// session is Meta.Session of all recordings.
	session string
}

// connect finds hdc and the device, and asks it for its facts.
func connect(ctx context.Context, o Options, h *Host) (*recorder, error) {
	c, err := hdc.Find(ctx, o.Limit)
	if err != nil {
		return nil, err
	}
	h.Say(Event{"hdc", fmt.Sprintf("hdc %s  %s", c.Version, c.Path), map[string]any{"version": c.Version, "path": c.Path}})
	waiting := func(reason error) {
		text := reason.Error()
		if f := (*diag.Error)(nil); errors.As(reason, &f) && f.Hint != "" {
			text += "; " + f.Hint
		}
		h.Say(Event{"waiting", "Waiting for the device: " + text, map[string]any{"reason": reason.Error()}})
	}
	if err := c.Choose(ctx, o.Device, o.Wait, waiting); err != nil {
		return nil, err
	}
	var session [6]byte
	rand.Read(session[:])
	r := &recorder{Options: o, Host: h, client: c, session: hex.EncodeToString(session[:])}
	// The list of devices does not always say that a device is not ready.
	return r, hdc.Retry(ctx, o.Wait, waiting, func() error { return r.probe(ctx) })
}

// probe asks the device for its facts, again if it was asked before.
func (r *recorder) probe(ctx context.Context) error {
	result, err := r.client.Shell(ctx, 0, device.ProbeScript(r.App))
	if err == nil {
		r.facts = device.ParseProbe(result.Output)
	}
	return err
}

// check checks that the device can record, and says what it is.
func (r *recorder) check() (err error) {
	f := r.facts
	r.Say(Event{"device", describeDevice(r.client.Device, f), map[string]any{
		"key": r.client.Device, "model": f.Model, "system": f.System, "api": f.API, "refresh_hz": f.RefreshHz,
	}})
	if r.BufferKB == 0 {
		r.BufferKB = f.DefaultBufferKB()
	}
	most := device.MaxBuffer(&f.Device)
	needed := r.spaceNeeded() + r.samplesSpace()
	what := "the trace"
	if r.Perf {
		what += " and samples"
	}
	r.tags, r.missing, err = f.Choose(r.Tags)
	switch {
	case f.DeveloperMode == "false":
		return diag.New(nil, "turn it on in Settings > About, by tapping the build number", "developer mode is off on the device")
	case r.BufferKB > most:
		return diag.New(nil, "", "--buffer: hitrace on the device takes at most %dM", most/1024)
	case len(f.Tags) == 0:
		return diag.New(nil, "the device needs OpenHarmony 3.2 or later", "hitrace on the device lists no tags")
	case err != nil:
		return diag.New(nil, "tags of the device: "+strings.Join(f.Tags, " "), "%v", err)
	case f.FreeKB >= 0 && f.FreeKB < needed && !r.Force:
		return diag.New(nil, "free some space, choose a smaller buffer with -b, or record anyway with --force",
			"%s may need %d MB for %s, %d MB are free", device.Folder, needed/1024, what, f.FreeKB/1024)
	}
	if len(r.Compare) == 0 || !r.Compare[0].starts { // others are checked when the sides switch
		if err := r.checkApp(r.Launch); err != nil {
			return err
		}
	}
	text := "Tags    " + strings.Join(r.tags, " ")
	if len(r.missing) > 0 {
		text += "; not on this device: " + strings.Join(r.missing, " ")
	}
	r.Say(Event{"tags", text, map[string]any{"tags": r.tags, "missing": append([]string{}, r.missing...)}})
	if f.Level == "2" || f.Level == "3" {
		r.note(map[string]any{"level": f.Level}, "the device drops markers that frames need: hdc shell hitrace --trace_level I records them, until it is set back")
	}
	if f.ScreenOff {
		r.note(map[string]any{"note": "screen off"}, "the screen is off: there will be no frames")
	}
	return nil
}

// checkApp checks that the application runs or, if record starts it, can be started.
func (r *recorder) checkApp(starts bool) error {
	app := &r.facts.App
	if r.App == "" {
		return nil
	}
	if r.Ability == "" {
		r.Ability = r.facts.Ability
	}
	running := len(app.PIDs) > 0
	switch {
	case !running && !r.facts.Installed:
		return diag.New(nil, "bm dump -a on the device lists the names", "%s is not installed on the device", r.App)
	case !running && !starts:
		return diag.New(nil, "start it, or let --launch do that", "%s is not running", r.App)
	case starts && r.Ability == "":
		return diag.New(nil, "--app BUNDLE/ABILITY names one", "%s has no main ability", r.App)
	}
	state := "not running"
	if running {
		state = fmt.Sprintf("pid %d", app.PIDs[0])
	}
	r.Say(Event{"app", fmt.Sprintf("App     %s %s, %s", r.App, app.Version, state), map[string]any{"bundle": r.App, "version": app.Version, "pids": append([]int{}, app.PIDs...)}})
	return nil
}

func describeDevice(key string, f *device.Facts) string {
	text := "Device  " + key
	add := func(known bool, format string, value any) {
		if known {
			text += fmt.Sprintf(format, value)
		}
	}
	add(f.Model != "", "  %s", f.Model)
	add(f.System != "", "  %s", f.System)
	add(f.API != 0, " (API %d)", f.API)
	add(f.RefreshHz != 0, "  %g Hz", f.RefreshHz)
	add(f.Battery != 0, "  battery %d %%", f.Battery)
	add(f.Temperature != 0, "  %.0f °C", f.Temperature)
	return text
}

// spaceNeeded is the size of a trace if all buffers are full, in KB: an event takes
// about four times as much as text. A usual phone has 8 CPUs.
func (r *recorder) spaceNeeded() int64 {
	cpus := r.facts.CPUs
	if cpus == 0 {
		cpus = 8
	}
	return 4 * int64(r.BufferKB) * int64(cpus)
}

// samplesSpace is the size of hiperf's file in KB, if it samples: two threads
// that always run and a thousand switches take 1 MB a second.
func (r *recorder) samplesSpace() int64 {
	if !r.Perf {
		return 0
	}
	return min(device.MaxSamplesKB, int64(r.max().Seconds()*1024))
}

// sampleRate is how often hiperf samples, in Hz of a running thread.
const sampleRate = 1000

// describe returns what is known before a recording.
func (r *recorder) describe() *meta.Meta {
	sum := sha256.Sum256([]byte(r.client.Device))
	m := &meta.Meta{
		Ohframe: version.String(), HDC: r.client.Version, Device: r.facts.Device,
		Tags: r.tags, MissingTags: r.missing, BufferKB: r.BufferKB, Session: r.session,
	}
	m.Device.ID = hex.EncodeToString(sum[:6])
	if r.App != "" {
		m.App = &meta.App{Bundle: r.App, Version: r.facts.App.Version}
		if !r.Launch { // which ends these processes
			m.App.PIDs = r.facts.App.PIDs
		}
	}
	return m
}

// Device is a device that hdc knows, and its facts if it is connected.
type Device struct {
	hdc.Device
	Facts meta.Device
}

// List lists the devices. It uses Limit and Wait of the options.
func List(ctx context.Context, o Options) (list []Device, err error) {
	c, err := hdc.Find(ctx, o.Limit)
	var devices []hdc.Device
	if err == nil {
		devices, err = c.Devices(ctx, o.Wait)
	}
	for _, d := range devices {
		r := &recorder{client: c, facts: &device.Facts{}}
		if c.Device = d.Key; d.State == hdc.Connected && err == nil {
			err = r.probe(ctx)
		}
		list = append(list, Device{d, r.facts.Device})
	}
	return list, exit.With(exit.Device, err)
}

// grace is how long after the end of a recording the watchdog waits: the time to read
// the buffer, and to find a lost device again.
const grace = 2 * time.Minute

// watchdog is the time after the begin at which the device ends the recording itself.
func (r *recorder) watchdog() time.Duration {
	if r.Perf {
		return r.max() + grace + device.SampleEnd
	}
	return r.max() + grace
}
