package samples

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
)

// all are options for everything in a trace without threads.
func all() Options {
	return Options{Process: func(trace.TID) trace.PID { return trace.UnknownPID }}
}

// write returns the packets of a recording.
func write(t testing.TB, rec *sample.Recording, o Options) ([]*perfettopb.TracePacket, Summary) {
	t.Helper()
	var out bytes.Buffer
	w := packet.NewWriter(t.Context(), &out)
	s := Write(w, rec, o)
	w.Flush()
	var pb perfettopb.Trace
	must.Do(t, proto.Unmarshal(out.Bytes(), &pb))
	return pb.GetPacket(), s
}

// chain returns a recording with a stack so deep, whose functions have long names, and samples of
// all its calls.
func chain(depth int) *sample.Recording {
	rec := &sample.Recording{Profile: &sample.Profile{Modules: []sample.Module{{Path: "/lib/a.so"}}}}
	p := rec.Profile
	for i := range int32(depth) {
		p.Functions = append(p.Functions, sample.Function{Name: fmt.Sprint(i, strings.Repeat("x", 1000))})
		p.Frames = append(p.Frames, sample.Frame{Function: i, Address: uint64(i)})
		p.Stacks = append(p.Stacks, sample.Stack{Parent: i - 1, Frame: i})
	}
	for i := range int32(depth) {
		rec.Samples = append(rec.Samples, sample.Sample{Time: trace.Time(i), PID: 1, TID: 1, Event: sample.Unknown, Stack: int32(depth) - 1 - i, Period: 1})
	}
	return rec
}

// decoded returns the stacks of samples, outermost first, by what packets before them say.
func decoded(t *testing.T, packets []*perfettopb.TracePacket) [][]string {
	t.Helper()
	type state struct {
		functions, frames map[uint64]string
		stacks            map[uint64][]string
	}
	states := map[uint32]*state{}
	var list [][]string
	for _, p := range packets {
		id := p.GetTrustedPacketSequenceId()
		s := states[id]
		if p.GetSequenceFlags()&packet.StateCleared != 0 {
			if s != nil {
				t.Error("a sequence begins twice")
			}
			s = &state{map[uint64]string{}, map[uint64]string{}, map[uint64][]string{}}
			states[id] = s
		}
		for _, f := range p.GetInternedData().GetFunctionNames() {
			s.functions[f.GetIid()] = string(f.GetStr())
		}
		for _, f := range p.GetInternedData().GetFrames() {
			if _, twice := s.frames[f.GetIid()]; twice {
				t.Errorf("frame %d twice", f.GetIid())
			}
			s.frames[f.GetIid()] = s.functions[f.GetFunctionNameId()]
		}
		for _, c := range p.GetInternedData().GetCallstacks() {
			names := []string{}
			for _, f := range c.GetFrameIds() {
				names = append(names, s.frames[f])
			}
			s.stacks[c.GetIid()] = names
		}
		if x := p.GetPerfSample(); x != nil {
			list = append(list, s.stacks[x.GetCallstackIid()])
		}
	}
	return list
}

// A stack of more text than may be in a packet is written in several, which are small.
func TestDeepStacks(t *testing.T) {
	rec := chain(1024)
	packets, s := write(t, rec, all())
	if s.Written != len(rec.Samples) || s.Stackless > 0 {
		t.Fatalf("%+v", s)
	}
	for i, p := range packets {
		if n := proto.Size(p); n > 2*maxInterned {
			t.Errorf("packet %d has %d bytes", i, n)
		}
	}
	var names []string
	for _, f := range rec.Profile.Functions {
		names = append(names, f.Name)
	}
	for i, got := range decoded(t, packets) {
		if want := names[:len(names)-i]; !slices.Equal(got, want) {
			t.Fatalf("sample %d has %d calls, want %d", i, len(got), len(want))
		}
	}
}

