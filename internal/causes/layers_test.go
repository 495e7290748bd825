package causes_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

// layerAt returns a layer with a cadence of 30 ms and buffers that are shown at the given
// times, in ms. Those in explained have that reason, and lost their overrun to storage if it is
// queued_late.
func layerAt(id int, name string, c *why.Causes, explained map[int]why.Outcome, shown ...int) *analyzer.Layer {
	l := &analyzer.Layer{ID: id, Name: name, Queue: int64(40 + id), Cadences: []analyzer.Cadence{{Every: 30 * ms, Buffers: 1, Shown: 1}}, Process: &analyzer.Process{PID: 500, Name: "com.example.video"}}
	for i, at := range shown {
		b := &analyzer.Buffer{Layer: l, Sequence: int64(i + 1), Queued: moment(at - 20), Present: moment(at), Fate: analyzer.Shown}
		l.Buffers = append(l.Buffers, b)
		if i == 0 {
			continue
		}
		b.Pace, b.Interval = analyzer.Even, trace.Duration(at-shown[i-1])*ms
		if b.Interval > 30*ms {
			b.Pace = analyzer.Late
		}
		reason, ok := explained[i]
		if !ok {
			continue
		}
		late := &why.Explanation{Buffer: b, Outcome: reason, Start: moment(shown[i-1] - 20), End: moment(at), Lost: b.Overrun(), Steps: []why.Step{
			{Name: why.StepProduce, Start: moment(shown[i-1] - 20), Time: moment(at - 20).Sub(moment(shown[i-1] - 20)), Usual: 30 * ms},
			{Name: why.StepQueue, Start: moment(at - 20), Time: moment(at).Sub(moment(at - 20)), Usual: 20 * ms},
		}}
		if reason == why.QueuedLate {
			late.Shares = []why.Share{{Stage: why.StageProduce, Wait: why.WaitIO, Slice: "ReadFrame", Value: 15 * ms, Share: b.Overrun(), Advice: why.AdviseSystemIO}}
		}
		c.Buffers[b] = late
	}
	return l
}

const ms = trace.Millisecond

func moment(at int) trace.Time { return trace.Time(at) * trace.Time(ms) }

// A layer lost 30 + 10 ms to storage, 20 to a frame that did not take a buffer, and 10 to a late
// frame. Another one is even, and one has no cadence.
func layersOf(t *testing.T) (*analyzer.Timeline, *why.Causes) {
	t.Helper()
	c := &why.Causes{Scheduled: true, Woken: true, Frames: map[*analyzer.Frame]*why.Explanation{}, Buffers: map[*analyzer.Buffer]*why.Explanation{}}
	video := layerAt(1, "video", c, map[int]why.Outcome{2: why.QueuedLate, 4: why.QueuedLate, 5: why.TakenLate}, 100, 130, 190, 220, 260, 310, 350)
	frame := &analyzer.Frame{Framework: analyzer.Flutter, Facts: analyzer.MainLate, VsyncID: 77}
	video.Buffers[6].Frame = frame
	even := layerAt(2, "even", c, nil, 100, 130, 160)
	still := &analyzer.Layer{ID: 3, Name: "still", Buffers: []*analyzer.Buffer{{Present: 7}}}
	still.Buffers[0].Layer = still
	tl := &analyzer.Timeline{Layers: []*analyzer.Layer{video, even, still}}
	must.Do(t, c.Validate(tl))
	return tl, c
}

