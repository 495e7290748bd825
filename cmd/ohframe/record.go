//go:build !js

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ohframe/internal/atomicfile"
	"ohframe/internal/condition"
	"ohframe/internal/flags"
	"ohframe/internal/pattern"
	"ohframe/internal/record"
	"ohframe/internal/record/device"
	"ohframe/internal/record/meta"
	"ohframe/internal/text"
)

// deviceFlags are the flags of the commands that use hdc.
type deviceFlags struct {
	formatFlag
	Timeout time.Duration `flag:"timeout" usage:"give up if the device is not there after {DURATION}"`
}

// newDeviceFlags returns the defaults. text is the format for people; JSON has an object per line.
func newDeviceFlags(text string) deviceFlags {
	return deviceFlags{formatFlag{flags.ChoiceOf(text, "json")}, time.Minute}
}

type recordFlags struct {
	Time      time.Duration `flag:"time,t" usage:"record for {DURATION}, 10 or 1m30s" default:"until Enter"`
	Name      string        `flag:"output,o" usage:"name the files {NAME}, or put them into FOLDER/"`
	App       string        `flag:"app" usage:"report on the application {BUNDLE[/ABILITY]}"`
	Launch    bool          `flag:"launch" usage:"start it after the recording has begun"`
	DebugUI   bool          `flag:"debug-ui" usage:"name components and state variables; slows the application down; needs --launch"`
	Sample    bool          `flag:"perf" usage:"also sample functions with hiperf, as NAME.perf.data"`
	PerfStack string        `flag:"perf-stack" value:"fp" usage:"unwind by {fp|dwarf}; docs/record.md"`
	Device    string        `flag:"device" usage:"use the device {KEY}; ohframe devices lists them"`
	Tags      string        `flag:"tags" usage:"record the tags {LIST}: a,b, or changes +a,-b"`
	Buffer    string        `flag:"buffer,b" usage:"buffer {SIZE} of each CPU, such as 64M"`
	Drive     string        `flag:"drive" usage:"run {PROGRAM} here during each recording, to swipe"`
	Runs      int64         `flag:"runs" usage:"record {N} times into folder NAME" default:"once"`
	Cold      bool          `flag:"cold" usage:"count the first of several runs, too"`
	Compare   bool          `flag:"compare" usage:"record BASE and NEW in turn, N times each, and compare"`
	failOnFlag
	budgetsFlag
	Open  bool `flag:"open" usage:"open the trace in the Perfetto UI"`
	Force bool `flag:"force" usage:"overwrite files, end recordings of other tools"`
	Clean bool `flag:"clean" usage:"only remove what recordings left on the device"`
	Quiet bool `flag:"quiet,q" usage:"print no progress and no steps"`
	deviceFlags
}

func recordCommand() *cli.Command {
	const hint = "ohframe record --help lists the flags"
	needs := func(needed, reason string, names ...string) flags.Rule {
		return flags.Rule{Flags: names, Needs: needed, Reason: reason, Hint: hint}
	}
	return newCommand(cli.Command{
		Name:      "record",
		Usage:     "record a trace on a connected device, and report its frames",
		ArgsUsage: "[-t DURATION] [-o NAME] [--compare BASE NEW]",
		Description: "It writes NAME.ftrace, NAME.meta.json, NAME.pftrace and NAME.html. The first Ctrl-C ends the\n" +
			"recording and keeps it, the second discards it. --compare records two .hap files, applications\n" +
			"or programs that drive one in turn, and compares them; docs/record.md.",
	}, &recordFlags{deviceFlags: newDeviceFlags("text")}, runRecord,
		needs("launch", ": applications read the parameters when they start", "debug-ui"),
		needs("perf", "", "perf-stack"),
		needs("compare", "", "fail-on", "budgets"),
	)
}