// Beyond the limit of calls, samples have no stack. Stacks that are known remain.
func TestLimit(t *testing.T) {
	rec := chain(4) // stacks of 4, 3, 2 and 1 calls
	rec.Samples = append(rec.Samples, rec.Samples...)
	o := all()
	o.Calls = 8
	packets, s := write(t, rec, o)
	depths := []int{}
	for _, calls := range decoded(t, packets) {
		depths = append(depths, len(calls))
	}
	// 4 + 3 + 1 calls; the stack of 2 is one too many.
	if want := []int{4, 3, 0, 1, 4, 3, 0, 1}; !slices.Equal(depths, want) || s.Stackless != 2 || s.Written != 8 {
		t.Errorf("stacks of %v calls, want %v; %+v", depths, want, s)
	}
}

// Events beyond the limit share a sequence, which is named after none of them.
func TestEvents(t *testing.T) {
	rec := chain(1)
	rec.Samples = nil
	for i := range int32(40) {
		rec.Profile.Events = append(rec.Profile.Events, sample.Event{Name: fmt.Sprint("event ", i), Period: 7})
		rec.Samples = append(rec.Samples, sample.Sample{PID: 1, TID: 1, Event: i})
	}
	packets, _ := write(t, rec, all())
	names, count := map[uint32]string{}, map[string]int{}
	for _, p := range packets {
		if d := p.GetTracePacketDefaults(); d != nil {
			timebase := d.GetPerfSampleDefaults().GetTimebase()
			names[p.GetTrustedPacketSequenceId()] = fmt.Sprint(timebase.GetName(), timebase.GetPeriod())
		}
		if p.GetPerfSample() != nil {
			count[names[p.GetTrustedPacketSequenceId()]]++
		}
	}
	if len(names) != 16 || count["samples0"] != 25 || count["event 07"] != 1 || count["event 147"] != 1 {
		t.Errorf("%d sequences: %v", len(names), count)
	}
}

// A sample needs no memory of its own.
func TestAllocations(t *testing.T) {
	allocations := func(samples int) float64 {
		rec := many(samples, 100)
		w := packet.NewWriter(t.Context(), discard{})
		return testing.AllocsPerRun(1, func() { Write(w, rec, all()) })
	}
	if few, more := allocations(1_000), allocations(100_000); more > few+1 {
		t.Errorf("%v allocations for 1,000 samples, %v for 100,000", few, more)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// many returns a recording of so many samples of stacks of 20 calls.
func many(samples, stacks int) *sample.Recording {
	rec := &sample.Recording{Profile: &sample.Profile{Events: []sample.Event{{Name: "hw-cpu-cycles"}}, Modules: []sample.Module{{Path: "/lib/a.so"}}}}
	p := rec.Profile
	var leaves []int32
	for range stacks {
		for depth := range 20 {
			i := int32(len(p.Frames))
			p.Functions = append(p.Functions, sample.Function{Name: fmt.Sprint("function ", i)})
			p.Frames = append(p.Frames, sample.Frame{Function: i, Address: uint64(i)})
			parent := i - 1
			if depth == 0 {
				parent = sample.Unknown
			}
			p.Stacks = append(p.Stacks, sample.Stack{Parent: parent, Frame: i})
		}
		leaves = append(leaves, int32(len(p.Stacks)-1))
	}
	for i := range samples {
		rec.Samples = append(rec.Samples, sample.Sample{
			Time: trace.Time(1_000_000_000_000 + i*250_000), PID: 1000, TID: int32(1000 + i%8), CPU: int32(i % 8), Stack: leaves[i%stacks], Period: 1_000_000,
		})
	}
	return rec
}

func BenchmarkWrite(b *testing.B) {
	for _, stacks := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint("stacks=", stacks), func(b *testing.B) {
			rec := many(1_000_000, stacks)
			b.ReportAllocs()
			for b.Loop() {
				Write(packet.NewWriter(b.Context(), discard{}), rec, all())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/sample")
		})
	}
}
