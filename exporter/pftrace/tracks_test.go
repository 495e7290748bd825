package pftrace

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/tracetest"
)

// descriptorsOf returns the descriptions of tracks in a trace, by id.
func descriptorsOf(t *testing.T, data []byte) map[uint64]*perfettopb.TrackDescriptor {
	t.Helper()
	tracks := map[uint64]*perfettopb.TrackDescriptor{}
	for _, p := range packetsOf(t, data) {
		if d := p.GetTrackDescriptor(); d != nil {
			if tracks[d.GetUuid()] != nil {
				t.Errorf("track %d twice", d.GetUuid())
			}
			tracks[d.GetUuid()] = d
		}
	}
	return tracks
}

// Processes with frames come before all others: applications with late frames, those with
// most of them first, then render services, then other applications, those with most
// frames first. In a process the threads that make frames come first, the main thread
// before others. The engine at hand may be older than what reads this.
func TestProcessOrder(t *testing.T) {
	x := &textTrace{}
	third := thread{"third app", 50, 50, 0}
	fourth := thread{"fourth app", 60, 60, 0}
	for k := range int64(6) {
		x.appFrame(app, due(k)+100, due(k)+1_000, appVsync(k, k+1), int(k))
		x.workerFrame(uiWorker, due(k)+100, due(k)+1_000, appVsync(k, k+1), 100+int(k))
		x.renderFrame(due(k)+100, due(k)+1_000, renderVsync(k, k+1), due(k)+1_000, "")
		if k < 3 {
			begin, v := due(2*k)+100, appVsync(2*k, k+1)
			end := func(late bool) int64 { return begin + 900 + int64(truth(late))*casePeriod }
			x.appFrame(fourth, begin, end(false), v, int(k))
			x.appFrame(other, begin, end(k == 2), v, int(k))
			x.appFrame(third, begin, end(k != 1), v, int(k))
		}
	}
	x.mark(due(0), thread{"no frames", 10, 10, 0}, "I|10|here")
	data, _ := convert(t, x.String(), Options{})
	tracks := descriptorsOf(t, data)
	if root := tracks[0]; root.GetProcessOrdering() != perfettopb.TrackDescriptor_PROCESS_ORDERING_EXPLICIT ||
		root.GetThreadOrdering() != perfettopb.TrackDescriptor_THREAD_ORDERING_EXPLICIT {
		t.Errorf("processes or threads are not ordered: %v", root)
	}
	processes, threads := map[int]int32{}, map[int]int32{} // ranks
	for _, d := range tracks {
		switch {
		case d.GetProcess() != nil:
			processes[int(d.GetProcess().GetPid())] = d.GetSiblingOrderRank()
		case d.GetThread() != nil:
			tid := int(d.GetThread().GetTid())
			if _, twice := threads[tid]; twice {
				t.Errorf("thread %d has two tracks, and is two threads for Perfetto", tid)
			}
			threads[tid] = d.GetSiblingOrderRank()
		}
	}
	check := func(ranks map[int]int32, order ...int) {
		t.Helper()
		for i, id := range order {
			if ranks[id] >= 0 || i > 0 && ranks[id] <= ranks[order[i-1]] {
				t.Errorf("%d has rank %d, after %v of %v", id, ranks[id], order[:i], ranks)
			}
		}
	}
	check(processes, third.pid, other.pid, rs.pid, app.pid, fourth.pid)
	check(threads, app.pid, uiWorker.tid)
	if len(processes) != 5 || len(threads) != 6 {
		t.Errorf("%d processes and %d threads have ranks", len(processes), len(threads))
	}
}

