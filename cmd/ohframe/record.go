package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ohframe/internal/atomicfile"
	"ohframe/internal/record"
	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
	"ohframe/internal/text"
)

// The exit codes of record and devices, beside 0 and those of signals.
const (
	exitUsage   = 2
	exitDevice  = 3 // no hdc, no device, or it cannot record
	exitRecord  = 4 // the recording failed
	exitReceive = 5 // the trace was not received or not converted
)

// withCode gives an error an exit code. That of a signal stays.
func withCode(code int, err error) error {
	signalled := interruption{}
	if err == nil || errors.As(err, &signalled) {
		return err
	}
	if exit := cli.ExitCoder(nil); errors.As(err, &exit) {
		return err
	}
	return codedError{err, code}
}

type codedError struct {
	error
	code int
}

func (c codedError) Unwrap() error { return c.error }
func (c codedError) ExitCode() int { return c.code }

// deviceFlags are the flags of the commands that use hdc.
func deviceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "hdc", Usage: "use the hdc at `PATH`; without it, the variable HDC, PATH and the folders of SDKs are searched"},
		&cli.StringFlag{Name: "wait", Value: "60s", Usage: "wait `DURATION` for a device that must be authorized or has been lost"},
		&cli.StringFlag{Name: "hdc-limit", Value: hdc.DefaultLimit.String(), Usage: "time limit of one call of hdc: `DURATION`"},
		&cli.BoolFlag{Name: "json", Usage: "print steps and results as JSON, one object per line"},
	}
}

func recordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "record a trace on a connected device, and report its frames",
		ArgsUsage: "[-t TIME] [-o NAME]",
		Description: "It writes NAME.ftrace, NAME.meta.json, NAME.pftrace and NAME.html. The first Ctrl-C ends the\n" +
			"recording and keeps it, the second discards it. docs/record.md explains all messages.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "time", Aliases: []string{"t"}, Usage: "record for `TIME`, such as 10 or 1m30s; without it, until Enter or Ctrl-C"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "name of the files, without extension: `NAME`, or FOLDER/ (default: ohframe-MODEL-DATE-TIME)"},
			&cli.StringFlag{Name: "app", Usage: "report on application `BUNDLE`; front is the one in front"},
			&cli.BoolFlag{Name: "launch", Usage: "start the application after the recording has begun"},
			&cli.StringFlag{Name: "ability", Usage: "the ability that --launch starts: `NAME`"},
			&cli.StringFlag{Name: "device", Usage: "the device, if there are several: `KEY` as ohframe devices prints it"},
			&cli.StringFlag{Name: "tags", Usage: "record the tags of `LIST` (a,b), or change the default (+a,-b)"},
			&cli.StringFlag{Name: "buffer", Aliases: []string{"b"}, Usage: "buffer `SIZE` of each CPU, such as 64M"},
			&cli.StringFlag{Name: "clock", Value: "mono", Usage: "clock of the times in the trace: `mono|boot`"},
			&cli.StringFlag{Name: "max", Value: "5m", Usage: "end a recording without -t after `DURATION`; with --ring the default is 1h"},
			&cli.BoolFlag{Name: "ring", Usage: "keep recording; each Enter saves the last seconds, q ends"},
			&cli.IntFlag{Name: "runs", Usage: "record `N` times into the folder NAME, for ohframe diff", DefaultText: "once, without a folder"},
			&cli.StringFlag{Name: "drive", Usage: "run `COMMAND` on the device during each recording, which ends with it unless -t is given; host:COMMAND runs it here"},
			&cli.BoolFlag{Name: "cold", Usage: "include the first of several runs in the summary"},
			&cli.BoolFlag{Name: "open", Usage: "open the trace in the Perfetto UI"},
			&cli.BoolFlag{Name: "keep", Usage: "leave the trace on the device, too"},
			&cli.BoolFlag{Name: "force", Usage: "overwrite files, end recordings of other tools, ignore missing space"},
			&cli.BoolFlag{Name: "dry-run", Usage: "check everything and print the commands, but do not record"},
			&cli.BoolFlag{Name: "clean", Usage: "only remove what earlier recordings left on the device, kept traces too"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no progress and no steps"},
		}, deviceFlags()...),
		Action: runRecord,
	}
}

// plan is what the flags of record ask for.
type plan struct {
	record.Options
	time       time.Duration // zero: until Enter or Ctrl-C
	name       string        // of the files, without extension; empty for the default
	folder     string        // for the default name
	runs       int
	ring       bool
	cold, open bool
	drive      string // a command of the user
}

