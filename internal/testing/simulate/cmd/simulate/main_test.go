package main

import (
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// Options count for every kind of trace.
func TestOptions(t *testing.T) {
	for _, kind := range [][]string{nil, {"-capture", "1"}, {"-interactions"}, {"-layers"}} {
		config, _, _ := options(append(kind, "-seed", "7", "-era", "5.1.0", "-kernel", "linux"))
		must.Equal(t, config.Seed, 7, "%q", kind)
		must.Equal(t, config.Era, "5.1.0", "%q", kind)
		must.Equal(t, config.Kernel, simulate.KernelLinux, "%q", kind)
	}
	config, _, _ := options([]string{"-capture", "1"})
	must.Equal(t, config.Seed, simulate.Capture(1).Seed)
	must.Equal(t, config.Era, simulate.Capture(1).Era)
}
