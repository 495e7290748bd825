package engine_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// The gate finds what Perfetto's statistics count as errors.
func TestGate(t *testing.T) {
	tests := []struct {
		name  string
		trace []byte
		want  string // the statistic that counts one
	}{
		{
			"a line that cannot be read",
			[]byte(textTrace + "            work-101   (  100) [002] .... nonsense\n"),
			"systrace_parse_failure",
		},
		{
			"a frame without a process",
			framePacket(expectedDisplayFrame, fields(varintField(1, 7), varintField(2, 8))), // cookie, token
			"frame_timeline_event_parser_errors",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := must.Get(enginetest.Load(t, test.trace).Gate())(t)
			// Versions of Perfetto differ in the severity.
			if len(table.Rows) != 1 || table.Rows[0][0] != test.want || table.Rows[0][4] != int64(1) {
				t.Errorf("got\n%swant one %s", table, test.want)
			}
		})
	}
}

// expectedDisplayFrame is a message of Perfetto's FrameTimelineEvent.
const expectedDisplayFrame protowire.Number = 1

// framePacket returns a trace of one frame timeline event at 2^53+1 ns.
func framePacket(number protowire.Number, message []byte) []byte {
	return bytesField(1, fields( // Trace.packet
		varintField(8, 1<<53+1),                      // timestamp
		varintField(10, 1),                           // trusted_packet_sequence_id
		bytesField(76, bytesField(number, message)))) // frame_timeline_event
}

func fields(parts ...[]byte) []byte {
	var message []byte
	for _, part := range parts {
		message = append(message, part...)
	}
	return message
}

func varintField(number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), value)
}

func bytesField(number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
}