func runRecord(c *call, f *recordFlags) error {
	o, err := f.options(c)
	var failOn condition.Conditions
	if err == nil {
		failOn, err = conditions(c, condition.OfChanges)
	}
	if err == nil {
		err = checkIDs(failOn, "", o.Runs)
	}
	if err == nil && !f.Clean {
		err = checkRecordOutputs(o)
	}
	if err != nil {
		return err
	}
	if !f.Sample {
		c.Perf = "none"
	}
	out := &steps{json: f.Format.Value == "json", quiet: f.Quiet, stdout: c.App.Writer, terminal: term.IsTerminal(int(os.Stderr.Fd()))}
	defer out.endLine()
	r := &receiver{c: c, steps: out, time: o.Time, launch: o.Launch, open: f.Open}
	compared := func(ctx context.Context) error { return r.compare(ctx, o, failOn) }
	h := &record.Host{
		Say: out.event, Progress: out.live, Enter: readLines(os.Stdin), Signals: takeSignals(c.Context), Received: r.received, Compared: compared,
		Interrupted: func(s os.Signal) error { return interruption{s.(syscall.Signal)} },
		Exit:        func(s os.Signal) { os.Exit(interruption{s.(syscall.Signal)}.ExitCode()) },
		After:       recordAfter, DriveEnd: recordDriveEnd,
	}
	if f.Clean {
		return record.Clean(c.Context, o, h)
	}
	return record.Run(c.Context, o, h)
}

// Tests replace these.
var (
	recordAfter    = time.After
	recordDriveEnd = record.DriveEnd
)

// readLines returns a channel with a value for each line of standard input. At its end the
// recording goes on: it may be /dev/null.
func readLines(r io.Reader) <-chan struct{} {
	lines := make(chan struct{})
	go func() {
		scanner := bufio.NewScanner(r)
		for scanner.Scan() {
			lines <- struct{}{}
		}
		_ = scanner.Err() // an error ends the lines, too
	}()
	return lines
}

// options returns the options that the flags set.
func (f *recordFlags) options(c *call) (o record.Options, err error) {
	if !f.Compare {
		if err := noArguments(c, "ohframe record -t 10 -o NAME; ohframe record --help lists the flags"); err != nil {
			return o, err
		}
	}
	if o, err = f.deviceFlags.options(); err != nil {
		return o, err
	}
	o.Device, o.Launch, o.Tags, o.Force, o.Runs, o.Cold, o.DebugUI = f.Device, f.Launch, f.Tags, f.Force, int(f.Runs), f.Cold, f.DebugUI
	o.Perf, o.PerfStack = f.Sample, f.PerfStack
	o.App, o.Ability, _ = strings.Cut(f.App, "/")
	if o.Time = f.Time; c.IsSet("time") {
		if err := checkTime("time", f.Time); err != nil {
			return o, err
		}
	}
	if o.BufferKB, err = parseSize(f.Buffer); err != nil {
		return o, &failure{what: "--buffer: " + err.Error()}
	}
	several := o.Runs > 0 || f.Compare
	o.Name = strings.TrimSuffix(f.Name, ".ftrace")
	if base := filepath.Base(o.Name + "x"); o.Name == "" || !several && (base == "x" || base == ".x" || base == "..x") { // the name of a folder, or none
		o.Name = filepath.Join(o.Name, time.Now().Format("ohframe-20060102-150405"))
	}
	if several && o.Time == 0 {
		o.Time = usualTime
	}
	if f.Compare && !c.IsSet("runs") {
		o.Runs = usualRuns
	}
	switch {
	case c.IsSet("app") && !device.IsBundle(o.App):
		err = fmt.Errorf("--app: %q is not the name of an application such as com.example.app", o.App)
	case o.Launch && o.App == "" && !f.Compare:
		err = errors.New("--launch needs --app")
	case o.PerfStack != "fp" && o.PerfStack != "dwarf":
		err = fmt.Errorf("--perf-stack %q: must be fp or dwarf", o.PerfStack)
	case o.Runs < 0:
		err = fmt.Errorf("--runs %d: must not be negative", o.Runs)
	case several && f.Open:
		err = errors.New("--open shows one recording, and excludes --runs")
	case !several && o.Cold:
		err = errors.New("--cold needs --runs")
	case f.Compare && o.Runs == 0:
		err = errors.New("--runs 0: --compare needs at least one run of each side")
	}
	if err != nil {
		return o, &failure{what: err.Error(), hint: "ohframe record --help lists the flags"}
	}
	if c.IsSet("drive") {
		if o.Drive, err = record.Program(f.Drive); err != nil {
			return o, fmt.Errorf("--drive: %w", err)
		}
	}
	if f.Compare {
		o.Compare, err = record.NewSides(c.Args().Slice(), &o)
	}
	return o, err
}

