package perfetto_test

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter/pftrace"
	"ohframe/internal/causetext"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// androidNames are Android's slices for what the scenes write.
var androidNames = map[string]string{
	"OnVsyncEvent": "traversal", "FlushBuild": "inflate", "FlushLayoutTask": "measure", "FlushMessages": "draw", "FlushAnimation": "animation",
}

var (
	marker   = regexp.MustCompile(`([BE]\|(\d+)\|)H:([^|\n]*)(\|[A-Z]\d*)?`)
	vsyncIDs = regexp.MustCompile(`vsyncId:(\d+)`)
)

// androidText names the slices of a scene as Android does: frames by number, and what is inside
// of them.
func androidText(text []byte, app trace.PID) []byte {
	return marker.ReplaceAllFunc(text, func(b []byte) []byte {
		m := marker.FindSubmatch(b)
		label := string(m[3])
		word, _, _ := strings.Cut(label, " ")
		if id := vsyncIDs.FindStringSubmatch(label); word == "ReceiveVsync" && id != nil {
			label = "commit " + id[1]
			if string(m[2]) == fmt.Sprint(app) {
				label = "Choreographer#doFrame " + id[1]
			}
		} else if name := androidNames[word]; name != "" {
			label = name
		}
		return []byte(string(m[1]) + label)
	})
}

// androidScene returns the trace of a scene as Android would record it: the kernel's events, names,
// clocks, and the frame timeline that SurfaceFlinger would write.
func androidScene(t testing.TB, s simulate.Scene) ([]byte, *simulate.Truth) {
	t.Helper()
	var text, converted bytes.Buffer
	truth := must.Get(s.Generate(&text))(t)
	var app trace.PID
	for _, f := range truth.Frames {
		if f.Kind == simulate.AppFrame {
			app = f.PID
		}
	}
	must.Get(pftrace.Convert(t.Context(), bytes.NewReader(androidText(text.Bytes(), app)), &converted, pftrace.Options{AllEvents: true}))(t)
	m := made{app: int32(app)}
	markers := printed{threads: map[uint32]*perfettopb.ThreadDescriptor{}}
	for b := converted.Bytes(); len(b) > 0; {
		_, _, n := protowire.ConsumeTag(b)
		p, size := protowire.ConsumeBytes(b[n:])
		if n < 0 || size < 0 {
			t.Fatal("damaged")
		}
		if b = b[n+size:]; isAndroids(p) {
			m.raw(p)
			continue
		}
		var packet perfettopb.TracePacket
		must.Do(t, proto.Unmarshal(p, &packet))
		markers.add(&packet)
	}
	m.raw(must.Get(proto.Marshal(markers.packet()))(t))
	for _, f := range truth.Frames {
		m.addTruth(f)
	}
	return m.bytes, truth
}

// printed are slices of track events as text, as which Android's threads print them.
type printed struct {
	threads map[uint32]*perfettopb.ThreadDescriptor // by sequence
	events  []*perfettopb.FtraceEvent
	ends    map[*perfettopb.FtraceEvent]bool // of whole slices: they precede what has their time
}

func (s *printed) add(p *perfettopb.TracePacket) {
	if d := p.GetThreadDescriptor(); d != nil {
		s.threads[p.GetTrustedPacketSequenceId()] = d
	}
	thread, e := s.threads[p.GetTrustedPacketSequenceId()], p.GetTrackEvent()
	if thread == nil || e == nil {
		return
	}
	begin, end := fmt.Sprintf("B|%d|%s\n", thread.GetPid(), e.GetName()), fmt.Sprintf("E|%d\n", thread.GetPid())
	switch {
	case e.GetLegacyEvent() != nil:
		s.print(thread, p.GetTimestamp(), begin)
		last := s.print(thread, p.GetTimestamp()+1000*uint64(e.GetLegacyEvent().GetDurationUs()), end)
		if s.ends == nil {
			s.ends = map[*perfettopb.FtraceEvent]bool{}
		}
		s.ends[last] = true
	case e.GetType() == perfettopb.TrackEvent_TYPE_SLICE_BEGIN:
		s.print(thread, p.GetTimestamp(), begin)
	case e.GetType() == perfettopb.TrackEvent_TYPE_SLICE_END:
		s.print(thread, p.GetTimestamp(), end)
	}
}

func (s *printed) print(thread *perfettopb.ThreadDescriptor, at uint64, text string) *perfettopb.FtraceEvent {
	e := &perfettopb.FtraceEvent{Timestamp: &at, Pid: proto.Uint32(uint32(thread.GetTid())), Event: &perfettopb.FtraceEvent_Print{Print: &perfettopb.PrintFtraceEvent{Buf: &text}}}
	s.events = append(s.events, e)
	return e
}

// packet returns the packet of all of them.
func (s *printed) packet() *perfettopb.TracePacket {
	slices.SortStableFunc(s.events, func(a, b *perfettopb.FtraceEvent) int {
		last := func(e *perfettopb.FtraceEvent) int {
			if s.ends[e] {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.GetTimestamp(), b.GetTimestamp()), cmp.Compare(last(a), last(b)))
	})
	return &perfettopb.TracePacket{Data: &perfettopb.TracePacket_FtraceEvents{FtraceEvents: &perfettopb.FtraceEventBundle{Cpu: proto.Uint32(0), Event: s.events}}}
}