func TestLayers(t *testing.T) {
	tl, c := layersOf(t)
	write := func(o causes.Options, format string) string {
		in := causes.Input{Name: "trace", Causes: c, Start: moment(50), Layers: causes.Layers(tl, c, o)}
		var b bytes.Buffer
		must.Do(t, causes.Write(&b, &in, format, o, text.Style{}))
		return b.String()
	}
	const summary = "video: 4 of 6 buffers late, 70.0 ms lost, 57 % of it queued late: waiting for storage in ReadFrame"
	got := strings.Join(strings.Fields(write(causes.Options{}, "text")), " ")
	for _, want := range []string{
		summary,
		"no late buffers of 2 in 2 other layers, 1 without a cadence",
		"video · layer 1 · of com.example.video · one buffer every 30.0 ms",
		"Lost 70.0 ms in 4 late buffers of 6",
		"57 % 40.0 ms queued late: waiting for storage in ReadFrame · 2 buffers, worst at +140.0 ms read files before the frame, or on another thread",
		"29 % 20.0 ms taken late by render_service · 1 buffer",
		"1 buffer of late frames (77) lost 10.0 ms to them, explained with their process",
		"+140.0 ms 30.0 ms queued late: the producer waited 15.0 ms for storage in ReadFrame; usual 0.0",
	} {
		must.Contain(t, got, want)
	}
	must.Lack(t, got, "Usual", "the steps are shown without --layer")
	chosen := causes.Options{Layer: func(l *analyzer.Layer) bool { return l.Name == "video" }}
	got = strings.Join(strings.Fields(write(chosen, "text")), " ")
	if want := "(77) lost 10.0 ms to them: ohframe why --frame 77 explains the first"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if want := "Step Usual +140.0 ms +210.0 ms +260.0 ms producer 30.0 60.0 40.0 50.0 wait for render_service 20.0 20.0 20.0 20.0 sum 50.0 80.0 60.0 70.0"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	var document struct {
		Layers []struct {
			ID           int
			Late, Judged int
			Lost         int64 `json:"lost_ns"`
			OfFrames     int   `json:"of_frames"`
			Causes       []struct {
				Reason string
				Lost   int64 `json:"lost_ns"`
				Share  float64
			}
			Buffers []struct {
				Sequence int
				Late     int64 `json:"late_ns"`
				Steps    []struct{ NS int64 }
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(write(causes.Options{}, "json")), &document))
	list := document.Layers
	if len(list) != 3 || list[0].ID != 1 || list[1].ID != 2 {
		t.Fatalf("layers %+v", list)
	}
	video := list[0]
	if video.Late != 4 || video.Judged != 6 || video.Lost != 70e6 || video.OfFrames != 1 || len(video.Causes) != 2 || video.Causes[0].Lost != 40e6 || video.Causes[0].Share != 4.0/7 ||
		len(video.Buffers) != 3 || video.Buffers[0].Sequence != 3 || video.Buffers[0].Late != 30e6 || video.Buffers[0].Steps[0].NS != 60e6 {
		t.Errorf("layer %+v", video)
	}
}

// What is asked about layers without late buffers has an answer: so many on time, or no cadence.
func TestAnswerOfLayers(t *testing.T) {
	tl, c := layersOf(t)
	for _, test := range []struct {
		layers string // names
		answer string
	}{
		{"even", "even: 0 of 2 buffers late"},
		{"still", "still: no cadence: which buffers are late is unknown"},
		{"even still", "no late buffers of 2 in 2 layers, 1 without a cadence"},
		{"video even", "video: 4 of 6 buffers late, 70.0 ms lost, 57 % of it queued late: waiting for storage in ReadFrame"},
	} {
		o := causes.Options{Layer: func(l *analyzer.Layer) bool { return strings.Contains(test.layers, l.Name) }, LayerPattern: "x"}
		in := &causes.Input{Name: "trace", Causes: c, Start: moment(50), Layers: causes.Layers(tl, c, o)}
		var words, evidence bytes.Buffer
		must.Do(t, errors.Join(causes.Write(&words, in, "text", o, text.Style{}), causes.Write(&evidence, in, "evidence", o, text.Style{})))
		first, _, _ := strings.Cut(words.String(), "\n\n")
		must.Equal(t, strings.Join(strings.Fields(first), " "), test.answer, "the first line about %s", test.layers)
		var document struct{ Answer string }
		if err := json.Unmarshal(evidence.Bytes(), &document); err != nil || document.Answer != test.answer {
			t.Errorf("the answer about %s: %q, %v, want %q", test.layers, document.Answer, err, test.answer)
		}
	}
}

// A buffer is late by one time everywhere. What its late frame explains of that has a name of its own.
func TestLatenessOfBuffer(t *testing.T) {
	c := &why.Causes{Scheduled: true, Frames: map[*analyzer.Frame]*why.Explanation{}, Buffers: map[*analyzer.Buffer]*why.Explanation{}}
	video := layerAt(1, "video", c, map[int]why.Outcome{2: why.TakenLate, 3: why.TakenLate}, 100, 130, 190, 235)
	late := video.Buffers[2] // by 30 ms; its frame missed one refresh of that
	f := &analyzer.Frame{Process: video.Process, VsyncID: 77, Deadline: moment(120), Actual: analyzer.Interval{Start: moment(110), End: moment(124)}}
	f.Judge()
	late.Frame, late.Render = f, &analyzer.Frame{Period: 10 * ms}
	c.Buffers[late].Lost = 20 * ms
	c.Frames[f] = &why.Explanation{Frame: f, Start: f.Actual.Start, End: f.Actual.End, Lost: 4 * ms, Shares: []why.Share{{Wait: why.Run, Value: 14 * ms, Usual: 10 * ms, Share: 4 * ms}}}
	tl := &analyzer.Timeline{Layers: []*analyzer.Layer{video}, Frames: []*analyzer.Frame{f}}
	write := func(o causes.Options, format string) string {
		in := causes.Input{Name: "trace", Causes: c, Start: moment(50), Processes: causes.Processes(tl, c, o), Layers: causes.Layers(tl, c, o)}
		var b bytes.Buffer
		must.Do(t, causes.Write(&b, &in, format, o, text.Style{}))
		return b.String()
	}
	const explains = "; its late frame 77 explains 10.0 of the 30.0 ms"
	chosen := causes.Options{Layer: func(*analyzer.Layer) bool { return true }, LayerPattern: "video"}
	for want, o := range map[string]causes.Options{"+140.0 ms 30.0 ms taken late": chosen, "its buffer of video was shown 30.0 ms late: ": {Vsync: 77}} {
		if got := strings.Join(strings.Fields(write(o, "text")), " "); !strings.Contains(got, want) || !strings.Contains(got, explains) {
			t.Errorf("no %q or %q in\n%s", want, explains, got)
		}
	}
	for _, format := range []string{"json", "evidence"} {
		got := strings.Join(strings.Fields(write(chosen, format)), "")
		if want := `"late_ns":30000000,"lost_ns":20000000,`; !strings.Contains(got, want) {
			t.Errorf("no %s in %s\n%s", want, format, got)
		}
	}
}

// A process without layers is what does not match, if the layer does.
func TestLayerOfOtherProcess(t *testing.T) {
	tl, _ := layersOf(t)
	o := causes.Options{
		Layer: func(l *analyzer.Layer) bool { return l.Name == "video" }, LayerPattern: "video",
		Process: func(*analyzer.Process) bool { return false }, Pattern: "nope",
	}
	err := causes.CheckChosen(&causes.Input{}, o, tl)
	if want := "--process: no process with layers matches"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	o.Layer = func(*analyzer.Layer) bool { return false }
	err = causes.CheckChosen(&causes.Input{}, o, tl)
	if want := "--layer: no layer matches"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := causes.CheckChosen(&causes.Input{}, o, &analyzer.Timeline{}); err == nil || err.Error() != "--layer: no layers" {
		t.Errorf("of a trace without layers: %v", err)
	}
}

// The layer that lost the most comes first in the summary, even if only late frames delayed it.
// It has no ranking. A cause below 1 % counts as another one.
func TestSmallCauses(t *testing.T) {
	c := &why.Causes{Buffers: map[*analyzer.Buffer]*why.Explanation{}}
	frames := layerAt(1, "frames", c, nil, 100, 130, 400)
	frames.Buffers[2].Frame = &analyzer.Frame{Facts: analyzer.MainLate, VsyncID: 77}
	long := "0123456789 SurfaceView[com.example.application]#1313_137Surface"
	small := layerAt(2, long, c, map[int]why.Outcome{1: why.QueuedLate}, 100, 330, 360)
	late := c.Buffers[small.Buffers[1]]
	other := late.Shares[0]
	other.Wait, other.Share = why.Run, ms
	late.Shares[0].Share -= ms
	late.Shares = append(late.Shares, other)
	tl := &analyzer.Timeline{Layers: []*analyzer.Layer{frames, small}}
	for _, all := range []bool{false, true} {
		o := causes.Options{All: all}
		in := causes.Input{Name: "trace", Causes: c, Layers: causes.Layers(tl, c, o)}
		var b bytes.Buffer
		must.Do(t, causes.Write(&b, &in, "text", o, text.Style{}))
		got := b.String()
		if !strings.HasPrefix(got, "frames: 1 of 2 buffers late, 240.0 ms lost, 100 % of it late frames of its producer") || strings.Contains(got, "\n\n\n") {
			t.Errorf("all %v: %s", all, got)
		}
		if strings.Contains(got, "1 other cause") == all || strings.Contains(got, "queued late: running") != all {
			t.Errorf("all %v: %s", all, got)
		}
		if strings.Contains(got, long) || !strings.Contains(got, "· layer 2 · of com.example.video") {
			t.Errorf("the title of a long name: %s", got)
		}
	}
}

// What --frame shows of a frame on time has its late buffer.
func TestFrameWithLateBuffer(t *testing.T) {
	tl, c := layersOf(t)
	video := tl.Layers[0]
	f := &analyzer.Frame{Process: video.Process, VsyncID: 55, Actual: analyzer.Interval{Start: moment(150), End: moment(160)}}
	c.Frames[f] = &why.Explanation{Frame: f, Start: f.Actual.Start, End: f.Actual.End}
	tl.Frames = []*analyzer.Frame{f}
	video.Buffers[2].Frame = f
	o := causes.Options{Vsync: 55}
	in := causes.Input{Name: "trace", Causes: c, Processes: causes.Processes(tl, c, o)}
	var b bytes.Buffer
	must.Do(t, causes.Write(&b, &in, "text", o, text.Style{}))
	want := "its buffer of video was shown 30.0 ms late: queued late: the producer waited 15.0 ms for storage in ReadFrame; usual 0.0; ohframe why --layer 1 has more"
	if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, want) || strings.Count(got, "its buffer") != 1 {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// Without late buffers, one line says so. Of many layers with late buffers, the worst are listed.
func TestManyLayers(t *testing.T) {
	c := &why.Causes{Buffers: map[*analyzer.Buffer]*why.Explanation{}}
	tl := &analyzer.Timeline{}
	for id := range 12 {
		tl.Layers = append(tl.Layers, layerAt(id+1, "list", c, map[int]why.Outcome{1: why.TakenLate}, 100, 131+id, 170+id))
	}
	for _, all := range []bool{false, true} {
		o := causes.Options{All: all}
		var b bytes.Buffer
		in := causes.Input{Name: "trace", Causes: c, Layers: causes.Layers(tl, c, o)}
		must.Do(t, causes.Write(&b, &in, "text", o, text.Style{}))
		want := 10
		if all {
			want = 12
		}
		if n := strings.Count(b.String(), "· layer "); n != want || strings.Contains(b.String(), "… and 2 layers with late buffers that lost less; --all lists all") == all {
			t.Errorf("all %v: %d layers in\n%s", all, n, &b)
		}
	}
}

// The page shows first what its first line begins with.
func TestPageBeginsWithSubject(t *testing.T) {
	c := &why.Causes{Buffers: map[*analyzer.Buffer]*why.Explanation{}}
	short := layerAt(1, "short", c, map[int]why.Outcome{1: why.QueuedLate}, 100, 140)
	layer := layerAt(2, "video", c, map[int]why.Outcome{1: why.QueuedLate}, 100, 330)
	app := causes.NewProcess(&analyzer.Process{PID: 7, Name: "com.example.gallery"}, stats.Application, nil, c)
	for lost, want := range map[trace.Duration]string{ms: "layer-0", 900 * ms: "process-0"} {
		e := &why.Explanation{Frame: &analyzer.Frame{VsyncID: 1}, Outcome: why.JustMissed, Lost: lost}
		app.Frames, app.Late, app.Ranking = stats.Counts{Complete: 1, Judged: 1, Late: 1}, []*why.Explanation{e}, &why.Ranking{Late: 1, Lost: lost}
		var b bytes.Buffer
		in := causes.Input{Name: "trace", Causes: c, Processes: []*causes.ExplainedProcess{app}, Layers: causes.Layers(&analyzer.Timeline{Layers: []*analyzer.Layer{short, layer}}, c, causes.Options{})}
		must.Do(t, causes.Write(&b, &in, "html", causes.Options{}, text.Style{}))
		must.Contain(t, b.String(), `data-first="`+want+`"`, "the process lost %s", lost)
	}
}
