// Package hostiletest checks that what reads an input needs bounded memory and
// linear processor time for inputs that no device writes.
//
//	Input ─▶ Reader.Check ─▶ memory   small limits, peak of the heap, warnings
//	                         time     n/2 and 4n pieces
//	                         defaults default limits
package hostiletest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

const (
	// eagerGC lets the heap grow by a fifth between collections, so that its size is
	// close to the memory in use.
	eagerGC  = 20
	interval = 2 * time.Millisecond
)

// Peak returns the peak growth of the heap during run, in bytes.
func Peak(run func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(eagerGC))
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before := read()
	peak := before
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(interval):
				peak = max(peak, read())
			}
		}
	}()
	run()
	last := read()
	close(stop)
	<-stopped
	return max(peak, last) - before
}

// attempts is the number of times that a measurement is repeated before it fails a
// test: other programs disturb it, for example by delaying the collector.
const attempts = 3

// CheckPeak fails the test if the heap grows by more than most bytes during run. It
// repeats run if so.
func CheckPeak(t testing.TB, most uint64, run func()) {
	t.Helper()
	var peak uint64
	for range attempts {
		peak = Peak(run)
		t.Logf("the heap grew by %d MB", peak>>20)
		if peak <= most {
			return
		}
	}
	t.Errorf("the heap grew by %d MB, want at most %d MB", peak>>20, most>>20)
}
