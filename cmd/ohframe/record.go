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
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ohframe/internal/atomicfile"
	"ohframe/internal/condition"
	"ohframe/internal/flags"
	"ohframe/internal/record"
	"ohframe/internal/record/device"
	"ohframe/internal/record/hdc"
	"ohframe/internal/record/meta"
	"ohframe/internal/text"
)

// deviceFlags are the flags of the commands that use hdc.
func deviceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print JSON, one object per line"},
		&cli.StringFlag{Name: "hdc", Usage: "use the hdc at `PATH`"},
		&cli.StringFlag{Name: "wait", Value: "60s", Usage: "wait `TIME` for the device"},
		&cli.StringFlag{Name: "hdc-limit", Value: hdc.DefaultLimit.String(), Usage: "give up a call of hdc after `TIME`"},
	}
}

func recordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "record a trace on a connected device, and report its frames",
		ArgsUsage: "[-t TIME] [-o NAME] [--compare BASE NEW]",
		Description: "It writes NAME.ftrace, NAME.meta.json, NAME.pftrace and NAME.html. The first Ctrl-C ends the\n" +
			"recording and keeps it, the second discards it. --compare records two .hap files, applications\n" +
			"or programs that drive one in turn, and compares them; docs/record.md.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "time", Aliases: []string{"t"}, Usage: "record for `TIME`, 10 or 1m30s, not until Enter"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "name the files `NAME`, or put them into FOLDER/"},
			&cli.StringFlag{Name: "app", Usage: "report on the application `BUNDLE[/ABILITY]`"},
			&cli.BoolFlag{Name: "launch", Usage: "start it after the recording has begun"},
			&cli.BoolFlag{Name: "debug-ui", Usage: "name components and state variables; slows the application down; needs --launch"},
			&cli.BoolFlag{Name: "perf", Usage: "also sample functions with hiperf, as NAME.perf.data"},
			flags.NewNumber(cli.Int64Flag{Name: "perf-rate", Value: 1000, Usage: "sample at `HZ` while a thread runs"}),
			&cli.StringFlag{Name: "perf-stack", Value: "fp", Usage: "unwind by `fp|dwarf`; docs/record.md"},
			&cli.StringFlag{Name: "device", Usage: "use the device `KEY`; ohframe devices lists them"},
			&cli.StringFlag{Name: "tags", Usage: "record the tags `LIST`: a,b, or changes +a,-b"},
			&cli.StringFlag{Name: "buffer", Aliases: []string{"b"}, Usage: "buffer `SIZE` of each CPU, such as 64M"},
			&cli.StringFlag{Name: "drive", Usage: "run `PROGRAM` here during each recording, to swipe"},
			flags.NewNumber(cli.Int64Flag{Name: "runs", Usage: "record `N` times into folder NAME", DefaultText: "once"}),
			&cli.BoolFlag{Name: "cold", Usage: "count the first of several runs, too"},
			&cli.BoolFlag{Name: "compare", Usage: "record BASE and NEW in turn, N times each, and compare"},
			failOnFlag, budgetsFlag,
			&cli.BoolFlag{Name: "open", Usage: "open the trace in the Perfetto UI"},
			&cli.BoolFlag{Name: "force", Usage: "overwrite files, end recordings of other tools"},
			&cli.BoolFlag{Name: "clean", Usage: "only remove what recordings left on the device"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no progress and no steps"},
		}, deviceFlags()...),
		Action: runRecord,
	}
}

func runRecord(c *cli.Context) error {
	o, err := recordOptions(c)
	var failOn condition.Conditions
	if err == nil {
		failOn, err = conditions(c, condition.OfChanges)
	}
	if err == nil && !c.Bool("clean") {
		err = checkRecordOutputs(o)
	}
	if err != nil {
		return err
	}
	out := &steps{json: c.Bool("json"), quiet: c.Bool("quiet"), stdout: c.App.Writer, terminal: term.IsTerminal(int(os.Stderr.Fd()))}
	defer out.endLine()
	r := &receiver{c: c, steps: out, time: o.Time, launch: o.Launch}
	compared := func(ctx context.Context) error { return r.compare(ctx, o, failOn) }
	h := &record.Host{
		Say: out.event, Progress: out.live, Enter: readLines(os.Stdin), Signals: takeSignals(c.Context), Received: r.received, Compared: compared,
		Interrupted: func(s os.Signal) error { return interruption{s.(syscall.Signal)} },
		Exit:        func(s os.Signal) { os.Exit(interruption{s.(syscall.Signal)}.ExitCode()) },
		After:       recordAfter, DriveEnd: recordDriveEnd,
	}
	if c.Bool("clean") {
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
	}()
	return lines
}

