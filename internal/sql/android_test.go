package sql_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// android is a trace of Android in the making: a display with vsyncs 10 ms apart.
type android struct {
	trace  pb.Trace
	cookie int64
}

const (
	surfaceFlinger = 500
	gallery        = 4000
)

func (a *android) packet(at int, data *pb.TracePacket) {
	data.Timestamp = proto.Uint64(1_000_000_000_000 + uint64(at)*1000)
	data.OptionalTrustedPacketSequenceId = &pb.TracePacket_TrustedPacketSequenceId{TrustedPacketSequenceId: 1}
	a.trace.Packet = append(a.trace.Packet, data)
}

// slice writes a slice, in microseconds; one that ends at zero does not end.
func (a *android) slice(start, end int, event *pb.FrameTimelineEvent) {
	cookie := a.cookie
	a.packet(start, &pb.TracePacket{Data: &pb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: event}})
	if end > 0 {
		a.packet(end, &pb.TracePacket{Data: &pb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: &pb.FrameTimelineEvent{
			Event: &pb.FrameTimelineEvent_FrameEnd_{FrameEnd: &pb.FrameTimelineEvent_FrameEnd{Cookie: &cookie}},
		}}})
	}
}

func (a *android) nextCookie() *int64 {
	a.cookie++
	return proto.Int64(a.cookie)
}

// verdict is what SurfaceFlinger says of a frame.
type verdict struct {
	jank       int32
	present    pb.FrameTimelineEvent_PresentType
	prediction pb.FrameTimelineEvent_PredictionType
	onTime     bool
}

func (a *android) surface(pid int32, token, display int64, layer string, vsync, start, end int, v verdict) {
	if v.prediction != pb.FrameTimelineEvent_PREDICTION_EXPIRED && token%5 != 0 {
		a.slice(vsync, vsync+10_000, &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ExpectedSurfaceFrameStart_{
			ExpectedSurfaceFrameStart: &pb.FrameTimelineEvent_ExpectedSurfaceFrameStart{
				Cookie: a.nextCookie(), Token: &token, DisplayFrameToken: &display, Pid: &pid, LayerName: &layer,
			},
		}})
	}
	a.slice(start, end, &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ActualSurfaceFrameStart_{
		ActualSurfaceFrameStart: &pb.FrameTimelineEvent_ActualSurfaceFrameStart{
			Cookie: a.nextCookie(), Token: &token, DisplayFrameToken: &display, Pid: &pid, LayerName: &layer,
			JankType: &v.jank, PresentType: v.present.Enum(), PredictionType: v.prediction.Enum(), OnTimeFinish: &v.onTime,
		},
	}})
}

func (a *android) display(token int64, vsync, start, end int, v verdict) {
	if v.prediction == pb.FrameTimelineEvent_PREDICTION_VALID {
		a.slice(vsync, vsync+10_000, &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ExpectedDisplayFrameStart_{
			ExpectedDisplayFrameStart: &pb.FrameTimelineEvent_ExpectedDisplayFrameStart{
				Cookie: a.nextCookie(), Token: &token, Pid: proto.Int32(surfaceFlinger),
			},
		}})
	}
	a.slice(start, end, &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ActualDisplayFrameStart_{
		ActualDisplayFrameStart: &pb.FrameTimelineEvent_ActualDisplayFrameStart{
			Cookie: a.nextCookie(), Token: &token, Pid: proto.Int32(surfaceFlinger),
			JankType: &v.jank, PresentType: v.present.Enum(), PredictionType: v.prediction.Enum(), OnTimeFinish: &v.onTime,
		},
	}})
}

// androidTrace has two applications, and verdicts of every sort. The first application
// sometimes draws two layers. SurfaceFlinger restarts every forty frames,
// and counts tokens from the beginning.
func androidTrace(t *testing.T) []byte {
	t.Helper()
	a := &android{}
	a.packet(0, &pb.TracePacket{Data: &pb.TracePacket_ProcessTree{ProcessTree: &pb.ProcessTree{
		Processes: []*pb.ProcessTree_Process{
			{Pid: proto.Int32(surfaceFlinger), Cmdline: []string{"/system/bin/surfaceflinger"}},
			{Pid: proto.Int32(gallery), Cmdline: []string{"com.example.gallery"}},
			{Pid: proto.Int32(gallery + 100), Cmdline: []string{"com.example.notes"}},
		},
	}}})
	random := rand.New(rand.NewPCG(1, 2))
	one := func(n int) bool { return random.IntN(n) == 0 }
	janks := []int32{1, 2, 4, 8, 16, 32, 48, 64, 66, 68, 128, 256, 512, 1024, 2048, 4096, 32768}
	presents := []pb.FrameTimelineEvent_PresentType{
		pb.FrameTimelineEvent_PRESENT_LATE, pb.FrameTimelineEvent_PRESENT_EARLY, pb.FrameTimelineEvent_PRESENT_UNKNOWN,
	}
	choose := func() verdict {
		v := verdict{1, pb.FrameTimelineEvent_PRESENT_ON_TIME, pb.FrameTimelineEvent_PREDICTION_VALID, true}
		if one(3) {
			v.jank = janks[random.IntN(len(janks))]
			v.onTime = v.jank&(16|32|64) == 0 && !one(3) || one(4)
			v.present = presents[random.IntN(len(presents))]
		}
		if one(12) {
			v.jank, v.present, v.onTime = 1024, pb.FrameTimelineEvent_PRESENT_DROPPED, one(2)
		}
		if one(12) {
			v.prediction = pb.FrameTimelineEvent_PREDICTION_EXPIRED
		}
		if one(12) {
			v.prediction = pb.FrameTimelineEvent_PREDICTION_UNKNOWN
		}
		return v
	}
	const frames = 200
	for i := range frames {
		vsync := (i+1)*10_000 + i/40*1_000_000
		token := int64(2*(i%40) + 2)
		for n, pid := range []int32{gallery, gallery + 100} {
			if one(4) {
				continue
			}
			took := 2_000 + random.IntN(12_000)
			a.surface(pid, token, token+1, "TX - main#10", vsync, vsync+500+n, vsync+500+took, choose())
			if n == 0 && one(2) {
				a.surface(pid, token, token+1+int64(2*random.IntN(2)), "TX - popup#11", vsync, vsync+700, vsync+took, choose())
			}
		}
		shown := vsync + 20_000 + random.IntN(2_000)
		if i == frames-1 {
			shown = 0 // the trace ends before
		}
		a.display(token+1, vsync+10_000, vsync+10_000+random.IntN(1_000), shown, choose())
	}
	bytes := must.Get(proto.Marshal(&a.trace))(t)
	return bytes
}

