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
	"ohframe/internal/testing/must"
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

func TestLayers(t *testing.T) { eachCase(t, "layers", layersOf) }

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
		must.Equal(t, layersOf(u.timeline(t)), fmt.Sprintf("1 %q 7 by -1\n  91: 5.0 10.5 18.0 shown\n  92: 15.0 20.5 28.0 shown", want), "%q", name)
	}
}

// event adds an event of the kernel.
func (u *userTrace) event(ms float64, tid, pid int, event string) *userTrace {
	u.line(ms, tid, pid, event)
	last := &u.lines[len(u.lines)-1]
	last.text = strings.Replace(last.text, "print: ", "", 1)
	return u
}

// If the line of a call is lost, the caller is unknown: the caller before it does not count.
func TestStaleCaller(t *testing.T) {
	u := &userTrace{}
	u.event(1004, 201, 200, "binder_transaction: transaction=81 dest_node=1 dest_proc=100 dest_thread=0 reply=0 flags=0x10 code=0x1")
	u.event(1004.1, 150, 100, "binder_transaction_received: transaction=81")
	u.flush(1005, 91).event(1006, 150, 100, "binder_transaction_received: transaction=99")
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
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text.String()), hitrace.Options{}, reconstruct.Options{Limits: trace.Limits{Records: 5, Frames: 4}}))(t)
	if len(timeline.Layers) != 5 || len(timeline.Frames) != 4 || timeline.Diagnostics.Total(analyzer.RecordsOver) == 0 || timeline.Diagnostics.Total(analyzer.FramesOver) == 0 {
		t.Errorf("%d layers, %d frames, diagnostics %v", len(timeline.Layers), len(timeline.Frames), timeline.Diagnostics.Counts)
	}
}
