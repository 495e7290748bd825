package perfetto_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/must"
)

// recording is a trace in the making.
type recording struct {
	bytes []byte
	ends  []int // offset of each packet's end
}

func (r *recording) packet(p *pb.TracePacket) {
	b, err := proto.Marshal(p)
	if err != nil {
		panic(err)
	}
	r.raw(b)
}

func (r *recording) raw(packet []byte) {
	r.bytes = protowire.AppendTag(r.bytes, 1, protowire.BytesType)
	r.bytes = protowire.AppendBytes(r.bytes, packet)
	r.ends = append(r.ends, len(r.bytes))
}

func (r *recording) event(at uint64, e *pb.FrameTimelineEvent) {
	r.packet(&pb.TracePacket{Timestamp: &at, Data: &pb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: e}})
}

func (r *recording) end(at uint64, cookie int64) {
	r.event(at, &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_FrameEnd_{FrameEnd: &pb.FrameTimelineEvent_FrameEnd{Cookie: &cookie}}})
}

func expectedSurface(cookie, token, display int64, pid int32, layer string) *pb.FrameTimelineEvent {
	return &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ExpectedSurfaceFrameStart_{
		ExpectedSurfaceFrameStart: &pb.FrameTimelineEvent_ExpectedSurfaceFrameStart{
			Cookie: &cookie, Token: &token, DisplayFrameToken: &display, Pid: &pid, LayerName: &layer,
		},
	}}
}

func expectedDisplay(cookie, token int64, pid int32) *pb.FrameTimelineEvent {
	return &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ExpectedDisplayFrameStart_{
		ExpectedDisplayFrameStart: &pb.FrameTimelineEvent_ExpectedDisplayFrameStart{Cookie: &cookie, Token: &token, Pid: &pid},
	}}
}

// verdict is what the actual slices say beside their numbers.
type verdict struct {
	jank       analyzer.JankType
	present    pb.FrameTimelineEvent_PresentType
	prediction pb.FrameTimelineEvent_PredictionType
	onTime     bool
	gpu        bool
	delay      float32
	severe     *pb.FrameTimelineEvent_JankSeverityType // full or none by the jank type if nil
}

// fine is the verdict on a frame without fault.
var fine = verdict{jank: analyzer.JankNone, present: pb.FrameTimelineEvent_PRESENT_ON_TIME, prediction: pb.FrameTimelineEvent_PREDICTION_VALID, onTime: true}

func (v verdict) severity() *pb.FrameTimelineEvent_JankSeverityType {
	if v.severe != nil {
		return v.severe
	}
	if v.jank == analyzer.JankNone {
		return pb.FrameTimelineEvent_SEVERITY_NONE.Enum()
	}
	return pb.FrameTimelineEvent_SEVERITY_FULL.Enum()
}

func actualSurface(cookie, token, display int64, pid int32, layer string, v verdict) *pb.FrameTimelineEvent {
	return &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ActualSurfaceFrameStart_{
		ActualSurfaceFrameStart: &pb.FrameTimelineEvent_ActualSurfaceFrameStart{
			Cookie: &cookie, Token: &token, DisplayFrameToken: &display, Pid: &pid, LayerName: &layer,
			JankType: proto.Int32(int32(v.jank)), PresentType: v.present.Enum(), PredictionType: v.prediction.Enum(),
			OnTimeFinish: &v.onTime, GpuComposition: &v.gpu, PresentDelayMillis: &v.delay, JankSeverityType: v.severity(),
			IsBuffer: proto.Bool(true),
		},
	}}
}

func actualDisplay(cookie, token int64, pid int32, v verdict) *pb.FrameTimelineEvent {
	return &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ActualDisplayFrameStart_{
		ActualDisplayFrameStart: &pb.FrameTimelineEvent_ActualDisplayFrameStart{
			Cookie: &cookie, Token: &token, Pid: &pid,
			JankType: proto.Int32(int32(v.jank)), PresentType: v.present.Enum(), PredictionType: v.prediction.Enum(),
			OnTimeFinish: &v.onTime, GpuComposition: &v.gpu, PresentDelayMillis: &v.delay, JankSeverityType: v.severity(),
		},
	}}
}

// read reads a trace and checks that its timeline is valid.
func read(t testing.TB, trace []byte) (*analyzer.Timeline, *perfetto.Stats) {
	t.Helper()
	timeline, stats := must.Get2(readTimeline(t.Context(), bytes.NewReader(trace), perfetto.Options{}))(t)
	must.NoError(t, timeline.Validate())
	return timeline, stats
}

// readTimeline reads a trace from Android.
func readTimeline(ctx context.Context, r io.Reader, o perfetto.Options) (*analyzer.Timeline, *perfetto.Stats, error) {
	read, stats, err := readCauses(ctx, r, o)
	if err != nil {
		return nil, stats, err
	}
	return read.Timeline, stats, nil
}

// readCauses reads a trace, and finds the causes with Options.Kernel.
func readCauses(ctx context.Context, r io.Reader, o perfetto.Options) (*perfetto.Trace, *perfetto.Stats, error) {
	read, stats, err := perfetto.Read(ctx, r, o)
	if err != nil || read.Kernel == nil {
		return read, stats, err
	}
	read.Causes, err = analysis.Causes(ctx, read.Kernel, hitrace.Options{Limits: o.Limits}, read.Timeline)
	return read, stats, err
}

// compressed returns the trace as one packet that contains all of its packets.
func compressed(trace []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(trace)
	w.Close()
	var r recording
	r.packet(&pb.TracePacket{Data: &pb.TracePacket_CompressedPackets{CompressedPackets: out.Bytes()}})
	return r.bytes
}

// zstdCompressed does so in the other form, which the schema's subset does not have.
func zstdCompressed(trace []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	defer w.Close()
	field := protowire.AppendBytes(protowire.AppendTag(nil, 133, protowire.BytesType), w.EncodeAll(trace, nil))
	var r recording
	r.raw(field)
	return r.bytes
}