// recordOptions returns the options that the flags set.
func recordOptions(c *cli.Context) (o record.Options, err error) {
	if o, err = deviceOptions(c); err != nil {
		return o, err
	}
	o.Device, o.Launch, o.Tags, o.Force = c.String("device"), c.Bool("launch"), c.String("tags"), c.Bool("force")
	o.Runs, o.Cold, o.DebugUI = c.Int("runs"), c.Bool("cold"), c.Bool("debug-ui")
	o.Perf, o.PerfRate, o.PerfStack = c.Bool("perf"), c.Int("perf-rate"), c.String("perf-stack")
	o.App, o.Ability, _ = strings.Cut(c.String("app"), "/")
	if o.Time, err = timeOption(c, "time"); err != nil {
		return o, err
	}
	if o.BufferKB, err = parseSize(c.String("buffer")); err != nil {
		return o, &failure{what: "--buffer: " + err.Error()}
	}
	several := o.Runs > 0 || c.Bool("compare")
	o.Name = strings.TrimSuffix(c.String("output"), ".ftrace")
	if base := filepath.Base(o.Name + "x"); o.Name == "" || !several && (base == "x" || base == ".x" || base == "..x") { // the name of a folder, or none
		o.Name = filepath.Join(o.Name, time.Now().Format("ohframe-20060102-150405"))
	}
	if several && o.Time == 0 {
		o.Time = usualTime
	}
	if c.Bool("compare") && !c.IsSet("runs") {
		o.Runs = usualRuns
	}
	switch {
	case c.IsSet("app") && !device.IsBundle(o.App):
		err = fmt.Errorf("--app: %q is not the name of an application such as com.example.app", o.App)
	case o.Launch && o.App == "" && !c.Bool("compare"):
		err = errors.New("--launch needs --app")
	case o.DebugUI && !o.Launch:
		err = errors.New("--debug-ui needs --launch: applications read the parameters when they start")
	case !o.Perf && (c.IsSet("perf-rate") || c.IsSet("perf-stack")):
		err = errors.New("--perf-rate and --perf-stack need --perf")
	case o.PerfRate < 1 || o.PerfRate > device.MaxSampleRate:
		err = fmt.Errorf("--perf-rate %d: must be from 1 to %d", o.PerfRate, device.MaxSampleRate)
	case o.PerfStack != "fp" && o.PerfStack != "dwarf":
		err = fmt.Errorf("--perf-stack %q: must be fp or dwarf", o.PerfStack)
	case o.Runs < 0:
		err = fmt.Errorf("--runs %d: must not be negative", o.Runs)
	case several && c.Bool("open"):
		err = errors.New("--open shows one recording, and excludes --runs")
	case !several && o.Cold:
		err = errors.New("--cold needs --runs")
	case c.Bool("compare") && o.Runs == 0:
		err = errors.New("--runs 0: --compare needs at least one run of each side")
	case !c.Bool("compare") && (c.IsSet("fail-on") || c.IsSet("budgets")):
		err = errors.New("--fail-on and --budgets need --compare")
	}
	if err != nil {
		return o, &failure{what: err.Error(), hint: "ohframe record --help lists the flags"}
	}
	if c.IsSet("drive") {
		if o.Drive, err = record.Program(c.String("drive")); err != nil {
			return o, fmt.Errorf("--drive: %w", err)
		}
	}
	if c.Bool("compare") {
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

// deviceOptions returns the options that deviceFlags set. It refuses arguments, which only
// --compare has.
func deviceOptions(c *cli.Context) (o record.Options, err error) {
	if !c.Bool("compare") {
		if err := noArguments(c, fmt.Sprintf("ohframe %s --help lists the flags", c.Command.Name)); err != nil {
			return o, err
		}
	}
	o.HDC = c.String("hdc")
	if o.Wait, err = timeOption(c, "wait"); err == nil {
		o.Limit, err = timeOption(c, "hdc-limit")
	}
	return o, err
}

// timeOption returns the value of a flag that is a duration, or a number of seconds; zero
// if it is empty.
func timeOption(c *cli.Context, flag string) (time.Duration, error) {
	s := c.String(flag)
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if seconds, numberErr := strconv.ParseFloat(s, 64); numberErr == nil {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || d < time.Millisecond || d > 24*time.Hour {
		return 0, &failure{what: fmt.Sprintf("--%s: %q is not a time from 1ms to 24h", flag, s), hint: "a time is a number of seconds, or for example 1m30s"}
	}
	return d, nil
}

var sizeForm = regexp.MustCompile(`^(\d{1,6})([KMG]?)$`)

// parseSize parses a size in KB, or with the unit K, M or G. An empty one is zero.
func parseSize(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	kb := 0
	if m := sizeForm.FindStringSubmatch(strings.ToUpper(s)); m != nil {
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
