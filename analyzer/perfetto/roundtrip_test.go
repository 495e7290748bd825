package perfetto_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/perfetto"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/tracetest"
)

// Reading a trace that ohframe wrote gives the frames that it was made of, in
// all that the packets carry.
func TestRoundTrip(t *testing.T) {
	for _, path := range tracetest.Paths(t) {
		text := []byte(tracetest.Read(t, path))
		for _, options := range []exporter.Options{{}, {Events: exporter.NoEvents}, {Compress: true}} {
			name := fmt.Sprintf("%s/events=%s/compress=%t", tracetest.Name(path), options.Events, options.Compress)
			t.Run(name, func(t *testing.T) { roundTrip(t, text, options) })
		}
	}
}

// The same for frames of every sort, each in a trace of its own.
func TestRoundTripOfGoldens(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/frames/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "trace" })
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			roundTrip(t, archive.Files[i].Data, exporter.Options{})
		})
	}
}

// The time between two traces in one input counts neither in the text nor in the conversion.
func TestRoundTripOfParts(t *testing.T) {
	text, err := os.ReadFile("../../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	later := regexp.MustCompile(`(\] \S+ +)(\d+)(\.\d{6}: )`).ReplaceAllStringFunc(string(text), func(s string) string {
		m := regexp.MustCompile(`(.*?)(\d+)(\.\d{6}: )$`).FindStringSubmatch(s)
		seconds, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("%s%d%s", m[1], seconds+10, m[3])
	})
	text = append(text, later...)
	var written bytes.Buffer
	summary, err := exporter.Convert(t.Context(), bytes.NewReader(text), &written, exporter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := perfetto.Read(t.Context(), &written, perfetto.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Timeline.Parts) != 2 || len(got.Parts) != 2 {
		t.Fatalf("%d parts, in the text %d", len(got.Parts), len(summary.Timeline.Parts))
	}
	want, report := stats.Compute(summary.Timeline, stats.Options{}), stats.Compute(got, stats.Options{})
	if *report.Span != *want.Span || report.Span.Seconds > 9 {
		t.Errorf("span %+v, want %+v", report.Span, want.Span)
	}
	if len(report.Processes) != len(want.Processes) {
		t.Fatalf("%d processes, want %d", len(report.Processes), len(want.Processes))
	}
	for i, p := range report.Processes {
		for _, m := range stats.Measures {
			a, b := m.Of(p), m.Of(want.Processes[i])
			if (a == nil) != (b == nil) || a != nil && *a != *b {
				t.Errorf("%s: %s is %v, want %v", p.Name, m.Name, a, b)
			}
		}
	}
}

