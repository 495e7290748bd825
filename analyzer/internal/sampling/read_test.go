package sampling_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"ohframe/analyzer/internal/sampling"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/perffile"
	"ohframe/internal/testing/slow"
)

// Samples beyond the limit are counted, and need no memory.
func TestSamplesLimit(t *testing.T) {
	const perBlock = 1000
	n := slow.Of(100_000, 10_000_000)
	limits := trace.Limits{Samples: slow.Of(1<<15, 0)} // 4 Mi by default
	file := &perffile.File{Events: []perffile.Event{{Fields: perffile.SampleFields, Flags: perffile.Frequency, Rate: 1000, IDs: []uint64{7}}}}
	input := &perffile.Repeated{Head: file.Bytes(), N: n / perBlock}
	clear(input.Head[48:56]) // the data goes to the end of the file
	for i := range uint64(perBlock) {
		input.Records = append(input.Records, perffile.Sample(false, 7, 0x1000, 10, int32(10+i%4), 1000*(perBlock-i), 0, 1, nil)...)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	rec := must.Get(sampling.Read(input, input.Size(), perfdata.Options{Limits: limits}))(t)
	runtime.GC()
	runtime.ReadMemStats(&after)
	limit := limits.WithDefaults().Samples
	want := fmt.Sprintf("%d samples beyond the limit (limit: samples); skipped", n-limit)
	if len(rec.Samples) != limit || !slices.Contains(diag.Texts(rec.Warnings), want) {
		t.Errorf("%d samples, %q; want %d, %q", len(rec.Samples), diag.Texts(rec.Warnings), limit, want)
	}
	if !slices.IsSortedFunc(rec.Samples, func(a, b sample.Sample) int { return int(a.Time - b.Time) }) {
		t.Error("not in order of time")
	}
	size := uint64(unsafe.Sizeof(sample.Sample{})) * uint64(limit)
	if grown := after.HeapAlloc - before.HeapAlloc; grown > size*3/2+4<<20 {
		t.Errorf("%d bytes for %d samples of %d", grown, limit, n)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 3*size+4<<20 {
		t.Errorf("%d bytes allocated for %d samples of %d", allocated, limit, n)
	}
	runtime.KeepAlive(rec)
}