// Why the frames of a thread were late is directly below them, the main thread first, then
// come interactions, and whole frames, which need several rows, are last.
func TestTrackOrder(t *testing.T) {
	data, _ := convert(t, tracetest.Read(t, "../../testdata/demo.ftrace"), Options{Analysis: analysis.Options{Causes: true}})
	compare(t, "order", packetSections(t, data)["order"], rows{
		"Late frames: Late frames (example.gallery); Late frames (m.example.notes); Late frames (render_service)",
		"1027 Frames: Why; GPU (Frame queued); Commit; Present; FPS; Refresh rate; Lost time; Report; Hitches; Refresh rate",
		"20170 Frames: Why; Frames (OS_UI_Worker_1 20177); Why (OS_UI_Worker_1 20177); Waited for (OS_UI_Worker_1 20177); " +
			"FPS; Lost time; Report; Hitches; Whole frame actual; Whole frame expected",
		"20480 Frames: Why; FPS; Lost time; Report; Hitches; Whole frame actual; Whole frame expected",
	})
	data, _ = convert(t, simulated(t, simulate.Demonstration()), Options{Analysis: analysis.Options{Causes: true}})
	compare(t, "order with interactions", packetSections(t, data)["order"], rows{
		"Late frames: Late frames (com.example.gallery); Late frames (com.example.notebook)",
		"1027 Frames: Commit; Present; FPS; Refresh rate; Report",
		"12450 Frames: Interactions; FPS; Report; Whole frame actual; Whole frame expected",
		"20170 Frames: Why; Waited for; Interactions; FPS; Lost time; Report; Hitches; Whole frame actual; Whole frame expected",
		"21480 Frames: Why; Interactions; FPS; Report; Hangs; Whole frame actual; Whole frame expected",
	})
	// The simulated hang is one slice that runs all the time.
	var hang, did []string
	for _, line := range packetSections(t, data)["tracks"] {
		words := strings.Fields(line)
		switch strings.Join(words[:2], " ") {
		case "21480 Hangs":
			hang = append(hang, words[2])
		case "21480 Why":
			did = append(did, words[2])
		}
	}
	if len(hang) != 1 || !slices.Equal(hang, did) {
		t.Errorf("a hang at %v, explained at %v", hang, did)
	}
}

// The late pictures of an application that draws outside frames, and the late buffers of a producer without frames, are
// on the track of what was late. Those of applications with frames are there by their late frames.
func TestLateBuffersTrack(t *testing.T) {
	var text bytes.Buffer
	config := simulate.Timed(false)
	truth := must.Get(simulate.Write(&text, config))(t)
	data, _ := convert(t, text.String(), Options{Analysis: analysis.Options{Causes: true}})
	var late simulate.PictureTruth
	for _, p := range truth.Timers[0].Pictures {
		if p.Number == config.Apps[0].Timers[0].Troubles[0].Buffer {
			late = p
		}
	}
	const name = "com.kuikly.app outside frames"
	title := fmt.Sprintf(`\d+\.\.%d %d late \d+\.\d ms · `, late.Present, late.Index)
	want := regexp.MustCompile("^Late frames " + title + name + ` · queued late: the producer ran .*Compose:draw.* \(late\)$`)
	below := regexp.MustCompile(`^Late frames \(` + name + `\) ` + title + "queued late: the producer ran .*Compose:draw")
	found, foundBelow := 0, 0
	for _, line := range packetSections(t, data)["tracks"] {
		if strings.HasPrefix(line, "Late frames") {
			t.Log(line)
		}
		if want.MatchString(line) {
			found++
		}
		if below.MatchString(line) {
			foundBelow++
		}
	}
	must.Equal(t, found, 1)
	must.Equal(t, foundBelow, 1)
}

// Where the main thread has no frames, the track that has the others below it shows those of the thread with the most
// late ones: it has slices without a click. Each frame is there once.
func TestFramesOfWorkers(t *testing.T) {
	data, summary := convert(t, simulated(t, simulate.Layered()), Options{Analysis: analysis.Options{Causes: true}})
	want := map[string]int{} // frames by thread
	late := map[string]int{}
	for f := range summary.Timeline.Complete() {
		want[fmt.Sprint(f.Process.PID, " ", f.TID)]++
		late[fmt.Sprint(f.Process.PID, " Frames")] += truth(f.Late())
	}
	got, workers := map[string]int{}, 0
	line := regexp.MustCompile(`^(\d+) (Frames(?: \(.*? (\d+)\))?) \d+\.\.\d+ (\d+)( late)?.*?(?: tid=(\d+)|$)`)
	for _, text := range packetSections(t, data)["tracks"] {
		if m := line.FindStringSubmatch(text); m != nil {
			got[m[1]+" "+cmp.Or(m[6], m[1])]++
			late[m[1]+" "+m[2]] -= truth(m[5] != "")
			workers += truth(m[2] == "Frames" && m[6] != "")
		}
	}
	if !maps.Equal(got, want) || workers == 0 {
		t.Errorf("got frames %v, %d of workers; want %v", got, workers, want)
	}
	for track, n := range late {
		must.Equal(t, n, 0, "late frames that %s lacks", track)
	}
}

