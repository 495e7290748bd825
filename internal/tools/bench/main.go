// Command bench measures ohframe against its aims, as ratios that depend little on the
// machine: the processor time of commands in turns on one processor, the least of several
// runs, and peak memory on all processors. With the program of another commit as -before,
// that is measured in the same turns.
//
//	bench [-before PROGRAM] [-runs N] [-engine] [-fleet N] TRACE...
//	bench -profile FILE TRACE
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"ohframe/analyzer/analysis"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/simulate/rawfile"
)

func main() {
	b := &bench{}
	flag.StringVar(&b.program, "ohframe", "bin/ohframe", "the command to measure")
	flag.StringVar(&b.before, "before", "", "the command of another commit")
	flag.StringVar(&b.profile, "profile", "", "measure only the turns of conversions, and keep their profile in `FILE`")
	flag.IntVar(&b.runs, "runs", 5, "how often each thing is run; the least time counts")
	engine := flag.Bool("engine", false, "measure loading into Perfetto's engine too")
	fleet := flag.Int("fleet", 0, "measure a fleet of `N` traces of 1 MB")
	flag.Parse()
	if err := b.run(flag.Args(), *engine, *fleet); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

type bench struct {
	program, before string
	profile         string
	runs            int
	directory       string
	out             *tabwriter.Writer
}

func (b *bench) run(traces []string, engine bool, fleet int) (err error) {
	if b.directory, err = os.MkdirTemp("", "ohframe-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.directory)
	b.out = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	steps := []func(string) error{b.sequential, b.binary}
	if engine {
		steps = append(steps, b.engine)
	}
	// The peak memory of a command is at least this program's own when it starts it, which the other steps make
	// large: commands are measured first, of all traces.
	groups := [][]func(string) error{{b.commands}, steps}
	if b.profile != "" {
		groups = [][]func(string) error{{b.sequential}}
	}
	for _, steps := range groups {
		for _, trace := range traces {
			b.title(trace)
			for _, step := range steps {
				if err := step(trace); err != nil {
					return err
				}
			}
			b.out.Flush()
		}
	}
	if fleet > 0 {
		return b.fleet(fleet)
	}
	return nil
}

func (b *bench) title(name string) {
	fmt.Printf("%s, least of %d runs\n", name, b.runs)
	fmt.Fprintln(b.out, "\tmeasured\taim\tbefore\t")
}

// row prints a value, the aim, and the value of the program before, if it has one.
func (b *bench) row(name, format, aim string, value, before float64) {
	old := ""
	if before > 0 {
		old = fmt.Sprintf(format, before)
	}
	fmt.Fprintf(b.out, "%s\t"+format+"\t%s\t%s\t\n", name, value, aim, old)
}

// runs are the results of running a command with both programs.
type runs struct {
	args         []string
	time, before time.Duration
}

// measure runs commands in turns and stores the least processor time of each.
func (b *bench) measure(list ...*runs) error {
	for _, r := range list {
		r.time, r.before = math.MaxInt64, math.MaxInt64
		if b.before == "" {
			r.before = 0
		}
	}
	for range b.runs {
		for _, r := range list {
			took, _, err := execute(1, b.program, r.args...)
			if err != nil {
				return err
			}
			r.time = min(r.time, took)
			if b.before != "" {
				if took, _, err = execute(1, b.before, r.args...); err != nil {
					return err
				}
				r.before = min(r.before, took)
			}
		}
	}
	return nil
}

// execute runs a command on some processors. It returns its processor time and peak memory.
func execute(processors int, name string, args ...string) (time.Duration, int64, error) {
	cmd := exec.Command(name, args...)
	var message bytes.Buffer
	cmd.Env, cmd.Stderr = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(processors)), &message
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, message.Bytes())
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peakMemory(cmd.ProcessState), nil
}

func (b *bench) file(name string) string { return filepath.Join(b.directory, name) }

