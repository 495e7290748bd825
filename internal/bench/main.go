// Command bench measures ohframe on a large trace: each stage in this process, the
// command as a user runs it, and the time in which Perfetto's engine loads the
// result. Because machines differ, times are relative to "wc -l" on the same file,
// which reads every byte and does little else.
//
//	bench [-trace FILE] [-runs N] [-engine]
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/exporter"
	"ohframe/internal/simulate/rawfile"
)

func main() {
	trace := flag.String("trace", "build/bench-256MB.ftrace", "the text trace to measure on")
	program := flag.String("ohframe", "bin/ohframe", "the command to measure")
	runs := flag.Int("runs", 5, "how often each thing is run; the median counts")
	withEngine := flag.Bool("engine", false, "measure loading into Perfetto's engine too")
	flag.Parse()
	b := &bench{trace: *trace, program: *program, runs: *runs}
	if err := b.run(*withEngine); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

type bench struct {
	trace, program string
	runs           int
	size           int64
	wc             time.Duration
	out            *tabwriter.Writer
	directory      string
}

func (b *bench) run(withEngine bool) error {
	info, err := os.Stat(b.trace)
	if err != nil {
		return err
	}
	b.size = info.Size()
	if b.directory, err = os.MkdirTemp("", "ohframe-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.directory)
	b.out = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Printf("%s, %.0f MB, median of %d runs\n", b.trace, float64(b.size)/1e6, b.runs)
	fmt.Fprintln(b.out, "\ttime\tMB/s\t× wc -l\tpeak MB\t")
	steps := []func() error{b.count, b.stages, b.commands, b.binary}
	if withEngine {
		steps = append(steps, b.engine)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return b.out.Flush()
}

// count measures wc -l, once to fill the page cache and then for its time.
func (b *bench) count() error {
	if _, _, err := b.exec("wc", "-l", b.trace); err != nil {
		return err
	}
	took, peak, err := b.exec("wc", "-l", b.trace)
	b.wc = took
	b.row("wc -l", took, peak)
	return err
}

// stages measures the stages of the pipeline in this process.
func (b *bench) stages() error {
	for _, stage := range []struct {
		name string
		run  func(ctx context.Context, r io.Reader) error
	}{
		{"reading", func(ctx context.Context, r io.Reader) error {
			_, err := hitrace.Run(ctx, r, hitrace.Options{}, hitrace.Sink{Track: func(int, *hitrace.Batch) {}})
			return err
		}},
		{"reading and analysis", func(ctx context.Context, r io.Reader) error {
			_, _, err := analyzer.Analyze(ctx, r, hitrace.Options{}, analyzer.Options{})
			return err
		}},
		{"reading, analysis and export", func(ctx context.Context, r io.Reader) error {
			_, err := exporter.Convert(ctx, r, io.Discard, exporter.Options{})
			return err
		}},
	} {
		took, err := b.median(func() error {
			f, err := os.Open(b.trace)
			if err != nil {
				return err
			}
			defer f.Close()
			return stage.run(context.Background(), f)
		})
		if err != nil {
			return err
		}
		b.row(stage.name, took, 0)
	}
	return nil
}

// commands measures the command as a user runs it.
func (b *bench) commands() error {
	one, two := time.Duration(0), time.Duration(0)
	for _, c := range []struct {
		name string
		took *time.Duration
		args []string
	}{
		{"ohframe frames", nil, []string{"frames", b.trace, "--format", "csv"}},
		{"ohframe convert --events none", nil, b.convert("frames", "--events", "none")},
		{"ohframe convert", &two, b.convert("trace")},
		{"ohframe convert --workers 1", &one, b.convert("single", "--workers", "1")},
		{"ohframe convert --compress", nil, b.convert("compressed", "--compress")},
	} {
		took, peak, err := b.exec(b.program, c.args...)
		if err != nil {
			return err
		}
		if c.took != nil {
			*c.took = took
		}
		b.row(c.name, took, peak)
	}
	b.out.Flush()
	fmt.Printf("all workers against one: %.2f ×\n", float64(one)/float64(two))
	for _, name := range []string{"trace", "compressed"} {
		info, err := os.Stat(b.output(name))
		if err != nil {
			return err
		}
		fmt.Printf("size of %s against text: %.1f %%\n", name, 100*float64(info.Size())/float64(b.size))
	}
	return nil
}

func (b *bench) output(name string) string { return filepath.Join(b.directory, name+".pftrace") }

func (b *bench) convert(name string, flags ...string) []string {
	return append([]string{"convert", b.trace, "--quiet", "-o", b.output(name)}, flags...)
}

// binarySize is the size of the text that is measured as binary traces, too.
const binarySize = 64 << 20

// binary measures frames of the same events as text and as binary traces, and the text
// of a binary trace. Unlike other times, these are processor time.
func (b *bench) binary() error {
	text, err := b.head(binarySize)
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
	var ofText time.Duration
	b.out.Flush()
	for _, f := range []struct {
		name string
		data []byte
	}{{"ftrace", text}, {"sys", sys}, {"linux.sys", linux}, {"htrace", htrace}} {
		path := filepath.Join(b.directory, "trace."+f.name)
		if err := os.WriteFile(path, f.data, 0o600); err != nil {
			return err
		}
		took, err := b.processor("frames", path, "--format", "csv")
		if err != nil {
			return err
		}
		if f.name == "ftrace" {
			ofText = took
		}
		fmt.Printf("frames of %s: %.0f ms of processor time, %.0f MB/s of the file, %.2f × the text\n", f.name, float64(took)/1e6, float64(len(f.data))/1e6/took.Seconds(), float64(took)/float64(ofText))
		if f.name == "ftrace" {
			continue
		}
		if took, err = b.processor("text", path, "-o", path+".txt"); err != nil {
			return err
		}
		fmt.Printf("text of %s: %.0f ms of processor time, %.0f MB/s of the file\n", f.name, float64(took)/1e6, float64(len(f.data))/1e6/took.Seconds())
	}
	return nil
}

// engineSize is the size of the text that the engine loads.
const engineSize = 32 << 20

// engine measures the processor time in which Perfetto's engine loads the text and its
// conversions.
func (b *bench) engine() error {
	text := filepath.Join(b.directory, "engine.ftrace")
	content, err := b.head(engineSize)
	if err != nil {
		return err
	}
	if err := os.WriteFile(text, content, 0o600); err != nil {
		return err
	}
	files := []string{text}
	for _, events := range exporter.EventsNames {
		files = append(files, b.output("engine-"+events))
		if out, err := exec.Command(b.program, "convert", "--quiet", "--events", events, text, "-o", files[len(files)-1]).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	out, err := exec.Command("node", append([]string{"internal/engine/loadtimes.mjs", strconv.Itoa(b.runs)}, files...)...).Output()
	if err != nil {
		return err
	}
	b.out.Flush()
	var ofText float64
	for i, field := range strings.Fields(string(out)) {
		took, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return err
		}
		if i == 0 {
			ofText = took
		}
		info, err := os.Stat(files[i])
		if err != nil {
			return err
		}
		fmt.Printf("engine loads %s, %.1f %% of the text: %.0f ms of processor time, %.2f × faster\n", filepath.Base(files[i]), 100*float64(info.Size())/float64(len(content)), took, ofText/took)
	}
	return nil
}

// head returns the first lines of the trace, of at most so many bytes.
func (b *bench) head(size int64) ([]byte, error) {
	f, err := os.Open(b.trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, min(size, b.size))
	_, err = io.ReadFull(f, text)
	return text[:bytes.LastIndexByte(text, '\n')+1], err
}

// exec runs a command several times and returns its median time and its peak memory.
func (b *bench) exec(name string, args ...string) (took time.Duration, peak int64, err error) {
	took, err = b.median(func() error {
		cmd := exec.Command(name, args...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
		peak = max(peak, peakMemory(cmd.ProcessState))
		return nil
	})
	return took, peak, err
}

// processor runs ohframe several times on one processor and returns the least processor
// time.
func (b *bench) processor(args ...string) (time.Duration, error) {
	least := time.Duration(math.MaxInt64)
	for range b.runs {
		cmd := exec.Command(b.program, args...)
		cmd.Env, cmd.Stderr = append(os.Environ(), "GOMAXPROCS=1"), os.Stderr
		if err := cmd.Run(); err != nil {
			return 0, err
		}
		least = min(least, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	return least, nil
}

func (b *bench) median(f func() error) (time.Duration, error) {
	var times []time.Duration
	for range b.runs {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

func (b *bench) row(name string, took time.Duration, peak int64) {
	memory := ""
	if peak > 0 {
		memory = strconv.FormatInt(peak/1e6, 10)
	}
	fmt.Fprintf(b.out, "%s\t%.0f ms\t%.0f\t%.1f\t%s\t\n", name, float64(took)/1e6, float64(b.size)/1e6/took.Seconds(), float64(took)/float64(b.wc), memory)
}
