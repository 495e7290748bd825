package reconstruct_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// slice adds a marker of a thread that lasts some ms.
func (u *userTrace) slice(ms, length float64, tid, pid int, name string) *userTrace {
	return u.line(ms, tid, pid, fmt.Sprintf("B|%d|H:%s|M0538", pid, name)).line(ms+length, tid, pid, fmt.Sprintf("E|%d|M0538", pid))
}

// flush queues a buffer of the layer "video", 7, by a thread of render_service that serves calls.
func (u *userTrace) flush(ms float64, sequence int) *userTrace {
	return u.slice(ms, 0.1, 150, 100, fmt.Sprintf("FlushBuffer name: video queueId: 7 sequence: %d", sequence))
}

// acquire takes a buffer of that layer in render frame n, which the display shows at 1008+10n ms.
func (u *userTrace) acquire(n int, sequences ...int) *userTrace {
	u.render(n, "[200,1]")
	for i, sequence := range sequences {
		at := float64(1000+10*n) + 0.5 + 0.1*float64(i)
		u.line(at, 100, 100, "B|100|H:AcquireBuffer name: video queueId: 7|M0538")
		u.slice(at+0.01, 0.01, 100, 100, fmt.Sprintf("acquire buffer sequence: %d desiredPresentTimestamp: 5 isAutoTimestamp: 1", sequence))
		u.line(at+0.05, 100, 100, "E|100|M0538")
	}
	return u
}

