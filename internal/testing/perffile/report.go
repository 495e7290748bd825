package perffile

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// Report returns a file of hiperf report --proto with these messages.
func Report(messages ...[]byte) []byte {
	b := []byte("HIPERF_PB_\x01\x00")
	for _, m := range append(messages, nil) {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(m))), m...)
	}
	return b
}

// Message returns a message with fields: pairs of a number, and a number, text or message.
func Message(fields ...any) []byte {
	var b []byte
	for i := 0; i < len(fields); i += 2 {
		n := protowire.Number(fields[i].(int))
		switch v := fields[i+1].(type) {
		case int:
			b = protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), uint64(v))
		case string:
			b = protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), v)
		case []byte:
			b = protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
		}
	}
	return b
}