func runRecord(c *cli.Context) error {
	p, err := newPlan(c)
	if err != nil {
		return withCode(exitUsage, err)
	}
	out := &steps{json: c.Bool("json"), quiet: c.Bool("quiet"), stdout: c.App.Writer, terminal: term.IsTerminal(int(os.Stderr.Fd()))}
	defer out.endLine()
	ctx, stopping := watchSignals(c.Context)
	defer stopping.cancel(nil)
	if p.name+p.folder != "" && !c.Bool("dry-run") && !c.Bool("clean") {
		if err := p.checkOutputs(cmp.Or(p.name, filepath.Join(p.folder, defaultName("", time.Now())))); err != nil {
			return withCode(exitUsage, err)
		}
	}
	r, err := record.Connect(ctx, p.Options, out.event)
	if c.Bool("clean") && r != nil && r.Facts != nil {
		return withCode(exitRecord, r.Clean(ctx))
	}
	if err != nil {
		return withCode(exitDevice, err)
	}
	if p.name == "" {
		p.name = filepath.Join(p.folder, defaultName(r.Facts.Model, time.Now()))
		if err := p.checkOutputs(p.name); err != nil {
			return withCode(exitUsage, err)
		}
	}
	if c.Bool("dry-run") {
		return out.dryRun(r, p)
	}
	recording := &recording{plan: p, steps: out, command: c, stopping: stopping, recorder: r, input: readLines(os.Stdin)}
	switch {
	case p.ring:
		err = recording.recordRing(ctx)
	case p.runs > 0:
		err = recording.recordRuns(ctx)
	default:
		err = recording.recordOnce(ctx)
	}
	if signalled := (interruption{}); err != nil && errors.As(context.Cause(ctx), &signalled) {
		return signalled
	}
	if err != nil || !p.open {
		return err
	}
	return withCode(exitReceive, recording.openInUI(ctx))
}

// newPlan checks the flags.
func newPlan(c *cli.Context) (*plan, error) {
	p := &plan{
		name: strings.TrimSuffix(c.String("output"), ".ftrace"), runs: c.Int("runs"), ring: c.Bool("ring"),
		drive: c.String("drive"), cold: c.Bool("cold"), open: c.Bool("open"),
	}
	var err error
	if p.Options, err = deviceOptions(c); err != nil {
		return nil, err
	}
	p.Device, p.App, p.Launch, p.Ability = c.String("device"), c.String("app"), c.Bool("launch"), c.String("ability")
	p.Absent = p.drive != ""
	p.Tags, p.Clock, p.Force, p.Keep = c.String("tags"), c.String("clock"), c.Bool("force"), c.Bool("keep")
	for _, d := range []struct {
		flag  string
		value *time.Duration
	}{{"time", &p.time}, {"max", &p.Max}} {
		if *d.value, err = timeOption(c, d.flag); err != nil {
			return nil, err
		}
	}
	if p.BufferKB, err = parseSize(c.String("buffer")); err != nil {
		return nil, &failure{what: "--buffer: " + err.Error()}
	}
	several := p.runs > 0
	if base := filepath.Base(p.name + "x"); base == "x" || base == ".x" || base == "..x" { // the name of a folder, or none
		p.folder, p.name = p.name, ""
	}
	if several && p.folder != "" {
		p.folder, p.name = "", filepath.Clean(p.folder)
	}
	switch {
	case p.Clock != "mono" && p.Clock != "boot":
		err = fmt.Errorf("--clock: %q is not mono or boot", p.Clock)
	case c.IsSet("app") && p.App != record.Front && !device.IsBundle(p.App):
		err = fmt.Errorf("--app: %q is not the name of an application such as com.example.app", p.App)
	case p.Launch && p.App == "":
		err = errors.New("--launch needs --app")
	case p.Ability != "" && !p.Launch:
		err = errors.New("--ability needs --launch")
	case p.runs < 0:
		err = fmt.Errorf("--runs %d: must not be negative", p.runs)
	case several && p.ring:
		err = errors.New("--runs and --ring exclude each other")
	case several && p.time == 0 && p.drive == "":
		err = errors.New("--runs needs -t or --drive, which end each recording")
	case !several && (p.drive != "" || p.cold):
		err = errors.New("--drive and --cold need --runs")
	case c.IsSet("max") && p.time != 0:
		err = errors.New("--max and -t exclude each other")
	case p.ring && p.time != 0:
		err = errors.New("--ring and -t exclude each other")
	case p.open && (several || p.ring):
		err = errors.New("--open shows one recording; it excludes --runs and --ring")
	}
	if err != nil {
		return nil, &failure{what: err.Error(), hint: "ohframe record --help lists the flags"}
	}
	if p.ring && p.BufferKB == 0 {
		p.BufferKB = ringBufferKB
	}
	switch {
	case p.time > 0:
		p.Max = p.time
	case p.ring && !c.IsSet("max"):
		p.Max = time.Hour
	}
	return p, nil
}

// deviceOptions returns the options that deviceFlags set. It refuses arguments.
func deviceOptions(c *cli.Context) (o record.Options, err error) {
	if err := noArguments(c, fmt.Sprintf("ohframe %s --help lists the flags", c.Command.Name)); err != nil {
		return o, err
	}
	o.HDC = c.String("hdc")
	if o.Wait, err = timeOption(c, "wait"); err == nil {
		o.Limit, err = timeOption(c, "hdc-limit")
	}
	return o, err
}

