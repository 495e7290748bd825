package simulate

import (
	"fmt"
	"strings"
)

// Summary counts the frames of each kind and fact, one to a line.
func (t *Truth) Summary() string {
	var b strings.Builder
	for _, row := range []struct {
		name string
		has  func(f *Frame) bool
	}{
		{"application frames", func(f *Frame) bool { return f.Kind == AppFrame }},
		{"  of workers", func(f *Frame) bool { return f.Kind == AppFrame && int(f.TID) != int(f.PID) }},
		{"  late", func(f *Frame) bool { return f.Kind == AppFrame && f.Late }},
		{"  empty", func(f *Frame) bool { return f.Kind == AppFrame && f.Empty }},
		{"  misaligned", func(f *Frame) bool { return f.Kind == AppFrame && f.Misaligned }},
		{"  coalesced", func(f *Frame) bool { return f.Kind == AppFrame && f.Coalesced > 0 }},
		{"  with several transactions", func(f *Frame) bool { return len(f.Indices) > 1 }},
		{"  never taken", func(f *Frame) bool { return len(f.Indices) > 0 && f.TakenBy == nil }},
		{"  truncated", func(f *Frame) bool { return f.Kind == AppFrame && f.Truncated }},
		{"render frames", func(f *Frame) bool { return f.Kind == RenderFrame }},
		{"  late on the main thread", func(f *Frame) bool { return f.LateMain }},
		{"  late on the GPU", func(f *Frame) bool { return f.LateGPU }},
		{"  empty", func(f *Frame) bool { return f.Kind == RenderFrame && f.Empty }},
		{"  misaligned", func(f *Frame) bool { return f.Kind == RenderFrame && f.Misaligned }},
		{"  coalesced", func(f *Frame) bool { return f.Kind == RenderFrame && f.Coalesced > 0 }},
		{"  with GPU work", func(f *Frame) bool { return len(f.GPU) > 0 }},
		{"  committed", func(f *Frame) bool { return f.Commit.Known() }},
		{"  presented", func(f *Frame) bool { return f.Present.Known() }},
		{"  presented, estimated", func(f *Frame) bool { return f.PresentEstimated }},
		{"  truncated", func(f *Frame) bool { return f.Kind == RenderFrame && f.Truncated }},
	} {
		n := 0
		for _, f := range t.Frames {
			if row.has(f) {
				n++
			}
		}
		fmt.Fprintf(&b, "%5d %s\n", n, row.name)
	}
	fmt.Fprintf(&b, "%5d transactions outside frames\n%5d GPU works outside frames\n", t.OutsideTransactions, t.OutsideGPU)
	return b.String()
}
