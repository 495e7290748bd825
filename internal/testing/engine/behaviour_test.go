package engine_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// behaviours are what our output relies on in Perfetto's engine: a trace of a few packets, a query and
// its rows. docs/dev/verification.md says of each why it matters, and since when it is known.
var behaviours = []struct{ name, packets, sql, rows string }{
	{
		"an expected and an actual frame share a cookie",
		expected(100, 7, 5, "") + actual(110, 7, 5, 50) + end(150, 7),
		"SELECT 'expected', dur FROM expected_frame_timeline_slice UNION ALL SELECT 'actual', dur FROM actual_frame_timeline_slice",
		`"expected",-1 "actual",40`,
	},
	{
		"a token has two expected frames",
		expected(100, 1, 5, "") + end(120, 1) + expected(200, 2, 5, "") + end(220, 2),
		"SELECT ts, dur FROM expected_frame_timeline_slice", "100,20",
	},
	{
		"a token has two actual frames",
		actual(100, 1, 5, 50) + end(120, 1) + actual(200, 2, 5, 50) + end(220, 2),
		"SELECT ts, dur FROM actual_frame_timeline_slice", "100,20 200,20",
	},
	{
		"two display frames have one token",
		actual(100, 1, 5, 50) + end(120, 1) + display(130, 2, "token: 50") + end(140, 2) + display(230, 3, "token: 50") + end(240, 3),
		"SELECT b.ts FROM flow JOIN slice b ON b.id = slice_in", "130",
	},
	{
		"a display frame is before its surface frame in the file",
		display(100, 2, "token: 50") + end(140, 2) + actual(100, 1, 5, 50) + end(120, 1),
		"SELECT count(*) FROM flow", "0",
	},
	{
		"a display token is 0",
		actual(100, 1, 5, 0) + end(120, 1) + display(130, 2, "token: 0") + end(140, 2),
		"SELECT count(*) FROM flow", "1",
	},
	{
		"a display frame has no token",
		display(130, 2, "") + end(140, 2) + actual(150, 1, 5, 50) + end(160, 1),
		"SELECT ts FROM actual_frame_timeline_slice", "150",
	},
	{
		"a frame has no time",
		strings.Replace(actual(100, 1, 5, 50), "timestamp: 100", "", 1) + end(120, 1),
		"SELECT ts, dur FROM actual_frame_timeline_slice", "0,120",
	},
	{
		"a frame is after the end of its process",
		process(20, "app") + ftrace("event { timestamp: 90 pid: 20 print { ip: 0 buf: 'I|20|x' } }") + actual(100, 1, 5, 50) + end(120, 1) +
			ftrace("event { timestamp: 130 pid: 20 sched_process_free { comm: 'app' pid: 20 prio: 1 } }") + actual(200, 2, 6, 50) + end(220, 2),
		"SELECT p.name FROM actual_frame_timeline_slice a JOIN process p USING (upid) ORDER BY a.ts", `"app" NULL`,
	},
	{
		"an actual frame has no jank type",
		strings.Replace(actual(100, 1, 5, 50), "jank_type: 1", "", 1) + end(120, 1),
		"SELECT jank_type, jank_tag FROM actual_frame_timeline_slice", `"Unspecified","Unspecified"`,
	},
	{
		"a frame begins when another ends, and is before it in the file",
		actual(120, 2, 6, 50) + end(140, 2) + actual(100, 1, 5, 50) + end(120, 1),
		"SELECT count(DISTINCT track_id) FROM actual_frame_timeline_slice", "2",
	},
	{
		"a counter is beyond 2^53",
		track("uuid: 7 name: 'c' counter {}") + event(100, "type: TYPE_COUNTER track_uuid: 7 counter_value: 9007199254740993"),
		"SELECT printf('%d', value) FROM counter", `"9007199254740992"`,
	},
	{
		"a counter is not a number",
		track("uuid: 7 name: 'c' counter {}") + event(100, "type: TYPE_COUNTER track_uuid: 7 double_counter_value: nan"),
		"SELECT value IS NULL FROM counter", "1",
	},
	{
		"names of annotations have dots and brackets",
		track("uuid: 7 name: 't'") + event(100, "type: TYPE_INSTANT track_uuid: 7 name: 'x' debug_annotations { name: 'a.b' int_value: 1 } debug_annotations { name: 'c[0]' int_value: 2 }"),
		"SELECT key FROM args WHERE key GLOB 'debug.*' ORDER BY key", `"debug.a_b" "debug.c_0_"`,
	},
	{
		"siblings of one name have slices that do not overlap",
		track("uuid: 6 name: 'parent'") + track("uuid: 7 parent_uuid: 6 name: 't'") + track("uuid: 8 parent_uuid: 6 name: 't'") +
			slice(100, 120, 7, "a") + slice(130, 150, 8, "b") + slice(140, 160, 7, "c"),
		"SELECT name, dense_rank() OVER (ORDER BY track_id) FROM slice ORDER BY name", `"a",1 "b",1 "c",2`,
	},
	{
		"a sibling of one name is not to be merged",
		track("uuid: 7 name: 't' sibling_merge_behavior: SIBLING_MERGE_BEHAVIOR_NONE") + track("uuid: 8 name: 't' sibling_merge_behavior: SIBLING_MERGE_BEHAVIOR_NONE") +
			slice(100, 110, 7, "a") + slice(120, 130, 8, "b"),
		"SELECT count(DISTINCT track_id) FROM slice", "2",
	},
	{
		"a track has no events",
		track("uuid: 7 name: 'empty'") + track("uuid: 8 name: 't'") + slice(100, 120, 8, "a"),
		"SELECT name FROM track", `"t"`,
	},
	{
		"a descriptor of a thread has no events",
		track("uuid: 7 thread { pid: 20 tid: 21 thread_name: 'worker' }"),
		"SELECT name FROM thread WHERE tid = 21", `"worker"`,
	},
	{
		"a marker names another process than that of its thread",
		process(20, "app") + ftrace("event { timestamp: 100 pid: 20 print { ip: 0 buf: 'B|30|x' } } event { timestamp: 120 pid: 20 print { ip: 0 buf: 'E|30' } }"),
		"SELECT p.pid FROM slice JOIN thread_track t ON t.id = track_id JOIN thread USING (utid) JOIN process p USING (upid)", "30",
	},
	{
		"an asynchronous slice begins again before its end",
		process(20, "app") + ftrace("event { timestamp: 100 pid: 20 print { ip: 0 buf: 'S|20|x|1' } } event { timestamp: 110 pid: 20 print { ip: 0 buf: 'S|20|x|1' } }"+
			"event { timestamp: 130 pid: 20 print { ip: 0 buf: 'F|20|x|1' } } event { timestamp: 140 pid: 20 print { ip: 0 buf: 'F|20|x|1' } }"),
		"SELECT ts, dur FROM slice", "100,30",
	},
}