// leastTime is the least time for which something can happen.
const leastTime = time.Millisecond

// timeOption returns the value of a flag that is a time.
func timeOption(c *cli.Context, flag string) (time.Duration, error) {
	d, err := parseTime(c.String(flag))
	if err != nil {
		return 0, &failure{what: "--" + flag + ": " + err.Error(), hint: "a time is a number of seconds, or for example 1m30s"}
	}
	return d, nil
}

// ringBufferKB is four times the default: it decides how many seconds Enter saves.
const ringBufferKB = 4 * 32768

// parseTime parses a duration, or a number of seconds. An empty one is zero.
func parseTime(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if seconds, numberErr := strconv.ParseFloat(s, 64); numberErr == nil {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || d < leastTime || d > 24*time.Hour {
		return 0, fmt.Errorf("%q is not a time from %s to 24h", s, leastTime)
	}
	return d, nil
}

// parseSize parses a size in KB, or with the unit K, M or G. An empty one is zero.
func parseSize(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	units := map[string]int{"": 1, "K": 1, "M": 1024, "G": 1024 * 1024}
	digits := strings.TrimRight(strings.ToUpper(s), "KMG")
	unit, ok := units[strings.ToUpper(s)[len(digits):]]
	n, err := strconv.Atoi(digits)
	if err != nil || !ok || n < 0 || n > device.MaxBufferKB || n*unit < device.MinBufferKB || n*unit > device.MaxBufferKB {
		return 0, fmt.Errorf("%q is not a size from %dK to %dM", s, device.MinBufferKB, device.MaxBufferKB/1024)
	}
	return n * unit, nil
}

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

func defaultName(model string, now time.Time) string {
	if model = unsafeInName.ReplaceAllString(model, "-"); model != "" {
		model += "-"
	}
	return "ohframe-" + model + now.Format("20060102-150405")
}

// outputs are the extensions of the files of a recording.
var outputs = []string{".ftrace", ".meta.json", ".pftrace", ".html"}

// checkOutputs checks that the files can be created, before anything is recorded.
func (p *plan) checkOutputs(name string) error {
	dir := filepath.Dir(name)
	if info, err := os.Stat(dir); err != nil {
		return fileError(dir, err)
	} else if !info.IsDir() {
		return &failure{file: dir, what: "is not a folder"}
	}
	probe, err := atomicfile.Create(name, 0o600)
	if err != nil {
		return fileError(dir, err)
	}
	probe.Discard()
	if p.Force {
		return nil
	}
	paths := []string{name}
	if p.runs == 0 {
		if p.ring && name == p.name {
			name = ringName(name, 1)
		}
		paths = nil
		for _, extension := range outputs {
			paths = append(paths, name+extension)
		}
	}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			return &failure{file: path, what: "exists already", hint: "--force overwrites it; -o NAME chooses another name"}
		}
	}
	return nil
}

// steps prints what happens: words on standard error, with json also objects on
// standard output.
type steps struct {
	json, quiet, terminal bool
	stdout                interface{ Write([]byte) (int, error) }
	progress              bool // there is a progress line without its end
}

func (s *steps) event(e record.Event) {
	if e.Text != "" && (!s.quiet || e.Step == "note" || e.Step == "not cleaned" || e.Step == "waiting") {
		s.endLine()
		fmt.Fprintln(os.Stderr, text.Line(e.Text))
	}
	if !s.json {
		return
	}
	object := map[string]any{"step": e.Step}
	for key, value := range e.Facts {
		object[key] = value
	}
	if line, err := json.Marshal(object); err == nil {
		s.stdout.Write(append(line, '\n')) // run reports errors of standard output
	}
}

// live shows a progress line, on a terminal only.
func (s *steps) live(format string, values ...any) {
	if s.terminal && !s.quiet {
		fmt.Fprintf(os.Stderr, "\r\x1b[2K  "+format, values...)
		s.progress = true
	}
}

// endLine removes the progress line.
func (s *steps) endLine() {
	if s.progress {
		fmt.Fprint(os.Stderr, "\r\x1b[2K")
		s.progress = false
	}
}

// dryRun prints the commands that a recording would run.
func (s *steps) dryRun(r *record.Recorder, p *plan) error {
	t := r.Tracing("00000000")
	commands := []struct{ name, command string }{
		{"begin", t.BeginScript()}, {"finish", t.FinishScript()},
		{"receive", "hdc file recv " + t.TraceFile() + " " + p.name + ".ftrace"},
		{"clean up", device.CloseScript(t.Dir, p.Keep)},
	}
	for _, c := range commands {
		if s.json {
			s.event(record.Event{Step: "command", Facts: map[string]any{"name": c.name, "command": c.command}})
		} else if _, err := fmt.Fprintf(s.stdout, "# %s\n%s\n", c.name, c.command); err != nil {
			return fileError(outputName(standard), err)
		}
	}
	return nil
}
