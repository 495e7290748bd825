// Command simulate writes a generated trace and the truth about its frames. The files in
// testdata come from
//
//	go run ./internal/simulate/cmd/simulate -demo -out testdata/demo.ftrace -truth testdata/demo.frames.json
//
// With -cause it writes a short scene with late frames of that cause:
//
//	go run ./internal/simulate/cmd/simulate -cause storage_d -kernel linux -hz 90 -out scene.ftrace -truth scene.json
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/simulate"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	if slices.ContainsFunc(args, func(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, "-"), "cause") }) {
		return runScene(args, stdout, stderr)
	}
	out, truthFile := "-", ""
	c, err := configure(args, stderr, &out, &truthFile)
	if err != nil {
		return err
	}
	var truth *simulate.Truth
	err = writeFile(out, stdout, func(w io.Writer) error {
		truth, err = simulate.Write(w, c)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprint(stderr, truth.Summary())
	if truthFile == "" {
		return nil
	}
	return writeFile(truthFile, stdout, truth.WriteJSON)
}

// configure parses the flags. The presets are parsed first: -demo and -capture replace
// the whole configuration, and the flags after them change it.
func configure(args []string, stderr io.Writer, out, truthFile *string) (simulate.Config, error) {
	c := simulate.Default()
	apps := func(change func(a *simulate.App)) {
		for i := range c.Apps {
			change(&c.Apps[i])
		}
	}
	flags := flag.NewFlagSet("simulate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(out, "out", *out, "write the trace to `file`; - is standard output")
	flags.StringVar(truthFile, "truth", "", "write the truth as JSON to `file`")
	preset := func(name, usage string, make func() simulate.Config) {
		flags.BoolFunc(name, usage, func(string) error { c = make(); return nil })
	}
	preset("demo", "the README's demo", simulate.Demo)
	preset("capture", "64 MB with the mix of lines of a real capture", func() simulate.Config { return simulate.Capture(64 << 20) })

	flags.Func("era", "spelling of the `release`: "+strings.Join(simulate.Eras(), ", "), func(s string) error { c.Era = s; return nil })
	flags.Func("seed", "a `number`; another gives other frames", func(s string) (err error) {
		c.Seed, err = strconv.ParseUint(s, 10, 64)
		return err
	})
	duration := func(d *trace.Duration) func(string) error {
		return func(s string) error {
			v, err := time.ParseDuration(s)
			*d = trace.Duration(v)
			return err
		}
	}
	flags.Func("duration", "`length` of the trace", duration(&c.Duration))
	flags.Func("clock-offset", "`time` the device has slept", duration(&c.ClockOffset))
	flags.Func("app-phase", "`time` from render_service's vsync to the applications'", duration(&c.AppPhase))
	flags.Func("size", "write `bytes` (with KB, MB or GB) in place of a duration", func(s string) (err error) {
		c.Size, err = parseSize(s)
		return err
	})
	flags.Func("rates", "refresh rates, `as` 120,60@350ms", func(s string) (err error) {
		c.Rates, err = parseRates(s)
		return err
	})
	flags.Func("apps", "`number` of applications", func(s string) error {
		n, err := strconv.Atoi(s)
		c.Apps = nil
		for i := range n {
			c.Apps = append(c.Apps, simulate.App{Bundle: fmt.Sprintf("com.example.app%d", i), PID: trace.PID(20000 + 100*i)})
		}
		return err
	})
	flags.Func("workers", "`number` of worker UI threads in each application", func(s string) error {
		n, err := strconv.Atoi(s)
		apps(func(a *simulate.App) { a.Workers = n })
		return err
	})
	flags.Func("instances", "`number` of UI instances in each application", func(s string) error {
		n, err := strconv.Atoi(s)
		apps(func(a *simulate.App) { a.Instances = n })
		return err
	})
	flags.Func("chance", "set a probability, `as` app-late=0.1; may be repeated: "+strings.Join(simulate.ChanceNames(), ", "), func(s string) error {
		name, value, _ := strings.Cut(s, "=")
		p, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return err
		}
		return c.Chances.Set(name, p)
	})
	toggle := func(name, usage string, b *bool) {
		flags.BoolFunc(name, usage, func(s string) (err error) { *b, err = strconv.ParseBool(s); return err })
	}
	toggle("gpu", "queue GPU work", &c.GPU)
	toggle("fences", "report when frames are shown", &c.PresentFences)
	toggle("detail", "add markers that are no part of a frame", &c.Detail)
	toggle("no-debug-markers", "leave out what only a debug property turns on", &c.NoDebugMarkers)
	toggle("cut-start", "begin in the middle of frames", &c.CutStart)
	toggle("cut-end", "end in the middle of frames", &c.CutEnd)
	flags.Func("kernel", "`style` of the scheduler's lines: "+strings.Join(simulate.Kernels(), ", "), func(s string) error { c.Kernel = simulate.Kernel(s); return nil })
	flags.Func("background", "`lines` a second to fill up to with other processes' work", func(s string) (err error) {
		c.Background, err = strconv.Atoi(s)
		return err
	})
	flags.Func("header", "`style` of the header: "+strings.Join(simulate.Headers(), ", "), func(s string) error { c.Text.Header = simulate.Header(s); return nil })
	flags.Func("tgid", "`style` of the TGID column: "+strings.Join(simulate.TGIDs(), ", "), func(s string) error { c.Text.TGID = simulate.TGID(s); return nil })
	flags.Func("mark", "`name` of the marker event: "+strings.Join(simulate.Marks(), ", "), func(s string) error { c.Text.Mark = simulate.Mark(s); return nil })
	flags.Func("flags", "`number` of flag characters, 4 to 8", func(s string) (err error) {
		c.Text.Flags, err = strconv.Atoi(s)
		return err
	})
	toggle("ns", "times in nanoseconds", &c.Text.Nanoseconds)
	toggle("crlf", "lines end with CR and LF", &c.Text.CRLF)
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return c, err
}

func parseSize(s string) (int64, error) {
	unit := int64(1)
	for i, suffix := range []string{"KB", "MB", "GB"} {
		if number, ok := strings.CutSuffix(s, suffix); ok {
			s, unit = number, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n * unit, err
}

func parseRates(s string) ([]simulate.Rate, error) {
	var rates []simulate.Rate
	for _, part := range strings.Split(s, ",") {
		hz, from, later := strings.Cut(part, "@")
		n, err := strconv.Atoi(hz)
		if err != nil {
			return nil, err
		}
		rate := simulate.Rate{Hz: n}
		if later {
			d, err := time.ParseDuration(from)
			if err != nil {
				return nil, err
			}
			rate.From = trace.Duration(d)
		}
		rates = append(rates, rate)
	}
	return rates, nil
}

// writeFile writes to a file, or to standard output for "-".
func writeFile(name string, stdout io.Writer, write func(io.Writer) error) error {
	if name == "-" {
		return write(stdout)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