func packet(text string) string { return "packet { trusted_packet_sequence_id: 1 " + text + " }\n" }

func at(ts int, text string) string { return packet("timestamp: " + strconv.Itoa(ts) + " " + text) }

func frame(ts int, kind, text string) string {
	return at(ts, "frame_timeline_event { "+kind+" { "+text+" } }")
}

func expected(ts, cookie, token int, more string) string {
	return frame(ts, "expected_surface_frame_start", "cookie: "+strconv.Itoa(cookie)+" token: "+strconv.Itoa(token)+" display_frame_token: 50 pid: 20 "+more)
}

func actual(ts, cookie, token, displayToken int) string {
	return frame(ts, "actual_surface_frame_start", "cookie: "+strconv.Itoa(cookie)+" token: "+strconv.Itoa(token)+" display_frame_token: "+strconv.Itoa(displayToken)+
		" pid: 20 present_type: PRESENT_ON_TIME on_time_finish: true jank_type: 1 prediction_type: PREDICTION_VALID")
}

func display(ts, cookie int, token string) string {
	return frame(ts, "actual_display_frame_start", "cookie: "+strconv.Itoa(cookie)+" pid: 10 present_type: PRESENT_ON_TIME on_time_finish: true jank_type: 1 prediction_type: PREDICTION_VALID "+token)
}

func end(ts, cookie int) string { return frame(ts, "frame_end", "cookie: "+strconv.Itoa(cookie)) }

func process(pid int, name string) string {
	return at(1, "process_tree { processes { pid: "+strconv.Itoa(pid)+" ppid: 1 cmdline: '"+name+"' } }")
}

func ftrace(events string) string { return packet("ftrace_events { cpu: 0 " + events + " }") }

func track(text string) string { return packet("track_descriptor { " + text + " }") }

func event(ts int, text string) string { return at(ts, "track_event { "+text+" }") }

func slice(from, to, uuid int, name string) string {
	return event(from, "type: TYPE_SLICE_BEGIN track_uuid: "+strconv.Itoa(uuid)+" name: '"+name+"'") + event(to, "type: TYPE_SLICE_END track_uuid: "+strconv.Itoa(uuid))
}

// A new version of the engine that behaves otherwise fails here, before users notice.
func TestBehaviours(t *testing.T) {
	_, document, _ := strings.Cut(string(must.Get(os.ReadFile("../../../docs/dev/verification.md"))(t)), "## Perfetto's engine")
	for _, b := range behaviours {
		if !strings.Contains(document, "| "+b.name+" |") {
			t.Errorf("docs/dev/verification.md does not say why it matters that %s", b.name)
		}
	}
	must.Equal(t, strings.Count(document, "\n| "), len(behaviours)+1, "rows of docs/dev/verification.md, with the header")
	enginetest.ForTest(t)
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			data := &perfettopb.Trace{}
			must.NoError(t, prototext.Unmarshal([]byte(b.packets), data))
			session := enginetest.Load(t, must.Get(proto.Marshal(data))(t))
			lines := strings.Split(strings.TrimSpace(enginetest.Query(t, session, b.sql).String()), "\n")
			must.Equal(t, strings.Join(lines[1:], " "), b.rows)
		})
	}
}
