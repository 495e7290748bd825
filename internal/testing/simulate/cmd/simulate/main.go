// Command simulate writes a generated trace to standard output: one with every kind of problem that a frame
// can have, or, for benchmarks, one with the mix of lines of a real capture, or a short one with late frames of
// a known cause, one of flings, a click and a launch, or one of layers: videos, a camera, a game, pages of
// Flutter and ArkWeb, and Android in a container. With -perf it also writes a recording of hiperf.
//
//	go run ./internal/testing/simulate/cmd/simulate -capture 256 > bench.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -era 5.1.0 > trace.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -cause storage_d -kernel linux -perf scene.perf.data > scene.ftrace
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"ohframe/internal/testing/simulate"
)

func main() {
	config, scene, perf := options(os.Args[1:])
	if err := write(config, scene, perf); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

// options returns the trace, or else the scene, that arguments ask for, and the name of its recording.
func options(arguments []string) (config simulate.Config, scene simulate.Scene, recording string) {
	config = simulate.Everything()
	flags := flag.NewFlagSet("simulate", flag.ExitOnError)
	capture := flags.Int64("capture", 0, "write so many `MB` with the mix of lines of a real capture")
	cause := flags.String("cause", "", "write a scene with late frames of the `cause`: "+strings.Join(simulate.Causes(), ", "))
	era := flags.String("era", config.Era, "spelling of the `release`: "+strings.Join(simulate.Eras(), ", "))
	interactions := flags.Bool("interactions", false, "write three flings, a click and launches")
	layers := flags.Bool("layers", false, "write layers of all kinds of producers")
	kernel := flags.String("kernel", string(simulate.KernelHongMeng), "`style` of the kernel's lines: hongmeng, linux")
	seed := flags.Uint64("seed", 1, "a `number`; another one gives other frames")
	perf := flags.String("perf", "", "also write a recording of hiperf of the same time to a `file`")
	_ = flags.Parse(arguments) // it exits on an error
	switch {
	case *capture > 0:
		config = simulate.Capture(*capture << 20)
	case *interactions:
		config = simulate.Demonstration()
	case *layers:
		config = simulate.Layered()
	}
	config.Seed = *seed
	flags.Visit(func(given *flag.Flag) {
		switch given.Name {
		case "era":
			config.Era = *era
		case "kernel":
			config.Kernel = simulate.Kernel(*kernel)
		}
	})
	return config, simulate.Scene{Cause: simulate.Cause(*cause), Kernel: simulate.Kernel(*kernel), Seed: *seed}, *perf
}

// write writes a scene, or a trace if it has no cause, and a recording if that has a name.
func write(c simulate.Config, s simulate.Scene, perf string) (err error) {
	recording := io.Discard
	if perf != "" {
		f, err := os.Create(perf)
		if err != nil {
			return err
		}
		defer f.Close()
		recording = f
	}
	switch {
	case perf == "" && s.Cause == "":
		_, err = simulate.Write(os.Stdout, c)
	case s.Cause == "":
		_, err = simulate.WriteWithSamples(os.Stdout, recording, c, simulate.Recording{Seed: c.Seed})
	default:
		_, err = s.GenerateWithSamples(os.Stdout, recording, simulate.Recording{Seed: c.Seed})
	}
	return err
}
