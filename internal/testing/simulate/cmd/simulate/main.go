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
	config := simulate.Everything()
	capture := flag.Int64("capture", 0, "write so many `MB` with the mix of lines of a real capture")
	cause := flag.String("cause", "", "write a scene with late frames of the `cause`: "+strings.Join(simulate.Causes(), ", "))
	era := flag.String("era", config.Era, "spelling of the `release`: "+strings.Join(simulate.Eras(), ", "))
	interactions := flag.Bool("interactions", false, "write three flings, a click and launches")
	layers := flag.Bool("layers", false, "write layers of all kinds of producers")
	kernel := flag.String("kernel", string(simulate.KernelHongMeng), "`style` of the kernel's lines: hongmeng, linux")
	seed := flag.Uint64("seed", 1, "a `number`; another one gives other frames")
	perf := flag.String("perf", "", "also write a recording of hiperf of the same time to a `file`")
	flag.Parse()
	switch {
	case *interactions:
		config = simulate.Demonstration()
	case *layers:
		config = simulate.Layered()
	}
	config.Era, config.Seed, config.Kernel = *era, *seed, simulate.Kernel(*kernel)
	if *capture > 0 {
		config = simulate.Capture(*capture << 20)
	}
	err := write(config, simulate.Scene{Cause: simulate.Cause(*cause), Kernel: config.Kernel, Seed: *seed}, *perf)
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
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
