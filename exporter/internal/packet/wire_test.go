package packet

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/internal/perfettopb"
)

// The fields that are encoded by hand have the numbers of the schema.
func TestFieldNumbers(t *testing.T) {
	type fields map[protoreflect.Name]protoreflect.FieldNumber
	for _, test := range []struct {
		message protoreflect.ProtoMessage
		fields  fields
	}{
		{(*perfettopb.Trace)(nil), fields{"packet": TraceField}},
		{(*perfettopb.TracePacket)(nil), fields{
			"trusted_packet_sequence_id": FieldSequenceID, "sequence_flags": FieldSequenceFlags,
			"interned_data": FieldInternedData, "compressed_packets": compressedPackets,
		}},
	} {
		message := test.message.ProtoReflect().Descriptor()
		for name, number := range test.fields {
			field := message.Fields().ByName(name)
			if field == nil || field.Number() != number {
				t.Errorf("%s.%s: field %d here, in the schema %v", message.Name(), name, number, field)
			}
		}
	}
	if StateCleared != perfettopb.TracePacket_SEQ_INCREMENTAL_STATE_CLEARED || StateNeeded != perfettopb.TracePacket_SEQ_NEEDS_INCREMENTAL_STATE {
		t.Error("flags are not those of the schema")
	}
}
