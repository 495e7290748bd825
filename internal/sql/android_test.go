package sql_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	pb "ohframe/internal/perfettopb"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// androidTrace has a frame of SurfaceFlinger.
func androidTrace(t *testing.T) []byte {
	t.Helper()
	var packets []*pb.TracePacket
	add := func(at uint64, event *pb.FrameTimelineEvent) {
		packets = append(packets, &pb.TracePacket{
			Timestamp: &at, Data: &pb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: event},
			OptionalTrustedPacketSequenceId: &pb.TracePacket_TrustedPacketSequenceId{TrustedPacketSequenceId: 1},
		})
	}
	cookie, token, pid := proto.Int64(1), proto.Int64(7), proto.Int32(500)
	add(1e9, &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_ActualDisplayFrameStart_{
		ActualDisplayFrameStart: &pb.FrameTimelineEvent_ActualDisplayFrameStart{
			Cookie: cookie, Token: token, Pid: pid, JankType: proto.Int32(1), OnTimeFinish: proto.Bool(true),
			PresentType: pb.FrameTimelineEvent_PRESENT_ON_TIME.Enum(), PredictionType: pb.FrameTimelineEvent_PREDICTION_VALID.Enum(),
		},
	}})
	add(1.01e9, &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_FrameEnd_{FrameEnd: &pb.FrameTimelineEvent_FrameEnd{Cookie: cookie}}})
	return must.Get(proto.Marshal(&pb.Trace{Packet: packets}))(t)
}

// Frames of Android are none of OpenHarmony's.
func TestAndroid(t *testing.T) {
	session := load(t, androidTrace(t))
	enginetest.CheckGate(t, session)
	if rows := query(t, session, "SELECT id FROM actual_frame_timeline_slice"); len(rows) != 1 {
		t.Fatalf("%d frames", len(rows))
	}
	for _, name := range modules(t) {
		must.Get(session.Query("INCLUDE PERFETTO MODULE ohos." + name + "; SELECT 1"))(t)
	}
	compare(t, "ohos_frame", query(t, session, "SELECT id FROM ohos_frame"), nil)
}
