package result

import "google.golang.org/protobuf/encoding/protowire"

// Descriptors returns a FileDescriptorSet that describes the field: an extension of TracePacket. With it, Perfetto's views of
// protos have names for the field and for what is in it. Source: google/protobuf/descriptor.proto.
func Descriptors() []byte {
	const (
		optional           = 1 // of FieldDescriptorProto.Label
		uint64s, fixed64s  = 4, 6
		messages, byteText = 11, 12 // of FieldDescriptorProto.Type
	)
	text := func(b []byte, number protowire.Number, text string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), text)
	}
	field := func(name string, number protowire.Number, kind uint64) []byte {
		b := text(nil, 1, name)
		for _, v := range [...]struct {
			number protowire.Number
			value  uint64
		}{{3, uint64(number)}, {4, optional}, {5, kind}} {
			b = protowire.AppendVarint(protowire.AppendTag(b, v.number, protowire.VarintType), v.value)
		}
		return b
	}
	message := text(nil, 1, "OhframeResult")
	message = text(message, 2, string(field("version", resultVersion, uint64s)))
	message = text(message, 2, string(field("schema", resultSchema, fixed64s)))
	message = text(message, 2, string(field("deflated", resultDeflated, byteText)))
	extension := text(text(field("ohframe_result", PacketField, messages), 2, ".perfetto.protos.TracePacket"), 6, ".ohframe.OhframeResult")
	file := text(text(nil, 1, "ohframe/ohframe_trace_packet.proto"), 2, "ohframe")
	file = text(text(file, 4, string(message)), 4, string(text(text(nil, 1, "OhframeTracePacket"), 6, string(extension))))
	return text(nil, 1, string(file))
}