// What is recorded of several runs unless flags say otherwise: long enough for a hundred
// frames that count, and an even number, so that each side comes as early as the other.
const (
	usualTime = 10 * time.Second
	usualRuns = 6
)

// recordLimit is the time limit of a call of hdc; zero is the default. Tests set it.
var recordLimit time.Duration

// options returns the options that the flags set.
func (f *deviceFlags) options() (o record.Options, err error) {
	o.Wait, o.Limit = f.Timeout, recordLimit
	return o, checkTime("timeout", f.Timeout)
}

// checkTime returns the error of a flag whose duration is too short or too long.
func checkTime(flag string, d time.Duration) error {
	if d < time.Millisecond || d > 24*time.Hour {
		return &failure{what: fmt.Sprintf("--%s: %s is not from 1ms to 24h", flag, d)}
	}
	return nil
}

var sizeForm = pattern.New(`^(\d{1,6})([KMG]?)$`)

// parseSize parses a size in KB, or with the unit K, M or G. An empty one is zero.
func parseSize(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	kb := 0
	if m := sizeForm().FindStringSubmatch(strings.ToUpper(s)); m != nil {
		kb, _ = strconv.Atoi(m[1])
		kb *= map[string]int{"": 1, "K": 1, "M": 1024, "G": 1024 * 1024}[m[2]]
	}
	if kb < device.MinBufferKB || kb > device.MaxBufferKB {
		return 0, fmt.Errorf("%q is not a size from %dK to %dM", s, device.MinBufferKB, device.MaxBufferKB/1024)
	}
	return kb, nil
}

// checkRecordOutputs checks that the files can be created, before anything is recorded.
func checkRecordOutputs(o record.Options) error {
	probe, err := atomicfile.Create(o.Name, 0o600)
	if err != nil {
		return fileError(filepath.Dir(o.Name), err)
	}
	probe.Discard()
	extensions := []string{".ftrace", meta.Extension, meta.Samples, ".pftrace", ".html"}
	if o.Runs > 0 {
		extensions = []string{""}
	}
	for _, extension := range extensions {
		path := o.Name + extension
		_, err := os.Lstat(path)
		switch {
		case err != nil:
		case len(o.Compare) > 0: // runs of another day would be among those that are compared
			return &failure{file: path, what: "exists already", hint: "-o NAME chooses another name"}
		case !o.Force:
			return &failure{file: path, what: "exists already", hint: "--force overwrites it; -o NAME chooses another name"}
		}
	}
	return nil
}

// steps prints what happens: words on standard error, with json also objects on
// standard output.
type steps struct {
	json, quiet, terminal bool
	stdout                io.Writer
	progress              bool // there is a progress line without its end
}

func (s *steps) event(e record.Event) {
	s.endLine()
	if e.Text != "" && (!s.quiet || e.Step == "note" || e.Step == "not cleaned" || e.Step == "waiting") {
		fmt.Fprintln(os.Stderr, text.Line(e.Text))
	}
	if !s.json {
		return
	}
	object := map[string]any{"step": e.Step}
	maps.Copy(object, e.Facts)
	printJSON(s.stdout, object)
}

// printJSON prints an object on a line. run reports errors of standard output.
func printJSON(w io.Writer, object map[string]any) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.Encode(object)
}

// live shows a progress line, on a terminal only.
func (s *steps) live(what string) {
	if s.terminal && !s.quiet {
		fmt.Fprint(os.Stderr, "\r\x1b[2K  "+what)
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