// isAndroids reports whether Android writes such a packet: the kernel's events, names and clocks.
func isAndroids(p []byte) bool {
	for len(p) > 0 {
		number, wire, n := protowire.ConsumeTag(p)
		switch number {
		case 1, 2, 6, 12:
			return true
		}
		p = p[n+protowire.ConsumeFieldValue(number, wire, p[n:]):]
	}
	return false
}

// addTruth writes the slices of a frame. A frame of SurfaceFlinger ends when it is shown.
func (m *made) addTruth(f *simulate.Frame) {
	if f.Truncated || f.Empty {
		return
	}
	end, v := f.End, fine
	v.jank, v.onTime = analyzer.JankNone, !f.Late
	if f.Late {
		v.present = presentLate
	}
	expected := func(do func(token, start, end int64)) {
		if f.ExpectedStart > 0 && f.ExpectedEnd > 0 {
			do(f.Vsync, int64(f.ExpectedStart), int64(f.ExpectedEnd))
		}
	}
	if f.Kind == simulate.AppFrame {
		if f.Late {
			v.jank = analyzer.JankAppDeadlineMissed
		}
		expected(func(token, start, end int64) { m.expectSurface(token, f.Render, start, end) })
		m.actualSurface(f.Vsync, f.Render, "gallery", int64(f.Start), int64(end), v)
		return
	}
	m.sf = int32(f.PID)
	for _, g := range f.GPU {
		end = max(end, g[1])
	}
	switch {
	case f.LateMain:
		v.jank = analyzer.JankSFCPUDeadlineMissed
	case f.LateGPU:
		v.jank = analyzer.JankSFGPUDeadlineMissed
	default:
		end = max(end, f.Present)
	}
	expected(m.expectDisplay)
	m.actualDisplay(f.Vsync, int64(f.Start), int64(end), v)
}

// TestInjectedCauses finds the causes that scenes were generated with in Android's traces of them:
// at least 95 % of all late frames, and no cause for others.
func TestInjectedCauses(t *testing.T) {
	late, right, n := 0, 0, 0
	for i, cause := range simulate.Causes() {
		for j, hz := range []int{60, 90, 120} {
			if n++; n%slow.Of(3, 1) > 0 || cause == string(simulate.CauseLostSwitches) { // converting loses its note of the loss
				continue
			}
			s := simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: hz, Cause: simulate.Cause(cause), Seed: uint64(i + 7*j)}
			packets, truth := androidScene(t, s)
			read, _, err := readCauses(t.Context(), bytes.NewReader(packets), perfetto.Options{Kernel: true})
			if err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
			must.NoError(t, read.Causes.Validate(read.Timeline), "%+v", s)
			injected := map[int64]*simulate.CauseTruth{}
			for _, c := range truth.Causes {
				injected[c.Vsync] = c
			}
			for f := range read.Timeline.Complete() {
				e, c := read.Causes.Of(f), injected[f.VsyncID]
				if f.Late() != (c != nil && c.Late) && !s.Cause.Harmless() {
					continue // it is a consequence of another one
				}
				if !f.Late() {
					if e != nil && e.Outcome != why.NotLate {
						t.Errorf("%+v: %s frame %d is on time: %s", s, f.Kind, f.VsyncID, causetext.Sentence(read.Causes, e))
					}
					continue
				}
				late++
				if e == nil {
					t.Logf("%+v: %s frame %d has no explanation", s, f.Kind, f.VsyncID)
					continue
				}
				if got, want := found(c, e), wanted(s, c); got == want {
					right++
				} else {
					t.Logf("%+v: %s frame %d: %s, want %s: %s", s, f.Kind, f.VsyncID, got, want, causetext.Sentence(read.Causes, e))
				}
			}
		}
	}
	t.Logf("%d of %d late frames have the cause that was injected", right, late)
	if late == 0 || right*100 < late*95 {
		t.Errorf("%d of %d late frames have the cause that was injected, want 95 %%", right, late)
	}
}

// wanted is what should be found, in the words of Android.
func wanted(s simulate.Scene, c *simulate.CauseTruth) string {
	wait := c.Wait
	switch {
	case c.Cause == simulate.CauseNoSched:
		return "place_only"
	case c.Cause == simulate.CauseLostEvents:
		return "unknown"
	case strings.HasPrefix(c.Slice, "PartialGC::"):
		wait = "gc"
	case c.Wait == "run.work":
		wait = "run"
	}
	thread, leaf := c.Culprit[strings.IndexByte(c.Culprit, ':')+1:], c.Leaf
	if thread == "" {
		leaf = ""
	}
	return strings.Join([]string{wait, cmp.Or(androidNames[c.Slice], c.Slice), thread, leaf}, ", ")
}

// found is what is found, as far as the truth says it.
func found(c *simulate.CauseTruth, e *why.Explanation) string {
	if e.Outcome != why.OneCause && e.Outcome != why.KnockOn {
		return e.Outcome.String()
	}
	s := e.Cause()
	k := s.Culprit
	if k == nil {
		k = &why.Culprit{}
	}
	said := func(truth, found string) string {
		if truth == "" {
			return ""
		}
		return found
	}
	return strings.Join([]string{s.Wait.String(), said(c.Slice, s.Slice), said(c.Culprit, k.Thread), said(c.Culprit, said(c.Leaf, k.Wait.String()))}, ", ")
}