// commands compares the commands with each other, and their outputs with the text.
func (b *bench) commands(trace string) error {
	size, err := sizeOf(trace)
	if err != nil {
		return err
	}
	convert := func(output string, flags ...string) *runs {
		return &runs{args: append([]string{"convert", "--quiet", trace, "-o", b.file(output)}, flags...)}
	}
	read := func(command string, flags ...string) *runs {
		return &runs{args: append([]string{command, trace, "--format", "csv"}, flags...)}
	}
	frames, report := read("frames", "--no-causes"), read("report")
	why := &runs{args: []string{"why", trace, "--format", "json"}}
	bare, full, none := convert("bare", "--no-causes"), convert("full"), convert("none", "--events", "none")
	if err := b.measure(frames, report, why, bare, full); err != nil {
		return err
	}
	before := b.before
	b.before = "" // may not have the flags that follow
	err = b.measure(none)
	b.before = before
	if err != nil {
		return err
	}
	for _, r := range []struct {
		name string
		of   *runs
	}{{"frames", frames}, {"report", report}, {"why", why}, {"convert --no-causes", bare}, {"convert", full}, {"convert --events none", none}} {
		b.row(r.name+", ms", "%.0f", "", milliseconds(r.of.time), milliseconds(r.of.before))
	}
	b.row("frames, MB/s", "%.0f", "", rate(size, frames.time), rate(size, frames.before))
	ratio := func(name, aim string, r, to *runs) {
		b.row(name, "%.2f", aim, milliseconds(r.time)/milliseconds(to.time), milliseconds(r.before)/milliseconds(to.before))
	}
	ratio("report / frames", "≤ 1.25", report, frames)
	ratio("why / frames", "≤ 1.25", why, frames)
	ratio("convert / convert --no-causes", "≤ 1.15", full, bare)
	n, err := sizeOf(b.file("full"))
	if err != nil {
		return err
	}
	b.row("output, % of the text", "%.1f", "", 100*float64(n)/float64(size), 0)
	for _, r := range []struct {
		name string
		of   *runs
	}{{"frames", frames}, {"report", report}, {"convert", full}} {
		var peak [2]int64
		for i, program := range []string{b.program, b.before} {
			if program != "" {
				if _, peak[i], err = execute(runtime.NumCPU(), program, r.of.args...); err != nil {
					return err
				}
			}
		}
		b.row(r.name+", peak MB", "%.0f", "≤ 60 for 256 MB, ≤ 200 for 4 GB", float64(peak[0])/1e6, float64(peak[1])/1e6)
	}
	return nil
}

// work is the function in which the workers of a run spend their time. turns are those
// that only one worker at a time is in.
const work = "ohframe/internal/source/hitrace.(*pipeline).work"

var turns = []struct{ name, function string }{
	{"reading", "ohframe/internal/source/hitrace.(*pipeline).read"},
	{"settling", "ohframe/internal/source/hitrace.(*pipeline).settle"},
	{"frames", "ohframe/analyzer/internal/reconstruct.(*builder).track"},
	{"threads", "ohframe/analyzer/internal/why/threads.(*preparer).track"},
	{"plan of the output", "ohframe/exporter/internal/ftrace.(*Planner).Plan"},
	{"writing", "ohframe/internal/source/hitrace.(*pipeline).write"},
}

// profiled is how long conversions are profiled: the time of 1,000 samples.
const profiled = 10 * time.Second

// sequential profiles conversions with one worker for the share of each sequential part.
// What precedes and follows the pipeline is sequential, too. Turns overlap each other, so
// on many processors the longest of them is the limit.
func (b *bench) sequential(trace string) error {
	profile := cmp.Or(b.profile, b.file("profile"))
	f, err := os.Create(profile)
	if err != nil {
		return err
	}
	defer f.Close()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	for start := time.Now(); err == nil && time.Since(start) < profiled; {
		err = convert(trace, b.file("profiled"))
	}
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	out, err := exec.Command("go", "tool", "pprof", "-top", "-cum", "-unit=us", "-nodecount=100000", "-nodefraction=0", profile).Output()
	if err != nil {
		return err
	}
	const main = "main.convert"
	times := map[string]float64{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) >= 6 {
			function := strings.TrimSuffix(strings.Join(fields[5:], " "), " (inline)")
			times[function], _ = strconv.ParseFloat(strings.TrimSuffix(fields[3], "us"), 64)
		}
	}
	longest, rest := 0.0, times[main]
	total := times[work] + rest
	for _, t := range turns {
		if times[t.function] == 0 {
			return fmt.Errorf("no %s in the profile", t.function)
		}
		longest = max(longest, times[t.function])
		b.row("convert, turns of "+t.name+", %", "%.1f", "≤ 12.5", 100*times[t.function]/total, 0)
	}
	b.row("convert, before and after the turns, %", "%.1f", "", 100*rest/total, 0)
	b.row("convert, 8 processors against one, at best", "%.1f", "≥ 4", total/(rest+max(longest, times[work]/8)), 0)
	return nil
}

func convert(trace, output string) error {
	f, err := os.Open(trace)
	if err != nil {
		return err
	}
	defer f.Close()
	out, err := os.Create(output)
	if err != nil {
		return err
	}
	defer out.Close()
	options := pftrace.Options{Analysis: analysis.Options{Causes: true}}
	options.Reader.Workers = 1
	_, err = pftrace.Convert(context.Background(), f, out, options)
	return err
}

// binarySize is the size of the text that is measured as binary traces, too.
const binarySize = 64 << 20

