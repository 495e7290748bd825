package pftrace

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/internal/perfettopb"
	"ohframe/internal/result"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/tracetest"
)

// packetsOf decodes a trace.
func packetsOf(t testing.TB, data []byte) []*perfettopb.TracePacket {
	t.Helper()
	var pb perfettopb.Trace
	must.Do(t, proto.Unmarshal(data, &pb))
	return pb.GetPacket()
}

// ownEvent returns the event of a packet on a track that the timeline describes: not a slice of the
// text's.
func ownEvent(p *perfettopb.TracePacket) *perfettopb.TrackEvent {
	if e := p.GetTrackEvent(); e != nil && e.TrackUuid != nil {
		return e
	}
	return nil
}

// TestPackets checks what must be true for every packet, whatever the trace.
func TestPackets(t *testing.T) {
	for _, text := range []string{caseTrace(t, "frames"), caseTrace(t, "parity/wakings"), tracetest.Read(t, "../../testdata/demo.ftrace")} {
		data, _ := convert(t, text, Options{})
		count := map[protoreflect.FieldNumber]int{}
		for i, p := range packetsOf(t, data) {
			if p.GetTrustedPacketSequenceId() == 0 {
				t.Errorf("packet %d is of no sequence", i)
			}
			if size := proto.Size(p); size > 512<<10 {
				t.Errorf("packet %d has %d bytes", i, size)
			}
			if p.TimestampClockId != nil {
				t.Errorf("packet %d is in clock %d", i, p.GetTimestampClockId())
			}
			checkKnown(t, p.ProtoReflect())
			m := p.ProtoReflect()
			kind := m.WhichOneof(m.Descriptor().Oneofs().ByName("data"))
			if kind == nil && isResult(m.GetUnknown()) {
				count[result.PacketField]++
				continue
			}
			if kind == nil {
				t.Fatalf("packet %d is empty", i)
			}
			count[kind.Number()]++
			switch p.GetData().(type) {
			case *perfettopb.TracePacket_FrameTimelineEvent, *perfettopb.TracePacket_ProcessTree, *perfettopb.TracePacket_ClockSnapshot:
				if int64(p.GetTimestamp()) <= 0 {
					t.Errorf("packet %d is of no time: %v", i, p)
				}
			}
		}
		must.Equal(t, count[result.PacketField], 1, "packets with the result")
		fields := (*perfettopb.TracePacket)(nil).ProtoReflect().Descriptor().Fields()
		for _, name := range []protoreflect.Name{"system_info", "trace_uuid", "trace_attributes"} {
			if n := count[fields.ByName(name).Number()]; n != 1 {
				t.Errorf("%d packets %s, want one", n, name)
			}
		}
	}
}

// isResult reports whether a field is the result, which is not in Perfetto's schema.
func isResult(field []byte) bool {
	number, _, n := protowire.ConsumeField(field)
	return number == result.PacketField && n == len(field)
}

// checkKnown fails the test for fields that the schema does not have.
func checkKnown(t *testing.T, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 && !isResult(m.GetUnknown()) {
		t.Errorf("%s has a field that its schema has not: %x", m.Descriptor().Name(), m.GetUnknown())
	}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			for i := range value.List().Len() {
				checkKnown(t, value.List().Get(i).Message())
			}
		default:
			checkKnown(t, value.Message())
		}
		return true
	})
}
