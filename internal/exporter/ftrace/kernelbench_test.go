package ftrace

import (
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/tracetest"
)

// otherKernelLines are events without a known format.
var otherKernelLines = [...]struct{ event, args string }{
	{"ufshcd_command", "complete_rsp: ufs: tag: 3, DB: 0x0, size: 4096, IS: 0, LBA: 700120, opcode: 0x28"},
	{"ext4_da_write_begin", "dev 8,16 ino 3 pos 4096 len 512 flags 0"},
	{"thermal_power_cpu_limit", "cpus=000000f0 freq=1804800 cdev_state=2 power=350"},
}

// kernelBenchLines returns an event of each kind.
func kernelBenchLines() []hitrace.Line {
	var lines []hitrace.Line
	for _, c := range kernelCases {
		lines = append(lines, hitrace.Line{Name: []byte(c.event), Args: []byte(c.args)})
	}
	for _, c := range otherKernelLines {
		lines = append(lines, hitrace.Line{Name: []byte(c.event), Args: []byte(c.args)})
	}
	return lines
}

// BenchmarkKernelEvent measures each kind of event.
func BenchmarkKernelEvent(b *testing.B) {
	done := map[string]bool{}
	for _, line := range kernelBenchLines() {
		if name := string(line.Name); !done[name] {
			done[name] = true
			b.Run(name, func(b *testing.B) { benchmarkKernel(b, []hitrace.Line{line}) })
		}
	}
}

// BenchmarkKernelEvents measures them in the mix of a capture, where there is
// one, else one of each.
func BenchmarkKernelEvents(b *testing.B) {
	var lines []hitrace.Line
	for _, path := range tracetest.Paths(b) {
		lines = append(lines, readKernelLines(b, path)...)
	}
	if len(lines) == 0 {
		lines = kernelBenchLines()
	}
	benchmarkKernel(b, lines)
}

// benchmarkKernel measures the events, one at an operation.
func benchmarkKernel(b *testing.B, lines []hitrace.Line) {
	k := newKernelEncoder(trace.DefaultLimits().Strings)
	var buf []byte
	size, n := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		line := &lines[n%len(lines)]
		buf, _ = k.appendEvent(buf[:0], line.Name, line.Args)
		size += len(line.Args)
		n++
	}
	b.SetBytes(int64(size / n))
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
