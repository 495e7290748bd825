package ohframe_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// Each frame has an answer of its kind: one that is late is explained if causes were asked for and the input has them.
func TestWhy(t *testing.T) {
	demo := string(must.Get(os.ReadFile("testdata/demo.ftrace"))(t))
	const dump = "Flags,IntendedVsync,Vsync,FrameDeadline,FrameInterval,SyncQueued,SwapBuffers,FrameCompleted\n" +
		"0,1000000000,1000000000,1020000000,10000000,1001000000,1004000000,1006000000\n" +
		"0,1010000000,1010000000,1030000000,10000000,1011000000,1034000000,1036000000\n"
	framestats := "** Graphics info for pid 4321 [com.example.app] **\n---PROFILEDATA---\n" + dump + "---PROFILEDATA---\n"
	for _, c := range []struct {
		input  string
		causes bool
		late   ohframe.AnswerKind
		text   string // begin of the answers about late frames
	}{
		{demo, true, ohframe.Explained, ""},
		{demo, false, ohframe.NotAsked, "cause unknown: Options.Causes was not set"},
		{framestats, true, ohframe.Unexplained, "cause unknown: the input has no causes (gfxinfo framestats)"},
		{framestats, false, ohframe.NotAsked, "cause unknown: Options.Causes was not set"},
	} {
		read := must.Get(ohframe.Read(t.Context(), strings.NewReader(c.input), ohframe.Options{Causes: c.causes}))(t)
		kinds := map[ohframe.AnswerKind]int{}
		for _, f := range read.Timeline.Frames {
			answer := read.Why(f)
			kinds[answer.Kind]++
			want, text := c.late, c.text
			switch {
			case !f.Judged():
				want, text = ohframe.Unjudged, "unknown whether"
			case !f.Late():
				want, text = ohframe.OnTime, "on time"
			}
			if answer.Kind != want || !strings.HasPrefix(answer.String(), text) || answer.String() == "" || (answer.Explanation != nil) != (want == ohframe.Explained) {
				t.Errorf("%s: %s, %q; want %s, %q", f, answer.Kind, answer, want, text)
			}
		}
		if kinds[c.late] == 0 || kinds[ohframe.OnTime] == 0 {
			t.Errorf("kinds %v", kinds)
		}
	}
}

// Each buffer has an answer of its kind. One that its late frame delayed has the answer of that.
func TestWhyBuffer(t *testing.T) {
	layers := must.Get(os.ReadFile("testdata/layers.ftrace.gz"))(t)
	for _, causes := range []bool{true, false} {
		read := must.Get(ohframe.Read(t.Context(), bytes.NewReader(layers), ohframe.Options{Causes: causes}))(t)
		kinds, byFrame := map[ohframe.AnswerKind]int{}, 0
		for _, l := range read.Timeline.Layers {
			for _, b := range l.Buffers {
				answer := read.WhyBuffer(b)
				kinds[answer.Kind]++
				late := answer.Kind != ohframe.Unjudged && answer.Kind != ohframe.OnTime
				if late != (b.Pace == analyzer.Late) || (answer.Kind == ohframe.Unjudged) != (b.Pace == analyzer.Unpaced) || late && causes == (answer.Kind == ohframe.NotAsked) {
					t.Errorf("buffer %d of %s, pace %q: %s, %s", b.Sequence, l.Name, b.Pace, answer.Kind, answer)
				}
				if late && causes && read.Causes.LateBuffer(b) == nil && b.Frame != nil {
					byFrame++
					must.Equal(t, answer.String(), read.Why(b.Frame).String())
				}
			}
		}
		if kinds[ohframe.Unjudged] == 0 || kinds[ohframe.OnTime] == 0 || causes && (kinds[ohframe.Explained] == 0 || byFrame == 0) || !causes && kinds[ohframe.NotAsked] == 0 {
			t.Errorf("kinds %v, %d by their frame", kinds, byFrame)
		}
	}
}

// A late frame of Android without the slices of its thread has an explanation that says so, and is late
// in the causes, too.
func TestWhyWithoutCause(t *testing.T) {
	const capture = "../shared/traces/android/api32_startup_warm.perfetto-trace"
	b, err := os.ReadFile(capture)
	if err != nil {
		t.Skip(err)
	}
	b = bytes.ReplaceAll(b, []byte("Choreographer#doFrame"), []byte("Choreographer#xxFrame"))
	read := must.Get(ohframe.Read(t.Context(), bytes.NewReader(b), ohframe.Options{Causes: true}))(t)
	must.NoError(t, read.Causes.Validate(read.Timeline))
	late := 0
	var frames []*analyzer.Frame
	for f := range read.Timeline.Complete() {
		frames = append(frames, f)
		answer := read.Why(f)
		if !f.Late() {
			continue
		}
		late++
		must.Equal(t, answer.Kind, ohframe.Unexplained, "%s", f)
		must.Equal(t, answer.String(), "cause unknown: the trace has no Choreographer#doFrame of the frame", "%s", f)
		if answer.Explanation == nil {
			t.Errorf("%s has no explanation", f)
		}
	}
	r := read.Causes.Rank(frames)
	if late != 1 || r.Late != 1 || r.Lost <= 0 || r.Unknown != r.Lost || len(r.Costs) != 1 || r.Costs[0].Lost != r.Lost {
		t.Errorf("%d late frames, ranking %+v", late, r)
	}
	if read.Quality.Verdict != "limited" {
		t.Errorf("data quality: %s", read.Quality)
	}
}

