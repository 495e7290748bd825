package hitrace_test

import (
	"testing"

	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// payload is a hitrace.Marker that can be compared.
type payload struct {
	phase       hitrace.Phase
	pid         int32
	name, label string
	track       string
	value       int64
}

const noPID = -1

func parsed(m *hitrace.Marker) payload {
	return payload{m.Phase, int32(m.PID), string(m.Name), string(m.Label()), string(m.Track), m.Value}
}

func TestParseMarker(t *testing.T) {
	const longest = "9223372036854775807"
	for _, test := range []struct {
		args string
		want payload
	}{
		// 3.2: a blank behind every name, and one behind the bar of an end.
		{"B|12|H:Work ", payload{'B', 12, "H:Work", "Work", "", 0}},
		{"E|12| ", payload{'E', 12, "", "", "", 0}},
		{"S|12|H:Load 7", payload{'S', 12, "H:Load", "Load", "", 7}},
		{"C|12|H:Depth 4", payload{'C', 12, "H:Depth", "Depth", "", 4}},
		{"C|12|H:Depth 4 ", payload{'C', 12, "H:Depth", "Depth", "", 4}},
		// 4.0 to 5.0.3.
		{"E|12|", payload{'E', 12, "", "", "", 0}},
		{"C|12|H:memory:heap/a b -3", payload{'C', 12, "H:memory:heap/a b", "memory:heap/a b", "", -3}},
		// 5.1.0: bars, no suffix yet.
		{"S|12|H:Load|7", payload{'S', 12, "H:Load", "Load", "", 7}},
		{"C|12|H:Depth|4", payload{'C', 12, "H:Depth", "Depth", "", 4}},
		// 6.0: level and tags.
		{"B|12|H:Work|M62", payload{'B', 12, "H:Work", "Work", "", 0}},
		{"B|12|H:Work|I38", payload{'B', 12, "H:Work", "Work", "", 0}},
		{"B|12|H:Work|C0538", payload{'B', 12, "H:Work", "Work", "", 0}},
		{"B|12|H:Work|M053839", payload{'B', 12, "H:Work", "Work", "", 0}},
		{"B|12|H:Work|M62|key=value", payload{'B', 12, "H:Work", "Work", "", 0}},
		{"E|12|M62", payload{'E', 12, "", "", "", 0}},
		{"S|12|H:Load|7|M62", payload{'S', 12, "H:Load", "Load", "", 7}},
		{"S|12|H:Load|7|M62|category", payload{'S', 12, "H:Load", "Load", "", 7}},
		{"C|12|H:Depth|-4|M0538", payload{'C', 12, "H:Depth", "Depth", "", -4}},
		{"C|12|H:Depth|" + longest + "|M62", payload{'C', 12, "H:Depth", "Depth", "", 9223372036854775807}},
		{"C|12|H:Depth|-9223372036854775808|M62", payload{'C', 12, "H:Depth", "Depth", "", -9223372036854775808}},

		// What only looks like a suffix is part of the name.
		{"B|12|H:a|b:c[d]", payload{'B', 12, "H:a|b:c[d]", "a|b:c[d]", "", 0}},
		{"B|12|H:a|b:c[d]|M62", payload{'B', 12, "H:a|b:c[d]", "a|b:c[d]", "", 0}},
		{"B|12|H:Work|X62", payload{'B', 12, "H:Work|X62", "Work|X62", "", 0}},
		{"B|12|H:Work|M6", payload{'B', 12, "H:Work|M6", "Work|M6", "", 0}},
		{"B|12|H:Work|M62385", payload{'B', 12, "H:Work|M62385", "Work|M62385", "", 0}},
		{"B|12|H:Work|M6x", payload{'B', 12, "H:Work|M6x", "Work|M6x", "", 0}},
		{"B|12|H:M62", payload{'B', 12, "H:M62", "M62", "", 0}},
		// The rightmost counts: the name may contain the same letters.
		{"B|12|H:Work|M62|I38", payload{'B', 12, "H:Work|M62", "Work|M62", "", 0}},

		// Names.
		{"B|12|H:", payload{'B', 12, "H:", "", "", 0}},
		{"B|12|", payload{'B', 12, "", "", "", 0}},
		{"B|12|H:UIVsyncTask[timestamp:5][vsyncID:6]|M0539",
			payload{'B', 12, "H:UIVsyncTask[timestamp:5][vsyncID:6]", "UIVsyncTask[timestamp:5][vsyncID:6]", "", 0}},
		// Ids of a call chain precede the name.
		{"B|12|H:[8b00e96b2,2,1]#Work|M62", payload{'B', 12, "H:[8b00e96b2,2,1]#Work", "Work", "", 0}},
		{"B|12|H:[g,9,1]#Work", payload{'B', 12, "H:[g,9,1]#Work", "[g,9,1]#Work", "", 0}},
		{"B|12|H:[SAFUZZ]#Work", payload{'B', 12, "H:[SAFUZZ]#Work", "[SAFUZZ]#Work", "", 0}},

		// What Linux puts before the payload.
		{"0xffffffc008: B|12|H:Work|M62", payload{'B', 12, "H:Work", "Work", "", 0}},
		{"0x0: E|12|M62", payload{'E', 12, "", "", "", 0}},
		{"0xDEADBEEF:E|12|", payload{'E', 12, "", "", "", 0}},

		// Ends that leave things out; slices end by thread.
		{"E", payload{'E', noPID, "", "", "", 0}},
		{"E|", payload{'E', noPID, "", "", "", 0}},
		{"E|12", payload{'E', 12, "", "", "", 0}},
		{"E|12|H:Work|M62", payload{'E', 12, "", "", "", 0}},

		// Android's writers: no "H:", hence no label and no suffix to cut.
		{"B|227|renderRate 60.00 Hz", payload{'B', 227, "renderRate 60.00 Hz", "", "", 0}},
		{"B|227|Choreographer#doFrame|M62", payload{'B', 227, "Choreographer#doFrame|M62", "", "", 0}},
		{"B|227|H", payload{'B', 227, "H", "", "", 0}},
		{"I|227|vsync in 48.62ms", payload{'I', 227, "vsync in 48.62ms", "", "", 0}},
		{"C|227|VSYNC-app|1", payload{'C', 227, "VSYNC-app", "", "", 1}},
		{"C|227|a|b|-1", payload{'C', 227, "a|b", "", "", -1}},
		{"C|227|memory|512|browser", payload{'C', 227, "memory", "", "", 512}},
		{"S|227|launching: a.b|0", payload{'S', 227, "launching: a.b", "", "", 0}},
		{"N|227|lifecycle|onResume", payload{'N', 227, "onResume", "", "lifecycle", 0}},
		{"G|227|queue|draw|5", payload{'G', 227, "draw", "", "queue", 5}},
		{"H|227|queue|draw|5", payload{'H', 227, "draw", "", "queue", 5}},
		{"H|227|queue||5", payload{'H', 227, "", "", "queue", 5}},
		{"H|227|queue|5", payload{'H', 227, "", "", "queue", 5}},
		// The same with the letters of OHOS.
		{"I|12|H:Tap|M62", payload{'I', 12, "H:Tap", "Tap", "", 0}},
		{"G|12|H:queue|draw|5|M62", payload{'G', 12, "draw", "", "H:queue", 5}},

		// Records that the kernel cut.
		{"B|12|H:RSMainThread::ProcessCommandUni [200,5] [20",
			payload{'B', 12, "H:RSMainThread::ProcessCommandUni [200,5] [20", "RSMainThread::ProcessCommandUni [200,5] [20", "", 0}},
		{"B|12|H:Work|M", payload{'B', 12, "H:Work|M", "Work|M", "", 0}},

		// The lines with which hitrace states other clocks.
		{"trace_event_clock_sync: parent_ts=2500.814941", payload{'#', noPID, " parent_ts=2500.814941", "", "", 0}},
		{"trace_event_clock_sync:realtime_ts=1742436676307", payload{'#', noPID, "realtime_ts=1742436676307", "", "", 0}},
	} {
		var m hitrace.Marker
		if problem := hitrace.ParseMarker([]byte(test.args), &m); problem != hitrace.NoProblem {
			t.Errorf("%q: %v", test.args, problem)
			continue
		}
		must.Equal(t, parsed(&m), test.want, "%q", test.args)
	}
}

func TestParseMarkerProblems(t *testing.T) {
	for _, test := range []struct {
		args string
		want hitrace.Problem
	}{
		{"", hitrace.NoPhase},
		{"B", hitrace.NoPhase},
		{"b|12|H:Work", hitrace.NoPhase},
		{"#|12|H:Work", hitrace.NoPhase},
		{"Begin|12|H:Work", hitrace.NoPhase},
		{"plain text of some driver", hitrace.NoPhase},
		{"E 12", hitrace.NoPhase},
		// A converter of the wild loses the letter and a part of the id.
		{"0x0: 1|name", hitrace.NoPhase},
		{"0x0:", hitrace.NoPhase},
		{"0x1234", hitrace.NoPhase},
		{"0xno: B|12|H:Work", hitrace.NoPhase},

		{"B|", hitrace.BadMarkerPID},
		{"B||H:Work", hitrace.BadMarkerPID},
		{"B|twelve|H:Work", hitrace.BadMarkerPID},
		{"B|12 |H:Work", hitrace.BadMarkerPID},
		{"B|2147483648|H:Work", hitrace.BadMarkerPID},
		{"C||H:Depth|1", hitrace.BadMarkerPID},

		{"B|12", hitrace.NoMarkerName},
		{"I|12|", hitrace.NoMarkerName},
		{"N|12|track|", hitrace.NoMarkerName},
		{"N|12||name", hitrace.NoMarkerName},
		{"G|12|track|5", hitrace.NoMarkerName},
		{"G|12||name|5", hitrace.NoMarkerName},
		{"H|12|track", hitrace.NoMarkerName},

		{"S|12|H:Load", hitrace.BadCookie},
		{"S|12|H:Load|", hitrace.BadCookie},
		{"S|12|H:Load|x|M62", hitrace.BadCookie},
		{"S|12|7", hitrace.BadCookie},
		{"S|12||7", hitrace.BadCookie},
		{"S|12|Load 7", hitrace.BadCookie}, // only OHOS writers put a blank there
		{"F|12|H:Load|9223372036854775808", hitrace.BadCookie},
		{"G|12|track|name|x", hitrace.BadCookie},
		{"H|12|track|name|x", hitrace.BadCookie},

		{"C|12|H:Depth", hitrace.BadValue},
		{"C|12|H:Depth|4.5|M62", hitrace.BadValue},
		{"C|12|H:Depth|4-5|M62", hitrace.BadValue},
		{"C|12|H:Depth|9223372036854775808|M62", hitrace.BadValue},
		{"C|12|H:Depth|-9223372036854775809|M62", hitrace.BadValue},
		{"C|12|4", hitrace.BadValue},
		{"C|12||4", hitrace.BadValue},
	} {
		var m hitrace.Marker
		if got := hitrace.ParseMarker([]byte(test.args), &m); got != test.want {
			t.Errorf("%q: %v, want %v (%+v)", test.args, got, test.want, parsed(&m))
		}
	}
}