// TestAndroid compares what the modules compute of traces of Android with the model.
func TestAndroid(t *testing.T) {
	t.Run("made", func(t *testing.T) {
		causes := checkAndroid(t, androidTrace(t))
		if missing := (2*analyzer.BlameUnknown - 1) &^ causes; missing != 0 {
			t.Errorf("no whole frame was late by %s", missing)
		}
	})
	const recorded = "../../../shared/traces/android/api32_startup_warm.perfetto-trace"
	if trace, err := os.ReadFile(recorded); err == nil {
		t.Run("recorded", func(t *testing.T) {
			if checkAndroid(t, trace) == 0 {
				t.Error("no whole frame was late")
			}
		})
	}
}

// checkAndroid returns the causes of whole frames.
func checkAndroid(t *testing.T, trace []byte) (causes analyzer.Blame) {
	t.Helper()
	session := load(t, trace)
	enginetest.CheckGate(t, session)
	read, _ := must.Get2(perfetto.Read(t.Context(), bytes.NewReader(trace), perfetto.Options{}))(t)
	timeline := read.Timeline
	report := stats.Compute(timeline, stats.Options{})
	query(t, session, "INCLUDE PERFETTO MODULE ohos.compare_android; SELECT 1")
	checkComparison(t, session, report, "android")

	var facts, links, whole, blame rows
	for f := range timeline.Complete() {
		facts.add(f.Kind.String(), int64(f.Process.PID), int64(f.Actual.Start), int64(f.Actual.Duration()), f.Process.Name,
			known(f.VsyncID), known(f.Expected.Start), known(f.Deadline), lateOf(f), judgedFact(f, analyzer.MainLate), judgedFact(f, analyzer.GPULate), f.Facts.Has(analyzer.Misaligned),
			overrun(f), known(f.Present), f.Facts.Has(analyzer.Dropped))
		if w, ok := f.Whole(); ok {
			whole.add(int64(f.Process.PID), int64(f.Actual.Start), w.Late(), text(w.Blame.String()))
		}
		if f.Render != nil && !f.Render.Facts.Has(analyzer.Truncated) {
			links.add(int64(f.Process.PID), int64(f.Actual.Start), int64(f.Render.Actual.Start))
		}
	}
	compare(t, "frames", query(t, session, `
		SELECT kind, pid, ts, dur, process_name, vsync_id, expected_ts, deadline_ts, is_late, is_late_main, is_late_gpu, is_misaligned,
			overrun_ns, present_ts, is_dropped
		FROM ohos_or_android_frame WHERE system = 'android'`), facts)
	compare(t, "links", query(t, session, `
		SELECT a.pid, a.ts, r.ts FROM ohos_or_android_frame a JOIN ohos_or_android_frame r ON r.id = a.render_id`), links)
	compare(t, "whole frames", query(t, session, `
		SELECT f.pid, f.ts, w.is_late, w.blame FROM ohos_or_android_whole_frame w JOIN ohos_or_android_frame f USING (id)
		WHERE w.is_late IS NOT NULL`), whole)
	for _, p := range report.Processes {
		w := p.WholeFrames
		b := w.Blame
		blame.add(int64(p.PID), w.Judged, w.Late, b.Application, b.RenderCPU, b.RenderGPU, b.PickUp, b.DisplayHAL, b.BufferStuffing,
			b.PredictionError, b.Dropped, b.Unknown)
		for cause := analyzer.BlameApplication; cause <= analyzer.BlameUnknown; cause <<= 1 {
			if b.Of(cause) > 0 {
				causes |= cause
			}
		}
	}
	compare(t, "blame", query(t, session, `
		SELECT pid, judged, late, application, render_cpu, render_gpu, pick_up, display_hal, buffer_stuffing, prediction_error, dropped, unknown
		FROM ohos_or_android_blame`), blame)
	compare(t, "links to nowhere", query(t, session, `
		SELECT id FROM ohos_or_android_frame
		WHERE render_id IS NOT NULL AND render_id NOT IN (SELECT id FROM ohos_or_android_frame)`), nil)
	compare(t, "ohos_frame", query(t, session, "SELECT id FROM ohos_frame"), nil)
	return causes
}

// lateOf is whether a frame was late, nil if that is not known.
func lateOf(f *analyzer.Frame) any { return judgedFact(f, analyzer.MainLate|analyzer.GPULate) }

// judgedFact returns whether the frame has any of the facts, which are unknown if it is
// unknown whether it was late.
func judgedFact(f *analyzer.Frame, facts analyzer.Facts) any {
	if !f.Judged() {
		return nil
	}
	return f.Facts.Has(facts)
}

// text returns nil for the empty string.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}