// layersOf describes the layers of a timeline, one a line, and their buffers, one a line. Times
// are in tenths of a ms since 1 s.
func layersOf(timeline *analyzer.Timeline) string {
	at := func(t trace.Time) string {
		if !t.Known() {
			return "-"
		}
		return fmt.Sprintf("%.1f", float64(t-trace.Time(trace.Second))/1e6)
	}
	var lines []string
	for _, l := range timeline.Layers {
		producer := trace.PID(-1)
		if l.Process != nil {
			producer = l.Process.PID
		}
		lines = append(lines, fmt.Sprintf("%d %q %d by %d", l.ID, l.Name, l.Queue, producer))
		for _, b := range l.Buffers {
			text := fmt.Sprintf("  %d: %s %s %s %s", b.Sequence, at(b.Queued), at(b.Acquired), at(b.Present), b.Fate)
			if b.Requested.Known() {
				text += fmt.Sprintf(" requested %s-%s", at(b.Requested.Start), at(b.Requested.End))
			}
			if b.Ready.Known() {
				text += " ready " + at(b.Ready)
			}
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

func TestLayers(t *testing.T) {
	for _, test := range []struct {
		name  string
		trace func(*userTrace)
		want  string
	}{
		{"two buffers", func(u *userTrace) {
			u.flush(1005, 91).acquire(1, 91).flush(1015, 92).acquire(2, 92)
		}, `1 "video" 7 by -1
  91: 5.0 10.5 18.0 shown
  92: 15.0 20.5 28.0 shown`},
		{"taken and never queued", func(u *userTrace) { u.acquire(1, 91).acquire(3, 92) }, `1 "video" 7 by -1
  91: - 10.5 18.0 shown
  92: - 30.5 38.0 shown`},
		{"queued and never taken", func(u *userTrace) { u.flush(1005, 91).flush(1006, 92).acquire(1, 92).flush(1012, 93) }, `1 "video" 7 by -1
  91: 5.0 - - dropped
  92: 6.0 10.5 18.0 shown
  93: 12.0 - - waiting`},
		{"two taken by one frame", func(u *userTrace) { u.flush(1005, 91).flush(1006, 92).acquire(1, 91, 92) }, `1 "video" 7 by -1
  91: 5.0 10.5 - dropped
  92: 6.0 10.6 18.0 shown`},
		{"dropped by a marker", func(u *userTrace) {
			u.flush(1005, 91).flush(1006, 92).acquire(1, 92)
			u.mark(1010.4, 100, "DropBuffer name: video queueId: 7 ,buffer seq: 91 , buffer desiredPresentTimestamp: 5 acquire expectPresentTimestamp: 6")
		}, `1 "video" 7 by -1
  91: 5.0 - - dropped
  92: 6.0 10.5 18.0 shown`},
		{"a sequence twice", func(u *userTrace) { u.flush(1005, 91).acquire(1, 91).flush(1015, 91).acquire(2, 91) }, `1 "video" 7 by -1
  91: 5.0 10.5 18.0 shown
  91: 15.0 20.5 28.0 shown`},
		{"an id that is used again", func(u *userTrace) {
			u.flush(1005, 91).acquire(1, 91)
			u.slice(1015, 0.1, 150, 100, "FlushBuffer name: game queueId: 7 sequence: 92")
		}, `1 "video" 7 by -1
  91: 5.0 10.5 18.0 shown
2 "game" 7 by -1
  92: 15.0 - - waiting`},
		{"layers of one name", func(u *userTrace) {
			u.flush(1005, 91).acquire(1, 91)
			u.slice(1005, 0.1, 150, 100, "FlushBuffer name: video queueId: 8 sequence: 92")
		}, `1 "video" 7 by -1
  91: 5.0 10.5 18.0 shown
2 "video" 8 by -1
  92: 5.0 - - waiting`},
		{"names with anything", func(u *userTrace) {
			u.render(1, "[200,1]")
			u.slice(1005, 0.1, 150, 100, "FlushBuffer name: a name: b queueId: 3 queueId: 8 sequence: 92")
			u.slice(1006, 0.1, 150, 100, "FlushBuffer name:  queueId: 9 sequence: 93")
		}, `1 "a name: b queueId: 3" 8 by -1
  92: 5.0 - - waiting
2 "" 9 by -1
  93: 6.0 - - waiting`},
		{"a frame that is not committed", func(u *userTrace) {
			u.flush(1005, 91).acquire(1, 91)
			for i := range u.lines { // the next frame shows it
				u.lines[i].text = strings.ReplaceAll(u.lines[i].text, "CommitLayers rate:100,now:1010000000,vsyncId:61,", "Nothing ")
			}
			u.render(2, "[200,2]")
		}, `1 "video" 7 by -1
  91: 5.0 10.5 28.0 shown`},
		{"a frame that is not committed, and another buffer", func(u *userTrace) {
			u.flush(1005, 91).acquire(1, 91)
			for i := range u.lines {
				u.lines[i].text = strings.ReplaceAll(u.lines[i].text, "CommitLayers rate:100,now:1010000000,vsyncId:61,", "Nothing ")
			}
			u.flush(1015, 92).acquire(2, 92)
		}, `1 "video" 7 by -1
  91: 5.0 10.5 - dropped
  92: 15.0 20.5 28.0 shown`},
		{"render_service's own", func(u *userTrace) {
			u.acquire(1)
			u.slice(1005, 0.1, 102, 100, "FlushBuffer name: FrameBuffer queueId: 7 sequence: 92")
		}, ""},
		{"render_service's own, without the calls that queue", func(u *userTrace) {
			u.acquire(1)
			u.slice(1013.05, 0.1, 102, 100, "AcquireBuffer name: FrameBuffer queueId: 7")
			u.slice(1013.06, 0.01, 102, 100, "acquire buffer sequence: 92 desiredPresentTimestamp: 5")
		}, ""},
		{"another consumer", func(u *userTrace) {
			u.frames(1)
			u.slice(1005, 0.1, 201, 200, "AcquireBuffer name: picture queueId: 7")
			u.slice(1005.2, 0.1, 201, 200, "acquire buffer sequence: 5")
		}, ""},
		{"requests", func(u *userTrace) {
			u.line(1001, 150, 100, "B|100|H:RequestBuffer name: video queueId: 7 queueSize: 3 reserveSlotNum: 0|M0538")
			u.slice(1004, 0.1, 150, 100, "ReuseBuffer config width: 5 height: 6 usage: 1 format: 12 id: 90")
			u.slice(1004.1, 0.1, 150, 100, "AllocBuffer name: video queueId: 7, config width: 5 height: 6 usage: 1 format: 12 id: 91")
			u.line(1004.5, 150, 100, "E|100|M0538")
			u.flush(1005, 91).acquire(1, 91).flush(1015, 92)
		}, `1 "video" 7 by -1
  91: 5.0 10.5 18.0 shown requested 1.0-4.0
  92: 15.0 - - waiting`},
		{"attached and queued at once", func(u *userTrace) {
			u.acquire(1)
			u.slice(1005, 0.1, 150, 100, "AttachAndFlushBuffer queueId: 7 sequence: 91")
			u.acquire(2, 91)
		}, `1 "video" 7 by -1
  91: 5.0 20.5 28.0 shown`},
		{"the maker of the node", func(u *userTrace) {
			u.app(1001, "B|200|H:a|M0538").app(1002, "E|200|M0538").flush(1005, 91).acquire(1, 91)
			u.mark(1010.7, 100, "RsDebug surfaceHandler(id: 858993459201) AcquireBuffer success, parentNodeId = 858993459200, acquireTimeStamp = 1, buffer timestamp = 0, seq = 91.")
		}, `1 "video" 7 by 200
  91: 5.0 10.5 18.0 shown`}, // 858993459201 = 200 << 32 | 1
		{"the thread that queues, without binder calls", func(u *userTrace) {
			u.slice(1004.9, 0.5, 201, 200, "NativeWindowFlushBuffer").flush(1005, 91).acquire(1, 91)
			u.slice(1005.5, 0.1, 201, 200, "Acquire Fence 12")
			u.slice(1005.6, 3, 202, 200, "Waiting for Acquire Fence 12")
			u.slice(1005.6, 9, 104, 100, "Waiting for Acquire Fence 12") // of another process
		}, `1 "video" 7 by 200
  91: 5.0 10.5 18.0 shown ready 8.6`},
		{"the caller, through another process", func(u *userTrace) {
			u.binder(1004, 201, 200, "binder_transaction: transaction=81 dest_node=1 dest_proc=500 dest_thread=0 reply=0 flags=0x10 code=0x1")
			u.binder(1004.1, 500, 500, "binder_transaction_received: transaction=81")
			u.binder(1004.2, 500, 500, "binder_transaction: transaction=82 dest_node=1 dest_proc=100 dest_thread=0 reply=0 flags=0x10 code=0x2")
			u.binder(1004.3, 150, 100, "binder_transaction_received: transaction=82")
			u.flush(1005, 91)
			u.binder(1005.2, 150, 100, "binder_transaction: transaction=83 dest_node=0 dest_proc=500 dest_thread=500 reply=1 flags=0x0 code=0x0")
			u.binder(1005.3, 500, 500, "binder_transaction_received: transaction=83")
			u.slice(1005.4, 0.1, 500, 500, "Acquire Fence 5 has signaled")
			u.acquire(1, 91).flush(1015, 92) // nobody has called
		}, `1 "video" 7 by 200
  91: 5.0 10.5 18.0 shown ready 5.4
  92: 15.0 - - waiting`},
		{"a thread without a name", func(u *userTrace) {
			u.slice(1005, 0.1, 151, 100, "FlushBuffer name: video queueId: 7 sequence: 91").acquire(1, 91)
		}, `1 "video" 7 by -1
  91: 5.0 10.5 18.0 shown`},
		{"calls without names, 4.1", func(u *userTrace) {
			u.line(1001, 150, 100, "B|100|H:RequestBuffer|M0538").slice(1003, 0.1, 150, 100, "video:91").line(1003.5, 150, 100, "E|100|M0538")
			u.line(1005, 150, 100, "B|100|H:FlushBuffer|M0538").slice(1005.1, 0.1, 150, 100, "video:91").line(1005.3, 150, 100, "C|100|H:video 1").line(1005.5, 150, 100, "E|100|M0538")
			u.acquire(1)
			u.line(1010.5, 100, 100, "B|100|H:AcquireBuffer|M0538").slice(1010.6, 0.1, 100, 100, "video:91").line(1010.8, 100, 100, "C|100|H:video 0").line(1010.9, 100, 100, "E|100|M0538")
		}, `1 "video" 0 by -1
  91: 5.0 10.5 18.0 shown requested 1.0-3.5`},
		{"buffers without numbers, 4.0", func(u *userTrace) {
			for i := range 3 {
				at := 1005 + float64(i)
				u.line(at, 150, 100, "B|100|H:FlushBuffer|M0538").line(at+0.3, 150, 100, fmt.Sprintf("C|100|H:video %d", i+1)).line(at+0.5, 150, 100, "E|100|M0538")
			}
			u.acquire(1)
			u.line(1010.5, 100, 100, "B|100|H:AcquireBuffer|M0538").line(1010.8, 100, 100, "C|100|H:video 1").line(1010.9, 100, 100, "E|100|M0538")
			// One that finds nothing new.
			u.acquire(2)
			u.line(1020.5, 100, 100, "B|100|H:AcquireBuffer|M0538").line(1020.8, 100, 100, "C|100|H:video 1").line(1020.9, 100, 100, "E|100|M0538")
		}, `1 "video" 0 by -1
  0: 5.0 - - dropped
  0: 6.0 10.5 18.0 shown
  0: 7.0 - - waiting`},
		{"an acquire that finds nothing", func(u *userTrace) {
			u.acquire(1)
			u.slice(1010.5, 0.2, 100, 100, "AcquireBuffer name: video queueId: 7")
			u.mark(1010.8, 100, "acquire buffer id: 5 state: 0")
		}, ""},
		{"ends that are lost", func(u *userTrace) {
			u.line(1001, 150, 100, "B|100|H:RequestBuffer name: video queueId: 7 queueSize: 3|M0538")
			u.flush(1005, 91).acquire(1, 91)
			u.line(1011, 150, 100, "B|100|H:RequestBuffer name: video queueId: 7 queueSize: 3|M0538").line(1012, 150, 100, "E|100|M0538")
			u.line(1015, 150, 100, "B|100|H:FlushBuffer name: video queueId: 7 sequence: 92|M0538")
		}, `1 "video" 7 by -1
  91: 5.0 10.5 18.0 shown
  92: 15.0 - - waiting`},
	} {
		u := &userTrace{}
		test.trace(u)
		if got := layersOf(u.timeline(t)); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// A name that is no UTF-8, or that is too long, is that of one layer.
func TestLayerNames(t *testing.T) {
	for name, want := range map[string]string{
		"vi\xffdeo":                        "vi\uFFFDdeo",
		strings.Repeat("v", 300):           strings.Repeat("v", 255),
		"v" + strings.Repeat("\u5c42", 99): "v" + strings.Repeat("\u5c42", 84) + "\uFFFD", // 255 bytes end in a character
	} {
		u := &userTrace{}
		u.flush(1005, 91).acquire(1, 91).flush(1015, 92).acquire(2, 92)
		for i := range u.lines {
			u.lines[i].text = strings.Replace(u.lines[i].text, "name: video", "name: "+name, 1)
		}
		if got, want := layersOf(u.timeline(t)), fmt.Sprintf("1 %q 7 by -1\n  91: 5.0 10.5 18.0 shown\n  92: 15.0 20.5 28.0 shown", want); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// binder adds an event of the kernel.
func (u *userTrace) binder(ms float64, tid, pid int, event string) *userTrace {
	u.line(ms, tid, pid, event)
	last := &u.lines[len(u.lines)-1]
	last.text = strings.Replace(last.text, "print: ", "", 1)
	return u
}

// If the line of a call is lost, the caller is unknown: the caller before it does not count.
func TestStaleCaller(t *testing.T) {
	u := &userTrace{}
	u.binder(1004, 201, 200, "binder_transaction: transaction=81 dest_node=1 dest_proc=100 dest_thread=0 reply=0 flags=0x10 code=0x1")
	u.binder(1004.1, 150, 100, "binder_transaction_received: transaction=81")
	u.flush(1005, 91).binder(1006, 150, 100, "binder_transaction_received: transaction=99")
	u.flush(1007, 92).acquire(1, 92)
	buffers := u.timeline(t).Layers[0].Buffers
	if buffers[0].TID != 201 || buffers[1].TID != 150 {
		t.Errorf("threads %d and %d, want 201 and 150", buffers[0].TID, buffers[1].TID)
	}
}

// Queues count as records, and frames beyond the limit are not remembered.
func TestLimitsOfLayers(t *testing.T) {
	u := &userTrace{}
	u.render(1, "[200,1]")
	for i := range 20 {
		at := 1001 + float64(i)
		u.slice(at, 0.1, 150, 100, fmt.Sprintf("FlushBuffer name: video queueId: %d sequence: 91", i+1))
		u.line(at, 201, 200, fmt.Sprintf("B|200|Choreographer#doFrame %d", i)).line(at+0.5, 201, 200, "E|200")
	}
	var text strings.Builder
	slices.SortStableFunc(u.lines, func(a, b userLine) int { return a.us - b.us })
	for _, l := range u.lines {
		text.WriteString(l.text + "\n")
	}
	timeline, _, err := reconstruct.Analyze(t.Context(), strings.NewReader(text.String()), hitrace.Options{}, reconstruct.Options{Limits: trace.Limits{Records: 5, Frames: 4}})
	if err != nil {
		t.Fatal(err)
	}
	if len(timeline.Layers) != 5 || len(timeline.Frames) != 4 || timeline.Diagnostics.Total(analyzer.RecordsOver) == 0 || timeline.Diagnostics.Total(analyzer.FramesOver) == 0 {
		t.Errorf("%d layers, %d frames, diagnostics %v", len(timeline.Layers), len(timeline.Frames), timeline.Diagnostics.Counts)
	}
}