func roundTrip(t *testing.T, text []byte, options exporter.Options) {
	options.Version = "v1.2.3"
	var written bytes.Buffer
	summary, err := exporter.Convert(t.Context(), bytes.NewReader(text), &written, options)
	if err != nil {
		t.Fatal(err)
	}
	want := summary.Timeline
	if !perfetto.Sniff(written.Bytes()[:min(512, written.Len())]) {
		t.Error("not taken for a Perfetto trace")
	}
	got, stats, err := perfetto.Read(t.Context(), &written, perfetto.Options{Strict: true})
	if err == perfetto.ErrNoFrames && want.Counts().Frames == 0 {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	if !stats.Ours || stats.Converter != "v1.2.3" || len(stats.Warnings()) > 0 || stats.Unmatched > 0 {
		t.Errorf("stats %+v", stats)
	}
	if got.Clock.Offset != want.Clock.Offset || got.Clock.Source != want.Clock.Source {
		t.Errorf("clock %+v, want %+v", got.Clock, want.Clock)
	}
	if want.Wall.At.Known() {
		if a, b := got.Wall.Unix-int64(got.Wall.At), want.Wall.Unix-int64(want.Wall.At); a != b {
			t.Errorf("time of day is off by %d ns", a-b)
		}
	}
	if a, b := processNames(got), processNames(want); a != b {
		t.Errorf("processes:\n%swant:\n%s", a, b)
	}

	if got.Span != want.Span {
		t.Errorf("span %s, want %s", got.Span, want.Span)
	}
	if a, b := truncatedFrames(got), truncatedFrames(want); !slices.Equal(a, b) {
		t.Errorf("truncated frames %q, want %q", a, b)
	}
	got.Frames = slices.DeleteFunc(got.Frames, func(f *analyzer.Frame) bool { return f.Facts.Has(analyzer.Truncated) })
	var wanted []*analyzer.Frame
	for f := range want.Complete() {
		wanted = append(wanted, f)
	}
	if len(got.Frames) != len(wanted) {
		t.Fatalf("%d frames, want %d", len(got.Frames), len(wanted))
	}
	// Frames that start at the same time may be in another order.
	find := map[string]*analyzer.Frame{}
	for _, f := range got.Frames {
		find[key(f)] = f
	}
	lost := survivors(wanted)
	failures := 0
	for _, w := range wanted {
		g := find[key(w)]
		if g == nil {
			t.Errorf("lost: %s", w)
			continue
		}
		if w.Expected.Known() && w.Present.Known() {
			// Milliseconds in single precision: half a unit of 24 bits, rounded to 1 ns.
			delay := w.Present.Sub(w.Expected.End).Abs()
			if off := g.Present.Sub(w.Present).Abs(); off > 1+delay>>24 {
				t.Errorf("%s: shown at %d, want %d", w, g.Present, w.Present)
			}
		}
		if a, b := describe(g, lost), describe(w, lost); a != b && failures < 10 {
			failures++
			t.Errorf("%s\nwant %s", a, b)
		}
	}
}

// A vsync id that comes twice in a process: ohframe writes one expected
// interval, which is the first frame's. A worker of the same vsync has none.
func TestVsyncTwice(t *testing.T) {
	var r recording
	r.packet(&pb.TracePacket{Data: &pb.TracePacket_TraceAttributes{TraceAttributes: &pb.TraceAttributes{
		Attribute: []*pb.TraceAttributes_Attribute{{Key: proto.String("ohframe.frames")}},
	}}})
	worker := fine
	worker.prediction = pb.FrameTimelineEvent_PREDICTION_UNKNOWN
	r.surface(1, 5, 0, app, "gallery#4400", [2]float64{}, [2]float64{10.5, 15}, worker)
	r.surface(3, 5, 0, app, "gallery#4321", [2]float64{10, 20}, [2]float64{11, 16}, fine)
	r.event(ms(31), actualSurface(5, 5, 0, app, "gallery#4321", fine))
	r.end(ms(32), 5)
	timeline, _ := read(t, r.bytes)
	expected := analyzer.Interval{Start: trace.Time(ms(10)), End: trace.Time(ms(20))}
	if f := timeline.Frames[0]; f.TID != 4400 || f.Expected.Known() || f.Deadline.Known() {
		t.Errorf("worker: %s", f)
	}
	if f := timeline.Frames[1]; f.TID != 4321 || f.Expected != expected {
		t.Errorf("first: %s", f)
	}
	if f := timeline.Frames[2]; f.TID != 4321 || f.Expected.Known() {
		t.Errorf("second: %s", f)
	}
}

// Without the tracks a trace is read like Android's: frames have the verdict that was
// written, and keep their threads and links.
func TestWithoutTracks(t *testing.T) {
	text, err := os.ReadFile("../../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	summary, err := exporter.Convert(t.Context(), bytes.NewReader(text), &written, exporter.Options{NoTracks: true})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := read(t, written.Bytes())
	find := map[string]*analyzer.Frame{}
	for _, f := range got.Frames {
		find[key(f)] = f
	}
	shown, late := 0, 0
	for w := range summary.Timeline.Complete() {
		g := find[key(w)]
		if g == nil || g.Android.Timeline == nil {
			t.Errorf("%v, want a verdict on %s", g, w)
			continue
		}
		a, b := g.Verdict(), w.Verdict()
		if a.Jank != b.Jank || a.Present != b.Present || a.Prediction != b.Prediction || a.Severity != b.Severity {
			t.Errorf("%s: verdict %+v, want %+v", g, a, b)
		}
		wantLate := w.Late() && !w.Facts.Has(analyzer.Empty) // Non Animating is on time
		if g.Late() != wantLate || g.Facts.Has(analyzer.Empty) || g.Coalesced != 0 {
			t.Errorf("%s, want late %t", g, wantLate)
		}
		if w.Late() {
			late++
		}
		if r := w.Render; r != nil && !r.Facts.Has(analyzer.Truncated) && (g.Render == nil || key(g.Render) != key(r)) {
			t.Errorf("%s is not linked to %s", g, r)
		}
		// Milliseconds in single precision: half a unit of 24 bits, rounded to 1 ns.
		if off := g.Present.Sub(w.Present).Abs(); w.Expected.Known() && off > 1+w.Present.Sub(w.Expected.End).Abs()>>24 {
			t.Errorf("%s: shown at %d, want %d", g, g.Present, w.Present)
		}
		if g.Present.Known() {
			shown++
		}
	}
	if shown == 0 || late == 0 {
		t.Errorf("%d frames are shown, %d late", shown, late)
	}
}

func key(f *analyzer.Frame) string {
	return fmt.Sprintf("%s %d %d %d %d", f.Kind, f.Process.PID, f.TID, f.Actual.Start, f.Actual.End)
}

func truncatedFrames(t *analyzer.Timeline) []string {
	var list []string
	for _, f := range t.Frames {
		if f.Facts.Has(analyzer.Truncated) {
			list = append(list, fmt.Sprint(key(f), " ", f.VsyncID))
		}
	}
	slices.Sort(list)
	return list
}

func processNames(t *analyzer.Timeline) string {
	var b strings.Builder
	for _, p := range t.Processes {
		if p.PID == 0 {
			continue
		}
		fmt.Fprintf(&b, "%d %s", p.PID, p.Name)
		for _, th := range p.Threads {
			fmt.Fprintf(&b, " %d=%s", th.TID, th.Name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// loss is what the packets cannot carry of a timeline's frames.
type loss struct {
	expected map[string]bool // keys of frames whose expected interval is another's too, or lacks an end
	id       map[string]bool // keys of render frames whose vsync id is another's too
	// applications: an application frame has an expected interval.
	applications bool
}

func survivors(frames []*analyzer.Frame) loss {
	l := loss{expected: map[string]bool{}, id: map[string]bool{}}
	surface, display := map[string]bool{}, map[int64]bool{}
	for _, f := range frames {
		if f.Kind == analyzer.RenderFrame {
			if display[f.VsyncID] {
				l.id[key(f)] = true
			}
			display[f.VsyncID] = true
			continue
		}
		l.expected[key(f)] = !f.Expected.Known() && f.Expected != analyzer.Interval{}
		if f.Expected.Known() {
			l.applications = true
			k := fmt.Sprint(f.Process.PID, f.VsyncID)
			if surface[k] {
				l.expected[key(f)] = true
			}
			surface[k] = true
		}
	}
	return l
}

// describe says of a frame all that the packets carry.
func describe(f *analyzer.Frame, l loss) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", key(f), f.Process.Name)
	if !l.id[key(f)] {
		fmt.Fprintf(&b, " id %d", f.VsyncID)
	}
	if f.Expected.Known() && !l.expected[key(f)] {
		fmt.Fprintf(&b, " expected %s vsync %d", f.Expected, f.Vsync)
		if f.Kind == analyzer.ApplicationFrame || l.applications { // else nothing need tell
			fmt.Fprintf(&b, " period %d", f.Period)
		}
		fmt.Fprintf(&b, " shown %t", f.Present.Known())
	}
	if !l.expected[key(f)] && (f.Expected.Known() || f.Kind == analyzer.ApplicationFrame) {
		fmt.Fprintf(&b, " deadline %d", f.Deadline)
	}
	empty := f.Facts.Has(analyzer.Empty)
	gpuAlone := f.Facts.Has(analyzer.GPULate) && !f.Facts.Has(analyzer.MainLate)
	fmt.Fprintf(&b, " late %t on the gpu %t empty %t misaligned %t", f.Late() && !(empty && gpuAlone), gpuAlone && !empty, empty, f.Facts.Has(analyzer.Misaligned))
	if f.Kind == analyzer.ApplicationFrame && f.Render != nil && !f.Render.Facts.Has(analyzer.Truncated) {
		fmt.Fprintf(&b, " render %s", key(f.Render))
	}
	var takes []string // in no order: that of the packets is another
	for _, a := range f.Applications {
		if !a.Facts.Has(analyzer.Truncated) {
			takes = append(takes, key(a))
		}
	}
	slices.Sort(takes)
	fmt.Fprintf(&b, " takes %s", takes)
	return b.String()
}