// Vsyncs on which no frame began are slices up to the next frame's vsync.
func TestNeverBeganTrack(t *testing.T) {
	var text bytes.Buffer
	truth := must.Get(simulate.Scene{Kernel: simulate.KernelLinux, Cause: "not_begun", Seed: 2}.Generate(&text))(t)
	data, _ := convert(t, text.String(), Options{Analysis: analysis.Options{Causes: true}})
	var got rows
	above := 0 // on the track of all processes
	for _, line := range packetSections(t, data)["tracks"] {
		if strings.Contains(line, " Never began ") {
			got = append(got, line)
		} else if strings.HasPrefix(line, "Late frames ") && !strings.HasPrefix(line, "Late frames (") && strings.Contains(line, "1 frame never began · ") {
			above++
		}
	}
	must.Equal(t, len(got), len(truth.Causes))
	must.Equal(t, above, len(truth.Causes))
	for i, c := range truth.Causes {
		if !strings.Contains(got[i], "1 frame never began") || !strings.Contains(got[i], fmt.Sprintf("vsync_id=%d", c.Vsync)) {
			t.Errorf("%s, want frame %d", got[i], c.Vsync)
		}
	}
}

// Each screen but the main one has a track with what it showed.
func TestScreenTracks(t *testing.T) {
	presents := func(name string) (list rows) {
		text := caseFile(t, "../../testdata/frames/"+name+".txtar")["trace"]
		data, _ := convert(t, text, Options{})
		for _, line := range packetSections(t, data)["tracks"] {
			if strings.Contains(line, " Present") {
				list = append(list, line)
			}
		}
		return list
	}
	compare(t, "both screens", presents("present-two-screens"), rows{
		"100 Present (screen 1) 1015000000..1025000000 60",
		"100 Present (screen 1) 1025000000..1028000000 61",
		"100 Present 1018000000..1028000000 60",
		"100 Present 1028000000..1028000000 61",
	})
	compare(t, "one screen", presents("era-6.1"), rows{"100 Present 1020000000..1020000000 60"})
}

// The first annotations of a late frame say why it was late, what to do, and by how much it
// was late, and those of one that was picked up late by how much and why.
func TestFirstAnnotations(t *testing.T) {
	data, _ := convert(t, tracetest.Read(t, "../../testdata/demo.ftrace"), Options{Analysis: analysis.Options{Causes: true}})
	state := newTrackState()
	late, pickedUp := 0, 0
	for _, p := range packetsOf(t, data) {
		state.add(p)
		e := ownEvent(p)
		if e.GetType() != perfettopb.TrackEvent_TYPE_SLICE_BEGIN || !strings.HasPrefix(state.tracks[e.GetTrackUuid()].GetName(), "Frames") {
			continue
		}
		var keys []string
		for _, a := range e.GetDebugAnnotations() {
			keys = append(keys, state.keys[a.GetNameIid()])
		}
		first := strings.Join(keys, " ")
		switch {
		case len(e.GetCategoryIids()) > 0:
			late++
			if !strings.HasPrefix(first, "cause advice overrun_ms ") && !strings.HasPrefix(first, "cause overrun_ms ") {
				t.Errorf("late frame %s: %s", state.sliceName(e), first)
			}
		case slices.Contains(keys, "picked_up_late_ms"):
			pickedUp++
			if !strings.HasPrefix(first, "picked_up_late_cause picked_up_late_ms ") {
				t.Errorf("frame %s that was picked up late: %s", state.sliceName(e), first)
			}
		}
	}
	if late != 9 || pickedUp == 0 {
		t.Errorf("%d late frames, %d that were picked up late", late, pickedUp)
	}
}

// A render frame that begins when the application frame that it shows ends is after it: an arrow leads to it.
func TestArrowToNextFrame(t *testing.T) {
	for begin, want := range map[int64]bool{-1: false, 0: true, 1: true} {
		x := &textTrace{}
		end := due(1)
		x.appFrame(app, due(0)+100, end, appVsync(0, 1), 5)
		x.renderFrame(end+begin, due(1)+6_000, renderVsync(1, 50), due(1)+1_000, " [200,5]")
		data, _ := convert(t, x.String(), Options{})
		arrow := fmt.Sprintf("200 Frames %d 1 -> 100 Frames %d 50", (due(0)+100)*1000, (end+begin)*1000)
		must.Equal(t, slices.Contains(packetSections(t, data)["arrows"], arrow), want, "%d µs after: arrow", begin)
	}
}
