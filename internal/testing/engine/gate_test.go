package engine_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/internal/testing/engine/enginetest"
)

func TestGatePasses(t *testing.T) {
	enginetest.CheckGate(t, enginetest.Load(t, []byte(textTrace)))
}

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
			// In Chrome's JSON, as text traces cannot tell when a slice will end.
			"a slice still open after the one around it has ended",
			[]byte(`[
				{"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "name": "outer"},
				{"ph": "B", "ts": 2, "pid": 1, "tid": 1, "name": "inner"},
				{"ph": "B", "ts": 4, "pid": 1, "tid": 1, "name": "next"}
			]`),
			"misplaced_end_event",
		},
		{
			"the end of a frame that never began",
			framePacket(frameEnd, fields(varintField(1, 7))), // cookie
			"frame_timeline_unpaired_end_event",
		},
		{
			"a frame without a process",
			framePacket(expectedDisplayFrame, fields(varintField(1, 7), varintField(2, 8))), // cookie, token
			"frame_timeline_event_parser_errors",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table, err := enginetest.Load(t, test.trace).Gate()
			if err != nil {
				t.Fatal(err)
			}
			// Versions of Perfetto differ in the severity.
			if len(table.Rows) != 1 || table.Rows[0][0] != test.want || table.Rows[0][4] != int64(1) {
				t.Errorf("got\n%swant one %s", table, test.want)
			}
		})
	}
}

// A time on which a double is one nanosecond off arrives as it is.
func TestExactTime(t *testing.T) {
	trace := framePacket(expectedDisplayFrame,
		fields(varintField(1, 7), varintField(2, 8), varintField(3, 9))) // cookie, token, pid
	session := enginetest.Load(t, trace)
	enginetest.CheckGate(t, session)
	got := enginetest.Query(t, session, "SELECT ts, name FROM expected_frame_timeline_slice")
	if want := "ts,name\n9007199254740993,\"8\"\n"; got.String() != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Messages of Perfetto's FrameTimelineEvent.
const (
	expectedDisplayFrame protowire.Number = 1
	frameEnd             protowire.Number = 5
)

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
