package perfetto_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/must"
)

// kernelForm is how a trace has the kernel's events.
type kernelForm struct {
	compact bool
	clock   uint64 // FtraceClock; 0 is boot time
	// ahead is the clock of the events minus boot time, snapshot whether a clock snapshot says so, and
	// stated whether each bundle does.
	ahead            int64
	snapshot, stated bool
	noNames, noSched bool
	reversed         bool // bundles are in the reverse order
	lost             int  // frame in which switches of the main thread are lost
}

// drawn is a trace of Android with an application whose frames go through the main thread, the
// render thread and the GPU.
type drawn struct {
	made
	form    kernelForm
	bundles [][]byte
	loses   bool // the next bundle is after lost events
}

const (
	mainThread, renderThread, otherThread = app, app + 1, app + 2
	framePeriod                           = int64(16_666_667)
)

func number(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func block(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func (d *drawn) bundle(cpu uint64, at int64, add func(b []byte, at uint64) []byte) {
	at += d.form.ahead
	b := number(nil, 1, cpu)
	if d.loses {
		b = number(b, 3, 1)
		d.loses = false
	}
	if d.form.clock != 0 {
		b = number(b, 5, d.form.clock)
	}
	if d.form.stated {
		b = number(number(b, 6, uint64(at)), 7, uint64(at-d.form.ahead))
	}
	d.bundles = append(d.bundles, block(number(nil, 10, 7), 1, add(b, uint64(at))))
}

func (d *drawn) event(cpu uint64, at int64, tid uint32, e *pb.FtraceEvent) {
	d.bundle(cpu, at, func(b []byte, at uint64) []byte {
		e.Timestamp, e.Pid = &at, &tid
		event, err := proto.Marshal(e)
		if err != nil {
			panic(err)
		}
		return block(b, 2, event)
	})
}

func (d *drawn) mark(cpu uint64, at int64, tid uint32, text string) {
	d.event(cpu, at, tid, &pb.FtraceEvent{Event: &pb.FtraceEvent_Print{Print: &pb.PrintFtraceEvent{Buf: proto.String(text + "\n")}}})
}

// columns appends a CompactSched with one row. The value at name is an index of the names.
func columns(b []byte, comm string, values map[protowire.Number]uint64) []byte {
	compact := block(nil, 5, []byte(comm))
	for field := protowire.Number(1); field <= 12; field++ {
		if v, ok := values[field]; ok {
			compact = block(compact, field, protowire.AppendVarint(nil, v))
		}
	}
	return block(b, 4, compact)
}

func commOf(tid int32) string {
	return map[int32]string{0: "swapper", mainThread: "main", renderThread: "RenderThread", otherThread: "Locker"}[tid]
}

func (d *drawn) change(cpu uint64, at int64, prev int32, state int64, next int32) {
	switch {
	case d.form.noSched:
	case d.form.compact:
		d.bundle(cpu, at, func(b []byte, at uint64) []byte {
			return columns(b, commOf(next), map[protowire.Number]uint64{1: at, 2: uint64(state), 3: uint64(next), 4: 120, 6: 0})
		})
	default:
		d.event(cpu, at, uint32(prev), &pb.FtraceEvent{Event: &pb.FtraceEvent_SchedSwitch{SchedSwitch: &pb.SchedSwitchFtraceEvent{
			PrevComm: proto.String(commOf(prev)), PrevPid: &prev, PrevPrio: proto.Int32(120), PrevState: &state,
			NextComm: proto.String(commOf(next)), NextPid: &next, NextPrio: proto.Int32(120),
		}}})
	}
}

func (d *drawn) wake(cpu uint64, at int64, by, tid int32, target uint64) {
	switch {
	case d.form.noSched:
	case d.form.compact:
		d.bundle(cpu, at, func(b []byte, at uint64) []byte {
			return columns(b, commOf(tid), map[protowire.Number]uint64{7: at, 8: uint64(tid), 9: target, 10: 120, 11: 0})
		})
	default:
		d.event(cpu, at, uint32(by), &pb.FtraceEvent{Event: &pb.FtraceEvent_SchedWaking{SchedWaking: &pb.SchedWakingFtraceEvent{
			Comm: proto.String(commOf(tid)), Pid: &tid, Prio: proto.Int32(120), Success: proto.Int32(1), TargetCpu: proto.Int32(int32(target)),
		}}})
	}
}

// The frames with a cause.
const (
	lockedFrame = 16 // the main thread waits for a lock of another thread
	drawFrame   = 20 // the render thread computes more
	gpuFrame    = 24 // the GPU needs more time
)

// newDrawn returns a trace of 30 frames. The main thread is on processor 0, the render thread on 1,
// the other one on 2.
func newDrawn(form kernelForm) []byte {
	d := &drawn{form: form}
	at := int64(100_000_000_000)
	if !form.noNames {
		d.packet(&pb.TracePacket{Data: &pb.TracePacket_ProcessTree{ProcessTree: &pb.ProcessTree{
			Processes: []*pb.ProcessTree_Process{{Pid: proto.Int32(app), Cmdline: []string{"com.example.app"}}},
			Threads: []*pb.ProcessTree_Thread{
				{Tid: proto.Int32(renderThread), Tgid: proto.Int32(app), Name: proto.String("RenderThread")},
				{Tid: proto.Int32(otherThread), Tgid: proto.Int32(app), Name: proto.String("Locker")},
			},
		}}})
	}
	if form.snapshot {
		clock := func(id uint32, t int64) *pb.ClockSnapshot_Clock {
			return &pb.ClockSnapshot_Clock{ClockId: &id, Timestamp: proto.Uint64(uint64(t))}
		}
		d.packet(&pb.TracePacket{Data: &pb.TracePacket_ClockSnapshot{ClockSnapshot: &pb.ClockSnapshot{Clocks: []*pb.ClockSnapshot_Clock{
			clock(6, at), clock(5, at+form.ahead),
		}}}})
	}
	for cpu, tid := range []int32{mainThread, renderThread, otherThread} {
		d.change(uint64(cpu), at-5_000_000, tid, 1, 0)
	}
	const ms = 1_000_000
	for n := range int64(30) {
		if n == lockedFrame+1 || n == drawFrame+1 {
			continue // the thread is busy
		}
		vsync, t := at+n*framePeriod, at+n*framePeriod
		number := 1000 + n
		d.wake(3, t, 0, mainThread, 0)
		t += 100_000
		d.change(0, t, 0, 0, mainThread)
		start := t
		d.mark(0, t, mainThread, fmt.Sprintf("B|%d|Choreographer#doFrame %d", app, number))
		d.mark(0, t+10_000, mainThread, fmt.Sprintf("B|%d|traversal", app))
		t += ms
		if n == lockedFrame {
			d.mark(0, t, mainThread, fmt.Sprintf("B|%d|Lock contention on a monitor lock (owner tid: %d)", app, otherThread))
			d.change(2, t-ms/2, 0, 0, otherThread)
			if d.loses = n == int64(form.lost); !d.loses {
				d.change(0, t+1000, mainThread, 1, 0)
			}
			t += 14 * ms
			if !d.loses {
				d.wake(2, t, otherThread, mainThread, 0)
				d.change(2, t+20_000, otherThread, 1, 0)
				d.change(0, t+30_000, 0, 0, mainThread)
			}
			t += 40_000
			d.mark(0, t, mainThread, fmt.Sprintf("E|%d", app))
		}
		d.mark(0, t+ms, mainThread, fmt.Sprintf("E|%d", app)) // traversal
		d.wake(0, t+ms+10_000, mainThread, renderThread, 1)
		t += 2 * ms
		d.mark(0, t, mainThread, fmt.Sprintf("E|%d", app))
		d.change(0, t+50_000, mainThread, 1, 0)
		t -= ms / 2
		d.change(1, t, 0, 0, renderThread)
		d.mark(1, t+5000, renderThread, fmt.Sprintf("B|%d|DrawFrames %d", app, number))
		d.mark(1, t+500_000, renderThread, fmt.Sprintf("B|%d|flush commands", app))
		t += 3 * ms
		if n == drawFrame {
			t += 14 * ms
		}
		d.mark(1, t, renderThread, fmt.Sprintf("E|%d", app))
		d.mark(1, t+100_000, renderThread, fmt.Sprintf("E|%d", app))
		d.change(1, t+150_000, renderThread, 1, 0)
		t += 2 * ms
		if n == gpuFrame {
			t += 14 * ms
		}
		v := fine
		if t > vsync+framePeriod {
			v = appLate
		}
		d.expectSurface(number, 0, vsync, vsync+framePeriod)
		d.actualSurface(number, 0, "layer", start, t, v)
	}
	if form.reversed {
		slices.Reverse(d.bundles)
	}
	for _, b := range d.bundles {
		d.raw(b)
	}
	return d.bytes
}

// drawnCauses returns the causes of the late frames of a trace.
func drawnCauses(t *testing.T, packets []byte) (list []string, stats *perfetto.Stats) {
	t.Helper()
	read, stats := must.Get2(readCauses(t.Context(), bytes.NewReader(packets), perfetto.Options{Kernel: true}))(t)
	must.NoError(t, read.Causes.Validate(read.Timeline))
	for f := range read.Timeline.Complete() {
		if e := read.Causes.Of(f); f.Late() && e != nil {
			s, thread := why.Share{}, ""
			if c := e.Cause(); c != nil {
				s = *c
				if c.Culprit != nil {
					thread = c.Culprit.Thread
				}
			}
			list = append(list, fmt.Sprintf("%d %s: %s %s in %s by %s", f.VsyncID-1000, e.Outcome, s.Stage, s.Wait, s.Slice, thread))
			t.Log(causetext.Sentence(read.Causes, e))
		} else if f.Late() {
			list = append(list, fmt.Sprintf("%d", f.VsyncID-1000))
		}
	}
	return list, stats
}

// wantedCauses are those of newDrawn.
var wantedCauses = []string{
	"16 cause: layout own_thread in Lock contention on a monitor lock by Locker",
	"20 cause: draw run in flush commands by ",
	"24 cause: draw gpu in  by ",
}

// Causes are the same in all forms of the kernel's events.
func TestKernelEvents(t *testing.T) {
	for name, form := range map[string]kernelForm{
		"events":               {},
		"compact":              {compact: true},
		"raw monotonic clock":  {clock: 4, ahead: 7_000_000_000, snapshot: true},
		"clock of the bundles": {clock: 2, ahead: -3_000_000_000, stated: true, compact: true},
		"reversed":             {reversed: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, stats := drawnCauses(t, newDrawn(form))
			must.EqualSlices(t, got, wantedCauses)
			if w := stats.Warnings(); len(w) > 0 {
				t.Error(w)
			}
		})
	}
}

// What the trace does not say is unknown.
func TestKernelEventsMissing(t *testing.T) {
	t.Run("no names", func(t *testing.T) {
		got, _ := drawnCauses(t, newDrawn(kernelForm{noNames: true}))
		if len(got) != 3 || !strings.HasPrefix(got[0], "16 cause: layout other_process in Lock contention") {
			t.Errorf("%q", got)
		}
	})
	t.Run("no sched", func(t *testing.T) {
		got, _ := drawnCauses(t, newDrawn(kernelForm{noSched: true}))
		want := []string{"16 place_only: layout unknown in Lock contention on a monitor lock by ", "20 place_only: draw unknown in flush commands by ", wantedCauses[2]}
		must.EqualSlices(t, got, want)
	})
	t.Run("unknown clock", func(t *testing.T) {
		got, stats := drawnCauses(t, newDrawn(kernelForm{clock: 4, ahead: 7_000_000_000}))
		must.EqualSlices(t, got, []string{"16 unknown: none unknown in  by ", "20 unknown: none unknown in  by ", "24 unknown: none unknown in  by "})
		if text := fmt.Sprint(stats.Warnings()); !strings.Contains(text, "of the kernel in a clock with an unknown offset") {
			t.Error(text)
		}
	})
	t.Run("lost events", func(t *testing.T) {
		got, _ := drawnCauses(t, newDrawn(kernelForm{lost: lockedFrame}))
		if len(got) != 3 || !strings.HasPrefix(got[0], "16 unknown:") || !slices.Equal(got[1:], wantedCauses[1:]) {
			t.Errorf("%q", got)
		}
	})
	t.Run("limit", func(t *testing.T) {
		_, stats, err := readCauses(t.Context(), bytes.NewReader(newDrawn(kernelForm{})), perfetto.Options{Kernel: true, Limits: trace.Limits{States: 50}})
		if err != nil || stats.Over.States == 0 || !strings.Contains(fmt.Sprint(stats.Warnings()), "limit: states") {
			t.Errorf("%+v, %v", stats, err)
		}
	})
}

// Cut and damaged traces give a valid result, and no cause that the whole trace does not have.
func TestKernelEventsDamaged(t *testing.T) {
	whole := newDrawn(kernelForm{compact: true})
	for i := 1; i < 60; i++ {
		b := bytes.Clone(whole)
		if i%2 == 0 {
			b = b[:len(b)*i/60]
		} else {
			for k := i; k < len(b); k += 997 {
				b[k] ^= byte(i)
			}
		}
		read, _, err := readCauses(t.Context(), bytes.NewReader(b), perfetto.Options{Kernel: true})
		if err != nil {
			continue
		}
		must.NoError(t, read.Causes.Validate(read.Timeline), "%d", i)
	}
}

// A converted trace has the causes of its result; the kernel's events in it are not read again.
func TestConvertedKeepsCauses(t *testing.T) {
	read, stats, err := readCauses(t.Context(), bytes.NewReader(withCauses(t)), perfetto.Options{Kernel: true})
	if err != nil || !stats.Ours {
		t.Fatal(stats, err)
	}
	without, _ := must.Get2(perfetto.Read(t.Context(), bytes.NewReader(withCauses(t)), perfetto.Options{}))(t)
	if a, b := describe(t, &read.Stored), describe(t, &without.Stored); a != b {
		t.Error("the causes differ")
	}
}
