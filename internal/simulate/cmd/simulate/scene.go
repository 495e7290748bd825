package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"ohframe/internal/simulate"
)

// runScene writes a scene and its truth.
func runScene(args []string, stdout, stderr io.Writer) error {
	c := simulate.Scene{Kernel: simulate.KernelHongMeng}
	flags := flag.NewFlagSet("simulate -cause", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "-", "write the trace to `file`; - is standard output")
	truthFile := flags.String("truth", "", "write the truth as JSON to `file`")
	flags.StringVar((*string)(&c.Cause), "cause", "", "`name` of the cause: "+strings.Join(simulate.Causes(), ", "))
	flags.StringVar((*string)(&c.Second), "second", "", "`name` of a second cause in the same frames")
	flags.IntVar(&c.First, "first", 50, "`per cent` of the injected time that the first cause gets")
	flags.StringVar((*string)(&c.Kernel), "kernel", string(c.Kernel), "`style` of the scheduler's lines: "+strings.Join(simulate.Kernels(), ", "))
	flags.StringVar(&c.Era, "era", "", "spelling of the `release`: "+strings.Join(simulate.Eras(), ", "))
	flags.IntVar(&c.RefreshHz, "hz", 60, "refresh `rate`")
	flags.Uint64Var(&c.Seed, "seed", 1, "a `number`; another gives other frames")
	flags.IntVar(&c.Frames, "frames", 0, "`number` of vsyncs; 0 is enough for the cause")
	flags.IntVar(&c.Injected, "injected", 90, "injected time in `per cent` of the period")
	flags.BoolVar(&c.InBuild, "in-build", false, "inject into FlushBuild in place of FlushLayoutTask")
	flags.StringVar((*string)(&c.Usual), "usual", "", "`name` of a cause that the other frames have a little of")
	flags.BoolVar(&c.Noise, "noise", false, "add threads that do not matter")
	flags.BoolVar(&c.Decoys, "decoys", false, "add slices to frames that are on time")
	flags.BoolVar(&c.NoBlockedReason, "no-blocked-reason", false, "leave out sched_blocked_reason")
	flags.DurationVar((*time.Duration)(&c.ClockOffset), "clock-offset", 0, "`time` the device has slept")
	flags.BoolVar(&c.CRLF, "crlf", false, "lines end with CR and LF")
	flags.BoolVar(&c.NoTGID, "no-tgid", false, "leave out the TGID column")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	var truth *simulate.SceneTruth
	err := writeFile(*out, stdout, func(w io.Writer) (err error) {
		truth, err = c.Generate(w)
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range truth.Causes {
		fmt.Fprintf(stderr, "%s frame %d: %s, %.3f ms %s %s %s\n", t.Kind, t.Vsync, t.Cause, float64(t.NS)/1e6, t.Wait, t.Slice, t.Culprit)
	}
	if *truthFile == "" {
		return nil
	}
	return writeFile(*truthFile, stdout, truth.WriteJSON)
}