// binary measures frames of the same events as binary traces.
func (b *bench) binary(trace string) error {
	text, err := head(trace, binarySize)
	if err != nil {
		return err
	}
	events, err := rawfile.Parse(text)
	if err != nil {
		return err
	}
	sys, _ := rawfile.Sys(events, rawfile.SysOptions{HongMeng: true})
	linux, _ := rawfile.Sys(events, rawfile.SysOptions{})
	htrace, _ := rawfile.Htrace(events, rawfile.HtraceOptions{Padded: true})
	events = nil
	files := []struct {
		name, aim string
		data      []byte
	}{{"head.ftrace", "", text}, {"hongmeng.sys", "≥ 200", sys}, {"linux.sys", "≥ 200", linux}, {"head.htrace", "", htrace}}
	list := make([]*runs, len(files))
	for i, f := range files {
		if err := os.WriteFile(b.file(f.name), f.data, 0o600); err != nil {
			return err
		}
		list[i] = &runs{args: []string{"frames", b.file(f.name), "--format", "csv"}}
	}
	if err := b.measure(list...); err != nil {
		return err
	}
	for i, f := range files {
		b.row("frames of "+f.name+", MB/s", "%.0f", f.aim, rate(int64(len(f.data)), list[i].time), rate(int64(len(f.data)), list[i].before))
	}
	return nil
}

// engineSize is the size of the text that the engine loads.
const engineSize = 32 << 20

// engine measures the processor time in which Perfetto's engine loads the text and its
// conversions.
func (b *bench) engine(trace string) error {
	content, err := head(trace, engineSize)
	if err != nil {
		return err
	}
	files := []string{b.file("engine.ftrace")}
	if err := os.WriteFile(files[0], content, 0o600); err != nil {
		return err
	}
	for _, events := range []string{"shown", "all", "none"} {
		files = append(files, b.file("engine-"+events))
		if _, _, err := execute(1, b.program, "convert", "--quiet", "--events", events, files[0], "-o", b.file("engine-"+events)); err != nil {
			return err
		}
	}
	out, err := exec.Command("node", append([]string{"internal/testing/engine/loadtimes.mjs", strconv.Itoa(b.runs)}, files...)...).Output()
	if err != nil {
		return err
	}
	var times []float64
	for _, field := range strings.Fields(string(out)) {
		took, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	b.row("engine, import of the text, ms", "%.0f", "", times[0], 0)
	for i, events := range []string{"shown", "all", "none"} {
		aim := ""
		if events == "shown" {
			aim = "≥ 5"
		}
		b.row("engine, import / load of --events "+events, "%.1f", aim, times[0]/times[i+1], 0)
	}
	return nil
}

// fleet compares a fleet of traces of 1 MB with frames of the same files in one process.
func (b *bench) fleet(n int) error {
	folder := b.file("fleet")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	var files []string
	for i := range n {
		config := simulate.Capture(1 << 20)
		config.Seed = uint64(i + 1)
		var text bytes.Buffer
		if _, err := simulate.Write(&text, config); err != nil {
			return err
		}
		files = append(files, filepath.Join(folder, fmt.Sprintf("%d.ftrace", i)))
		if err := os.WriteFile(files[i], text.Bytes(), 0o600); err != nil {
			return err
		}
	}
	of := func(command, format string) *runs {
		return &runs{args: append([]string{command, "--format", format}, files...)}
	}
	frames, why := of("frames", "csv"), of("why", "json")
	bare := &runs{args: []string{"fleet", "run", folder, "-o", b.file("dataset-bare"), "--no-causes"}}
	full := &runs{args: []string{"fleet", "run", folder, "-o", b.file("dataset")}}
	if err := b.measure(frames, why, bare, full); err != nil {
		return err
	}
	b.title(fmt.Sprintf("%d traces of 1 MB", n))
	share := func(name, aim string, r *runs) {
		b.row(name+", % of the throughput of frames", "%.0f", aim, 100*float64(frames.time)/float64(r.time), 100*float64(frames.before)/float64(r.before))
	}
	b.row("frames of all files, ms", "%.0f", "", milliseconds(frames.time), milliseconds(frames.before))
	share("why", "", why)
	share("fleet run --no-causes", "", bare)
	share("fleet run", "≥ 80", full)
	return b.out.Flush()
}

// head returns the first lines of a trace, of at most so many bytes.
func head(trace string, size int64) ([]byte, error) {
	f, err := os.Open(trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, size))
	return text[:bytes.LastIndexByte(text, '\n')+1], err
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// rate returns the throughput in MB/s; 0 without a time.
func rate(size int64, d time.Duration) float64 {
	if d == 0 {
		return 0
	}
	return float64(size) / 1e6 / d.Seconds()
}
