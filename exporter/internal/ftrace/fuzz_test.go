package ftrace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/must"
)

// fuzzNames is how many names of functions encoders remember here: so few that
// they forget.
const fuzzNames = 3

// androidMarker reads a marker as Perfetto does: a name ends at the next bar, but
// that of a slice on a thread, and a number is all of the last field. The end of a
// thread's slice may be one letter.
func androidMarker(text string) (phase byte, pid string, fields []string) {
	if text == "E" {
		return 'E', "", nil
	}
	phase, rest := text[0], text[2:]
	if phase == 'B' {
		pid, name, _ := strings.Cut(rest, "|")
		return phase, pid, []string{name}
	}
	fields = strings.Split(rest, "|")
	return phase, fields[0], fields[1:]
}

// A marker that is written, read by Android's grammar, is the marker that was read.
func FuzzPayload(f *testing.F) {
	for _, text := range []string{
		"B|100|H:with|a|bar|M0538", "B|100|H:blank at the end ", "B|100|", "E|100|M0538", "E", "S|100|H:with|a|bar|12|M62", "F|100|H:name|-12|M0538",
		"C|100|H:name|-9223372036854775808|I62", "C|100|nul\x00in it|3", "C|100|browser|3|category", "I|100|with|a bar", "N|100|track|with|a bar",
		"G|100|track|with|a bar|12", "H|100|track|12", "H|100|track|name|12", "trace_event_clock_sync: realtime_ts=5", "B|1|cut \xe4\xb8|M62",
	} {
		f.Add([]byte(text), int32(500))
	}
	f.Fuzz(func(t *testing.T, args []byte, pid int32) {
		var m hitrace.Marker
		if pid < 0 || hitrace.ParseMarker(args, &m) != hitrace.NoProblem {
			return
		}
		const kept = "kept"
		text, ok := strings.CutPrefix(string(appendPayload([]byte(kept), &m, trace.PID(pid))), kept)
		if !ok {
			t.Fatal("what was in the buffer is gone")
		}
		if m.Phase == hitrace.Sync {
			if text != "trace_event_clock_sync:"+string(m.Name) {
				t.Errorf("%q: %q", args, text)
			}
			return
		}
		substituted := strings.NewReplacer("|", "¦", "\x00", "¦")
		name, track, value := substituted.Replace(string(m.Name)), substituted.Replace(string(m.Track)), strconv.FormatInt(m.Value, 10)
		want := map[hitrace.Phase][]string{
			hitrace.Begin: {string(m.Name)}, hitrace.End: {}, hitrace.Instant: {name}, hitrace.TrackInstant: {track, name},
			hitrace.TrackBegin: {track, name, value}, hitrace.TrackEnd: {track, value},
			hitrace.AsyncBegin: {name, value}, hitrace.AsyncEnd: {name, value}, hitrace.Counter: {name, value},
		}[m.Phase]
		phase, who, fields := androidMarker(text)
		process := strconv.Itoa(int(pid))
		if m.Phase == hitrace.End {
			process = ""
		}
		if phase != byte(m.Phase) || who != process || fmt.Sprintf("%q", fields) != fmt.Sprintf("%q", want) {
			t.Errorf("%q is written as %q: %q, want %q", args, text, fields, want)
		}

		e := NewEncoder(fuzzNames, true)
		var printed perfettopb.FtraceEvent
		must.Do(t, proto.Unmarshal(e.appendPrint(nil, &m, trace.PID(pid)), &printed))
		must.Equal(t, printed.GetPrint().GetBuf(), strings.ToValidUTF8(text, "\uFFFD"), "%q is printed as", text)
	})
}

// maxEncoding is far above the processor time that encoding an event takes, and far below
// what trying all ways to divide its text would.
const maxEncoding = 2 * time.Second

// Any text of a kernel event is encoded, in bounded time, as a message of the
// schema; each function that it names has a name.
func FuzzKernelEvent(f *testing.F) {
	for _, c := range kernelCases {
		f.Add([]byte(c.event), []byte(c.args))
	}
	f.Add([]byte("unknown_event"), []byte("free text key=value other=-12, last=0x1f text"))
	f.Add([]byte("sched_process_fork"), []byte("comm="+strings.Repeat(" pid=", 150)+strings.Repeat(" child_comm=", 20)))
	f.Add([]byte("mm_shrink_slab_start"), []byte(strings.Repeat("a 1: nid: 1 ", 80)))
	f.Add([]byte("block_rq_issue"), []byte(strings.Repeat("8,0 R 1 () 2 + 3 [", 50)))
	shared := newKernelEncoder(fuzzNames)
	f.Fuzz(func(t *testing.T, name, args []byte) {
		k := newKernelEncoder(fuzzNames)
		begun := hostiletest.ProcessorTime()
		buf, ok := k.appendEvent([]byte("before"), name, args)
		if took := hostiletest.ProcessorTime() - begun; took > maxEncoding {
			t.Errorf("%q took %s", name, took)
		}
		body, kept := bytes.CutPrefix(buf, []byte("before"))
		if !kept || ok == (len(name) == 0) || !ok && len(body) > 0 {
			t.Fatalf("%q: %t, %q", name, ok, buf)
		}
		var event perfettopb.FtraceEvent
		if err := proto.Unmarshal(body, &event); err != nil {
			t.Fatalf("%q: %q: %v", name, args, err)
		}
		checkStrings(t, event.ProtoReflect(), string(name))
		if ok && event.Event == nil {
			t.Errorf("%q: %q: nothing", name, args)
		}
		for i, symbol := range symbolNames(t, &k.symbols) {
			if !bytes.Contains(bytes.ToValidUTF8(args, []byte("\uFFFD")), []byte(symbol)) || !utf8.ValidString(symbol) {
				t.Errorf("function %d is %q", i+1, symbol)
			}
		}
		// Earlier events make no difference.
		shared.symbols.reset()
		if again, _ := shared.appendEvent(nil, name, args); !bytes.Equal(again, body) {
			t.Errorf("%q: %q: after others %x, want %x", name, args, again, body)
		}
	})
}