// The causes of a window of a converted trace are whole, and can be stored: they have nothing of frames
// outside of it.
func TestCutCauses(t *testing.T) {
	for _, name := range []string{"demo.ftrace", "flings.ftrace.gz", "layers.ftrace.gz", "functions.ftrace.gz"} {
		var converted bytes.Buffer
		input := must.Get(os.Open("testdata/" + name))(t)
		s := must.Get(ohframe.Convert(t.Context(), input, &converted, ohframe.ConvertOptions{Options: ohframe.Options{Causes: true}}))(t)
		must.Do(t, input.Close())
		explained := 0
		span := s.Timeline.Span
		for i := range 44 { // windows of a tenth of the trace
			from := trace.Duration(i) * span.Duration() / 48
			edge := func(after trace.Duration) trace.Edge {
				return must.Get(trace.ParseEdge(fmt.Sprintf("+%dns", after)))(t)
			}
			o := ohframe.Options{Causes: true, Window: trace.Window{From: edge(from), To: edge(from + span.Duration()/10)}}
			cut := must.Get(ohframe.Read(t.Context(), bytes.NewReader(converted.Bytes()), o))(t)
			must.NoError(t, cut.Causes.Validate(cut.Timeline), name, from)
			stored := must.Get(ohframe.Restore(cut.Store(), ohframe.Options{Causes: true}))(t)
			must.Equal(t, stored.Timeline.String(), cut.Timeline.String(), name)
			must.Equal(t, len(stored.Causes.Frames), len(cut.Causes.Frames), name)
			for f, e := range cut.Causes.Frames {
				if f.Late() && e.Outcome != why.NotKnown {
					explained++
				}
				for _, x := range []*why.Explanation{e, e.Shown, e.PickUp} {
					if x == nil {
						continue
					}
					links := []*analyzer.Frame{x.Root, x.Passed}
					for _, share := range x.Shares {
						links = append(links, share.Earlier)
					}
					for _, to := range links {
						if to != nil && !slices.Contains(cut.Timeline.Frames, to) {
							t.Errorf("%s from %s: the cause of %s is frame %d, which is outside", name, from, f, to.VsyncID)
						}
					}
				}
			}
		}
		if explained == 0 {
			t.Errorf("%s: no late frame has a cause", name)
		}
	}
}

// What kept a thread from frames that it never began is unknown if the ends of its slices were lost.
func TestLostBegins(t *testing.T) {
	var lines strings.Builder
	for line := range strings.Lines(`050377 B|20170|H:ReceiveVsync name:gallery0 dataCount: 24bytes now: 100050123455 expectedEnd: 100066790121 vsyncId: 10003, fd:61|M0538
067621 B|20170|H:ReceiveVsync name:gallery0 dataCount: 24bytes now: 100066790121 expectedEnd: 100083456787 vsyncId: 10004, fd:61|M0538
084058 B|20170|H:ReceiveVsync name:gallery0 dataCount: 24bytes now: 100083456787 expectedEnd: 100100123453 vsyncId: 10005, fd:61|M0538
317247 B|20170|H:OnVsyncEvent now:100316790111|I39
317257 B|20170|H:UIVsyncTask[timestamp:100316790111][vsyncID:10019]|M0539
318067 B|20170|H:FlushLayoutTask|I39
318750 B|20170|H:CreateTaskMeasure[List][self:86][parent:85]|I39
322597 E|20170|I39
323274 E|20170|I39
324286 B|20170|H:FlushMessages|I39
324626 B|20170|H:SendCommands, rsUIContext_:86629490360320|M0538
324636 B|20170|H:MarshRSTransactionData cmdCount: 12, transactionFlag:[20170,307], tid:20170, timestamp:100316790111|M0538
324694 E|20170|M0538
324694 E|20170|M0538
324704 E|20170|I39
324704 E|20170|M0539
324728 E|20170|I39
346577 E|20170|M0539
350660 B|20170|H:ReceiveVsync name:gallery0 dataCount: 24bytes now: 100350123443 expectedEnd: 100366790109 vsyncId: 10021, fd:61|M0538
356728 B|20170|H:MarshRSTransactionData cmdCount: 12, transactionFlag:[20170,309], tid:20170, timestamp:100350123443|M0538
356786 E|20170|M0538
356827 E|20170|M0538
367601 B|20170|H:ReceiveVsync name:gallery0 dataCount: 24bytes now: 100366790109 expectedEnd: 100383456775 vsyncId: 10022, fd:61|M0538
383908 B|20170|H:ReceiveVsync name:gallery0 dataCount: 24bytes now: 100383456775 expectedEnd: 100400123441 vsyncId: 10023, fd:61|M0538
`) {
		after, marker, _ := strings.Cut(line, " ")
		lines.WriteString(" example.gallery-20170 (20170) [007] ....  3700." + after + ": tracing_mark_write: " + marker)
	}
	read := must.Get(ohframe.Read(t.Context(), strings.NewReader(lines.String()), ohframe.Options{Causes: true}))(t)
	found := 0
	for _, e := range read.Causes.Frames {
		if n := e.NotBegun; n != nil {
			found++
			if len(n.Shares) != 1 || n.Shares[0].Wait != why.WaitUnknown || n.Shares[0].Share != n.Lost {
				t.Errorf("%s: %v", e.Frame, n.Shares)
			}
		}
	}
	must.Equal(t, found, 1)
}
