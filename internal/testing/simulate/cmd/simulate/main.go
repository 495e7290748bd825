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
package main

import (
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
	flag.Parse()
	config.Kernel = simulate.Kernel(*kernel)
	var err error
	switch {
	case *interactions:
		_, err = simulate.Write(os.Stdout, like(simulate.Demonstration(), config))
	case *queues > 0:
		_, err = simulate.Write(os.Stdout, like(simulate.ManyLayers(*queues), config))
	case *layers && *capture > 0:
		_, err = simulate.Write(os.Stdout, simulate.LayeredCapture(*capture<<20))
	case *layers:
		_, err = simulate.Write(os.Stdout, like(simulate.Layered(), config))
	case *capture > 0:
		_, err = simulate.Write(os.Stdout, simulate.Capture(*capture<<20))
	case *cause != "":
		_, err = simulate.Scene{Cause: simulate.Cause(*cause), Kernel: config.Kernel, Seed: config.Seed}.Generate(os.Stdout)
	default:
		_, err = simulate.Write(os.Stdout, config)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

// like returns a configuration with the era, the seed and the kernel of another.
func like(c, other simulate.Config) simulate.Config {
	c.Era, c.Seed, c.Kernel = other.Era, other.Seed, other.Kernel
	return c
}
