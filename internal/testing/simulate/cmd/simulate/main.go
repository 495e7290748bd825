// Command simulate writes a generated trace to standard output: one with the mix of lines of
// a real capture, for benchmarks, one with every kind of problem that a frame can have, or a
// short one with late frames of a known cause, or one of flings, a click and a launch, or one of
// layers: videos, a camera, a game, pages of Flutter and ArkWeb, and Android in a container.
//
//	go run ./internal/testing/simulate/cmd/simulate -capture 256 > bench.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -era 5.1.0 > trace.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -cause storage_d -kernel linux > scene.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -interactions > interactions.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -layers > layers.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -layers -capture 100 > bench.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -queues 10000 > queues.ftrace
//
// With -perf it also writes a recording of hiperf of the same time: with known hot functions, if the
// trace is a scene. -truth writes what is known of them.
//
//	go run ./internal/testing/simulate/cmd/simulate -cause more_work -perf scene.perf.data -truth truth.txt > scene.ftrace
//	go run ./internal/testing/simulate/cmd/simulate -capture 64 -perf bench.perf.data -perf-all -perf-rate 25000 > bench.ftrace
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"

	"ohframe/internal/testing/simulate"
)

func main() {
	config := simulate.Everything()
	capture := flag.Int64("capture", 0, "write so many `MB` with the mix of lines of a real capture")
	cause := flag.String("cause", "", "write a scene with late frames of the `cause`: "+strings.Join(simulate.Causes(), ", "))
	flag.StringVar(&config.Era, "era", config.Era, "spelling of the `release`: "+strings.Join(simulate.Eras(), ", "))
	interactions := flag.Bool("interactions", false, "write three flings, a click and launches")
	layers := flag.Bool("layers", false, "write layers of all kinds of producers; with -capture, with the mix of lines of a real capture")
	queues := flag.Int("queues", 0, "write `N` layers that are shown for a short time each")
	kernel := flag.String("kernel", string(simulate.KernelHongMeng), "`style` of the kernel's lines: hongmeng, linux")
	flag.Uint64Var(&config.Seed, "seed", 1, "a `number`; another one gives other frames")
	perf := flag.String("perf", "", "also write a recording of hiperf of the same time to a `file`")
	truth := flag.String("truth", "", "write what is known of the recording to a `file`")
	clock := flag.String("perf-clock", string(simulate.ClockPerf), "`clock` of the recording: perf, monotonic, boot")
	var recording simulate.Recording
	flag.IntVar(&recording.Rate, "perf-rate", 1000, "`samples` a second of running time of each thread")
	flag.BoolVar(&recording.OffCPU, "perf-offcpu", false, "also sample switches")
	flag.BoolVar(&recording.All, "perf-all", false, "sample the threads of all processes")
	flag.Parse()
	config.Kernel = simulate.Kernel(*kernel)
	var scene simulate.Scene
	switch {
	case *interactions:
		config = like(simulate.Demonstration(), config)
	case *queues > 0:
		config = like(simulate.ManyLayers(*queues), config)
	case *layers && *capture > 0:
		config = simulate.LayeredCapture(*capture << 20)
	case *layers:
		config = like(simulate.Layered(), config)
	case *capture > 0:
		config = simulate.Capture(*capture << 20)
	case *cause != "":
		scene = simulate.Scene{Cause: simulate.Cause(*cause), Kernel: config.Kernel, Seed: config.Seed}
	}
	recording.Clock, recording.Seed = simulate.Clock(*clock), config.Seed
	if err := write(config, scene, recording, *perf, *truth); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

// write writes a scene, or a trace if it has no cause, and a recording and its truth if they have names.
func write(c simulate.Config, s simulate.Scene, r simulate.Recording, perf, truth string) error {
	var samples bytes.Buffer
	var t *simulate.Truth
	var err error
	switch {
	case perf == "" && s.Cause == "":
		_, err = simulate.Write(os.Stdout, c)
	case perf == "":
		_, err = s.Generate(os.Stdout)
	case s.Cause == "":
		t, err = simulate.WriteWithSamples(os.Stdout, &samples, c, r)
	default:
		t, err = s.GenerateWithSamples(os.Stdout, &samples, r)
	}
	if err != nil || perf == "" {
		return err
	}
	if err = os.WriteFile(perf, samples.Bytes(), 0o666); err != nil || truth == "" {
		return err
	}
	return os.WriteFile(truth, describe(t), 0o666)
}

// describe returns what is known of a recording: the offset of its clock, the hot function of each
// cause, and a line for each sample.
func describe(t *simulate.Truth) []byte {
	b := fmt.Appendf(nil, "offset %d\n", int64(t.Recording.Offset))
	for _, c := range t.Causes {
		if h := c.Hot; h != nil {
			b = fmt.Appendf(b, "frame %d %s: thread %d waits=%t %s (%s) %d of %d samples\n",
				c.Vsync, c.Cause, h.TID, h.Waits, h.Function, h.Module, h.Samples, h.All)
		}
	}
	for _, s := range t.Recording.Samples {
		b = fmt.Appendf(b, "%d.%09d thread %d cpu %d off=%t %s: %s (%s)\n",
			int64(s.Time)/1e9, int64(s.Time)%1e9, s.TID, s.CPU, s.OffCPU, s.Slice, s.Function, s.Module)
	}
	return b
}

// like returns a configuration with the era, the seed and the kernel of another.
func like(c, other simulate.Config) simulate.Config {
	c.Era, c.Seed, c.Kernel = other.Era, other.Seed, other.Kernel
	return c
}
