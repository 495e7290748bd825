// Package record records a trace on a device:
//
//	Connect ──▶ Recorder ── Begin ──▶ Session ── Finish, Receive ──▶ file
//	                                          └─ Close: the device is as before
//
// A watchdog on the device ends a recording that this program cannot end any more.
package record

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe/internal/failure"
	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
	"ohframe/internal/record/meta"
)

// Options say what to record and how. The zero Options record whatever the only
// device shows.
type Options struct {
	// HDC names the program hdc; empty searches it.
	HDC string
	// Device is the key of a device; empty for the only one.
	Device string
	// Limit is the time limit of a call of hdc; zero is hdc's default. Wait is how long
	// to wait for a device that is not ready.
	Limit, Wait time.Duration
	// App is the name of an application, Front for the one in front, or empty.
	App string
	// Launch starts the application after the recording has begun; Ability is the
	// ability to start, empty for the main one.
	Launch  bool
	Ability string
	// Absent: the application need not run when the device is checked, because a
	// command of the user starts it.
	Absent bool
	// Tags are a list "a,b" or changes of the default "+a,-b".
	Tags string
	// BufferKB is the size of the buffer of each CPU; zero for the default.
	BufferKB int
	// Clock is "mono" or "boot".
	Clock string
	// Force ends a recording of another tool, and ignores missing space.
	Force bool
	// Keep leaves the trace on the device.
	Keep bool
	// Max is the time after which the recording is ended at the latest.
	Max time.Duration
}

// Front is the value of Options.App for the application in front.
const Front = "front"

// Event is something that has happened. Facts are for programs, Text is for people and
// may be empty.
type Event struct {
	Step  string
	Text  string
	Facts map[string]any
}

// Recorder is a device that is ready to record.
type Recorder struct {
	Options
	Client *hdc.Client
	Key    string
	Facts  *device.Facts
	// Tags are recorded, Missing are not on this device.
	Tags, Missing []string
	say           func(Event)
}

// ErrDevice: the device cannot record.
var ErrDevice = errors.New("device cannot record")

func refuse(hint, format string, values ...any) error {
	return &failure.Error{What: fmt.Sprintf(format, values...), Hint: hint, Err: ErrDevice}
}

// Find finds hdc.
func Find(ctx context.Context, o Options, say func(Event)) (*hdc.Client, error) {
	c, err := hdc.Find(ctx, o.HDC, o.Limit)
	if err == nil {
		say(Event{"hdc", fmt.Sprintf("hdc %s  %s", c.Version, c.Path), map[string]any{"version": c.Version, "path": c.Path}})
	}
	return c, err
}

// Connect finds hdc and the device, and checks that it can record. say is called for
// each step.
func Connect(ctx context.Context, o Options, say func(Event)) (*Recorder, error) {
	c, err := Find(ctx, o, say)
	if err != nil {
		return nil, err
	}
	r := &Recorder{Options: o, Client: c, say: say}
	d, err := c.Choose(ctx, o.Device, o.Wait, func(reason error) {
		say(Event{"waiting", fmt.Sprintf("Waiting for the device: %s", describe(reason)), map[string]any{"reason": reason.Error()}})
	})
	if err != nil {
		return nil, err
	}
	r.Key = d.Key
	if err := r.patiently(ctx, func() error { return r.Probe(ctx) }); err != nil {
		return nil, err
	}
	return r, r.check()
}

// connectLimit is how long a connection that is being set up may take.
const connectLimit = 10 * time.Second

