package ftrace

import (
	"testing"

	"ohframe/internal/source/hitrace"
)

// The payloads of OHOS and of Android's own writers become Android's grammar,
// with the process that the line is of. The end of a thread's slice has none.
func TestPayload(t *testing.T) {
	const pid = 500
	for _, test := range []struct{ text, want string }{
		// Slices on threads: the rest of the line is the name.
		{"B|100|H:name|M0538", "B|500|H:name"},
		{"B|100|H:name|I38", "B|500|H:name"},
		{"B|100|H:name|D303961", "B|500|H:name"},
		{"B|100|H:name|M0538|custom", "B|500|H:name"},
		{"B|100|H:with|a|bar|M0538", "B|500|H:with|a|bar"},
		{"B|100|H:blank at the end ", "B|500|H:blank at the end"},
		{"B|100|H:[8b00e96b2,2,1]#in a chain|M62", "B|500|H:[8b00e96b2,2,1]#in a chain"},
		{"B|100|android|M0538", "B|500|android|M0538"},
		{"B|100|", "B|500|"},
		{"E|100|M0538", "E"},
		{"E|100|", "E"},
		{"E|100", "E"},
		{"E", "E"},

		// Bars would end a name too early where something comes after it.
		{"S|100|H:name|12|M0538", "S|500|H:name|12"},
		{"S|100|H:name|12|M0538|category|custom", "S|500|H:name|12"},
		{"S|100|H:name 12", "S|500|H:name|12"},
		{"S|100|H:with|a|bar|12|M62", "S|500|H:with¦a¦bar|12"},
		{"S|100|android name|12", "S|500|android name|12"},
		{"F|100|H:name|-12|M0538", "F|500|H:name|-12"},
		{"F|100|H:name 12", "F|500|H:name|12"},
		{"C|100|H:name|-3|M0538", "C|500|H:name|-3"},
		{"C|100|H:name 3", "C|500|H:name|3"},
		{"C|100|with |bar|3", "C|500|with ¦bar|3"},
		{"C|100|browser|3|category", "C|500|browser|3"},
		{"C|100|H:name|-9223372036854775808|I62", "C|500|H:name|-9223372036854775808"},
		{"C|100|nul\x00in it|3", "C|500|nul¦in it|3"},

		{"I|100|name", "I|500|name"},
		{"I|100|with|a bar", "I|500|with¦a bar"},
		{"N|100|track|name", "N|500|track|name"},
		{"N|100|track|with|a bar", "N|500|track|with¦a bar"},
		{"G|100|track|name|12", "G|500|track|name|12"},
		{"G|100|track|with|a bar|12", "G|500|track|with¦a bar|12"},
		{"H|100|track|12", "H|500|track|12"},
		{"H|100|track|name|12", "H|500|track|12"},

		{"trace_event_clock_sync: realtime_ts=5", "trace_event_clock_sync: realtime_ts=5"},
	} {
		var m hitrace.Marker
		if problem := hitrace.ParseMarker([]byte(test.text), &m); problem != hitrace.NoProblem {
			t.Errorf("%q: %v", test.text, problem)
			continue
		}
		if got := string(appendPayload([]byte("kept"), &m, pid)); got != "kept"+test.want {
			t.Errorf("%q: got %q, want %q", test.text, got[len("kept"):], test.want)
		}
	}
}
