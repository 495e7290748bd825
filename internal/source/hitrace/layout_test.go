package hitrace

import (
	"testing"
	"unsafe"
)

// Event's comment says how its fields lie in a processor's cache.
func TestLayoutOfEvents(t *testing.T) {
	const cacheLine = 64
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("not a 64-bit machine")
	}
	var e Event
	if size := unsafe.Sizeof(e); size != 3*cacheLine {
		t.Errorf("an event has %d bytes, want %d", size, 3*cacheLine)
	}
	if first, last := unsafe.Offsetof(e.Time), unsafe.Offsetof(e.Fields)+unsafe.Sizeof(e.Fields); first < cacheLine || last > 2*cacheLine {
		t.Errorf("what all sinks read is in the bytes from %d to %d, want %d to %d", first, last, cacheLine, 2*cacheLine)
	}
}
