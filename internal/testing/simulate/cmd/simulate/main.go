// Command simulate writes a generated trace and the truth about its frames. For example, a
// trace with every kind of problem that a frame can have, one for benchmarks, and a short
// one with late frames of a known cause:
//
//	go run ./internal/testing/simulate/cmd/simulate -era 5.1.0 -out trace.ftrace -truth trace.json
//	go run ./internal/testing/simulate/cmd/simulate -capture -size 256MB -out bench.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -cause storage_d -kernel linux -hz 90 -out scene.ftrace
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"ohframe/internal/testing/simulate"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("simulate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "-", "write the trace to `file`; - is standard output")
	truthFile := flags.String("truth", "", "write the truth as JSON to `file`")
	capture := flags.Bool("capture", false, "the mix of lines of a real capture")
	size := int64(64 << 20)
	flags.Func("size", "write `bytes` (with KB, MB or GB) of -capture; 64MB without it", func(s string) (err error) {
		size, err = parseSize(s)
		return err
	})
	cause := flags.String("cause", "", "a scene with late frames of the `cause`: "+strings.Join(simulate.Causes(), ", "))
	era := flags.String("era", "", "spelling of the `release`: "+strings.Join(simulate.Eras(), ", "))
	kernel := flags.String("kernel", string(simulate.KernelHongMeng), "`style` of the kernel's lines: hongmeng, linux")
	hz := flags.Int("hz", 0, "refresh `rate`")
	seed := flags.Uint64("seed", 1, "a `number`; another gives other frames")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	c := simulate.Everything()
	if *capture {
		c = simulate.Capture(size)
	}
	if *era != "" {
		c.Era = *era
	}
	if *hz != 0 {
		c.Rates = []simulate.Rate{{Hz: *hz}}
	}
	c.Seed, c.Kernel = *seed, simulate.Kernel(*kernel)
	var truth *simulate.Truth
	err := writeFile(*out, stdout, func(w io.Writer) (err error) {
		if *cause == "" {
			truth, err = simulate.Write(w, c)
			return err
		}
		scene := simulate.Scene{Cause: simulate.Cause(*cause), Era: *era, Kernel: c.Kernel, RefreshHz: *hz, Seed: *seed}
		truth, err = scene.Generate(w)
		return err
	})
	if err != nil || *truthFile == "" {
		return err
	}
	return writeFile(*truthFile, stdout, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "\t")
		return e.Encode(truth)
	})
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