// patiently repeats f while the device is not ready: the list of devices does not
// always say so.
func (r *Recorder) patiently(ctx context.Context, f func() error) error {
	for start := time.Now(); ; {
		err := f()
		limit := time.Duration(0)
		switch {
		case errors.Is(err, hdc.ErrUnauthorized):
			limit = r.Wait
		case errors.Is(err, hdc.ErrConnecting):
			limit = min(r.Wait, connectLimit)
		}
		if time.Since(start) >= limit {
			return err
		}
		select {
		case <-time.After(time.Second / 2):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// describe returns an error with its hint.
func describe(err error) string {
	if f := (*failure.Error)(nil); errors.As(err, &f) && f.Hint != "" {
		return f.What + "; " + f.Hint
	}
	return err.Error()
}

// Probe asks the device for its facts, again if it was asked before.
func (r *Recorder) Probe(ctx context.Context) error {
	app := r.App
	if app == Front {
		app = ""
	}
	result, err := r.Client.Shell(ctx, 0, device.ProbeScript(app))
	if err != nil {
		return err
	}
	r.Facts = device.ParseProbe(result.Output)
	if r.App != Front {
		return nil
	}
	if !device.IsBundle(r.Facts.Front) {
		return refuse("--app BUNDLE names the application", "the application in front is unknown")
	}
	r.App = r.Facts.Front
	return r.Probe(ctx)
}

// check checks what was found and says it.
func (r *Recorder) check() error {
	f := r.Facts
	r.say(Event{"device", describeDevice(r.Key, f), map[string]any{
		"key": r.Key, "model": f.Model, "system": f.System, "api": f.API, "refresh_hz": f.RefreshHz,
	}})
	if f.DeveloperMode == "false" {
		return refuse("turn it on in Settings > About, by tapping the build number", "developer mode is off on the device")
	}
	if len(f.Tags) == 0 {
		return refuse("the device needs OpenHarmony 3.2 or later", "hitrace on the device lists no tags")
	}
	var err error
	if r.Tags, r.Missing, err = f.Choose(r.Options.Tags); err != nil {
		return refuse("tags of the device: "+strings.Join(f.Tags, " "), "%v", err)
	}
	if r.BufferKB == 0 {
		r.BufferKB = f.DefaultBufferKB()
	}
	if needed := r.spaceNeeded(); f.FreeKB >= 0 && f.FreeKB < needed && !r.Force {
		return refuse("free some space, choose a smaller buffer with -b, or record anyway with --force",
			"%s may need %s for the trace, %s are free", device.Folder, megabytes(needed), megabytes(f.FreeKB))
	}
	if err := r.checkApp(); err != nil {
		return err
	}
	r.say(Event{"tags", describeTags(r.Tags, r.Missing), map[string]any{"tags": r.Tags, "missing": append([]string{}, r.Missing...)}})
	if f.ScreenOff {
		r.say(Event{"note", "Note    the screen is off: there will be no frames", map[string]any{"note": "screen off"}})
	}
	return nil
}

func (r *Recorder) checkApp() error {
	app := &r.Facts.App
	if r.App == "" {
		return nil
	}
	if len(app.PIDs) == 0 && !app.Installed {
		return refuse("bm dump -a on the device lists the names", "%s is not installed on the device", r.App)
	}
	if len(app.PIDs) == 0 && !r.Launch && !r.Absent {
		return refuse("start it, or let --launch do that", "%s is not running", r.App)
	}
	if r.Launch && r.Ability == "" {
		if r.Ability = app.Ability; r.Ability == "" {
			return refuse("--ability NAME names one", "%s has no main ability", r.App)
		}
	}
	state := "not running"
	if len(app.PIDs) > 0 {
		state = fmt.Sprintf("pid %d", app.PIDs[0])
	}
	r.say(Event{"app", fmt.Sprintf("App     %s %s, %s", r.App, app.Version, state), map[string]any{"bundle": r.App, "version": app.Version, "pids": append([]int{}, app.PIDs...)}})
	return nil
}

// cpus returns the number of CPUs, or that of a usual phone.
func (r *Recorder) cpus() int {
	if r.Facts.CPUs > 0 {
		return r.Facts.CPUs
	}
	return 8
}

// spaceNeeded is the size of a trace if all buffers are full, in KB: an event takes
// about four times as much as text.
func (r *Recorder) spaceNeeded() int64 { return 4 * int64(r.BufferKB) * int64(r.cpus()) }

// Meta returns what is known before a recording.
func (r *Recorder) Meta() *meta.Meta {
	f := r.Facts
	sum := sha256.Sum256([]byte(r.Key))
	m := &meta.Meta{
		HDC: r.Client.Version, Tags: r.Tags, MissingTags: r.Missing, BufferKB: r.BufferKB,
		Device: meta.Device{
			ID: hex.EncodeToString(sum[:6]), Model: f.Model, System: f.System, Software: f.Software, API: f.API,
			Kernel: f.Kernel, CPUs: f.CPUs, RefreshHz: f.RefreshHz, Battery: f.Battery, Temperature: f.Temperature,
		},
	}
	if r.App != "" {
		m.App = &meta.App{Bundle: r.App, Version: f.App.Version}
		if !r.Launch { // which ends these processes
			m.App.PIDs = f.App.PIDs
		}
	}
	return m
}

// Tracing returns the recording that Begin would begin, in a folder named after nonce.
func (r *Recorder) Tracing(nonce string) *device.Tracing {
	return &device.Tracing{Dir: device.NewDir(nonce), Tags: r.Tags, BufferKB: r.BufferKB, Clock: r.Clock, Max: r.Watchdog(), Owner: owner(os.Getpid())}
}

// grace is how long after the end of a recording the watchdog waits: the time to read
// the buffer, and to find a lost device again.
const grace = 120 * time.Second

func newNonce() string {
	var b [4]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Watchdog is the time after the begin at which the device ends the recording itself.
func (r *Recorder) Watchdog() time.Duration { return r.Max + grace }

// owner returns a word for a process of this computer. Processes in another namespace of
// process ids are those of another computer.
func owner(pid int) string {
	host, _ := os.Hostname() // empty is as good
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(host + " " + space))
	return fmt.Sprintf("%x_%d", sum[:6], pid)
}

// hasEnded reports whether the owner was a process of this computer that runs no more.
func hasEnded(word string) bool {
	_, digits, _ := strings.Cut(word, "_")
	pid, err := strconv.Atoi(digits)
	return err == nil && word == owner(pid) && !hdc.Exists(pid)
}

// cleanLeft removes what recordings without a watchdog have left, except traces, and
// returns the recordings that are under way.
func (r *Recorder) cleanLeft(ctx context.Context) (alive []device.Left, err error) {
	list, err := r.left(ctx)
	for _, l := range list {
		switch {
		case len(l.Traces) > 0 && !l.Live:
			r.sayKept(l.Traces)
		case l.Alive:
			alive = append(alive, l)
		default:
			if err := r.remove(ctx, l, false); err != nil {
				return nil, err
			}
		}
	}
	return alive, err
}

// left describes the folders of recordings.
func (r *Recorder) left(ctx context.Context) ([]device.Left, error) {
	if len(r.Facts.Left) == 0 {
		return nil, nil
	}
	result, err := r.Client.Shell(ctx, 0, device.LeftScript(r.Facts.Left))
	return device.ParseLeft(result), err
}

// sayKept names the traces that earlier recordings have left.
func (r *Recorder) sayKept(traces []string) {
	for _, path := range traces {
		r.say(Event{"note", "Note    a trace of an earlier recording is on the device: " + fetch(r.Key, path), map[string]any{"path": path}})
	}
}

// remove ends a recording and removes what it has left. Traces stay, except with clean.
// With clean and Force the folder goes even if hitrace does not end the recording:
// otherwise it would be in the way for good.
func (r *Recorder) remove(ctx context.Context, l device.Left, clean bool) error {
	result, err := r.Client.Shell(ctx, 0, device.CloseScript(l.Dir, !clean && len(l.Traces) > 0))
	if err != nil {
		return err
	}
	traces, closed := device.ParseClose(result)
	if !closed {
		answer := fmt.Sprintf("hitrace on the device does not end the recording of %s: %s", l.Dir, device.CloseAnswer(result))
		if !clean || !r.Force {
			return refuse("try again later, or remove it with ohframe record --clean --force", "%s", answer)
		}
		if _, err := r.Client.Shell(ctx, 0, device.RemoveScript(l.Dir)); err != nil {
			return err
		}
		r.say(Event{"note", "Note    " + answer, map[string]any{"not_closed": l.Dir}})
	} else if len(traces) > 0 {
		r.sayKept(traces)
		return nil
	}
	r.say(Event{"note", "Note    removed " + l.Dir + ", which an earlier recording left", map[string]any{"removed": l.Dir}})
	return nil
}

// Clean removes what earlier recordings left on the device and ends a recording that
// nobody owns.
func (r *Recorder) Clean(ctx context.Context) error {
	list, err := r.left(ctx)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(list), func(l device.Left) bool { return !l.Alive || hasEnded(l.Owner) })
	if owners := r.owners(others); owners != "" && !r.Force {
		return &failure.Error{What: "a recording of " + owners + " is under way on the device", Hint: "--force ends it", Err: device.ErrBusy}
	}
	for _, l := range list {
		if err := r.remove(ctx, l, true); err != nil {
			return err
		}
	}
	if r.Facts.TracingOn {
		return r.dropOther(ctx, "Note    ended the recording that was under way on the device")
	}
	if len(list) == 0 {
		r.say(Event{"cleaned", "Nothing was left on the device.", nil})
	}
	return r.dropOther(ctx, "") // whether the device traces may be unknown
}

// owners names those who record at the moment; empty if nobody does.
func (r *Recorder) owners(alive []device.Left) string {
	list := slices.Clone(r.Facts.Tracers)
	for _, l := range alive {
		who := "another ohframe"
		if hasEnded(l.Owner) {
			who = "an ohframe that has ended"
		}
		if l.Live {
			who += fmt.Sprintf(", for at most %s", time.Duration(max(0, l.Seconds))*time.Second)
		}
		list = append(list, who)
	}
	return strings.Join(list, ", ")
}

// dropOther ends a recording of somebody else, and says so with the given words.
func (r *Recorder) dropOther(ctx context.Context, words string) error {
	result, err := r.Client.Shell(ctx, 0, device.DropScript())
	if err == nil && device.CheckDrop(result) && words != "" {
		r.say(Event{"note", words, map[string]any{"closed": true}})
	}
	return err
}
