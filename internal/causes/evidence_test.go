package causes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/brief"
	"ohframe/internal/locate"
	"ohframe/internal/quality"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
	"ohframe/internal/text"
)

// told is what the tests read of a document.
type told struct {
	Version          int
	Question, Answer string
	Against          []string
	Record           []brief.Record
	Inputs           []struct{ Name, Missing string }
	Processes        []toldProcess
	Interactions     []toldInteraction
	Layers           []struct {
		Process  string
		PID      *int
		Cadences []any
		toldCauses
		Late     int
		OfFrames int `json:"of_frames"`
		Buffers  []toldLate
	}
	Hangs []struct {
		Cause, Why string
		Culprit    *toldThread
		Path       []struct {
			Slice     string
			Calls     int
			Time      trace.Duration `json:"value_ns"`
			Arguments []why.Argument
		}
		Slices []toldSlice
	}
	Stacks []struct {
		Stacks          int
		Functions, Path []any
		LeftOut         map[string]int `json:"left_out"`
	}
	LeftOut map[string]int `json:"left_out"`
}

type toldProcess struct {
	Name, Kind           string
	PID                  int
	Inputs               []string
	Frames, Judged, Late int
	toldCauses
	LateFrames []toldLate    `json:"late_frames"`
	ByInput    []toldProcess `json:"by_input"`
	Functions  []struct {
		Function, Module, Wait, Stage string
		Total                         trace.Duration `json:"total_excess_ns"`
		Frames, Samples               int
	}
}

type toldCauses struct {
	Lost    trace.Duration `json:"lost_ns"`
	Unknown trace.Duration `json:"unknown_ns"`
	Against []string
	Causes  []struct {
		Title, Reason, Wait, Stage, Slice, Function string
		Lost                                        trace.Duration `json:"lost_ns"`
		Share                                       float64
		Frames, Buffers                             int
		Culprit                                     *toldThread
		Worst                                       toldLate
		Against                                     []string
	}
	LeftOut map[string]int `json:"left_out"`
}

type toldThread struct {
	Process, Thread, Slice, Wait string
	Time                         trace.Duration `json:"ns"`
}

type toldSlice struct {
	Slice   string
	Running trace.Duration `json:"running_ns"`
	Waiting trace.Duration `json:"waiting_ns"`
	Unknown trace.Duration `json:"unknown_ns"`
}

type toldLate struct {
	Vsync                     int64 `json:"vsync_id"`
	Input                     string
	Late                      trace.Duration  `json:"late_ns"`
	Lost                      trace.Duration  `json:"lost_ns"`
	Value                     *trace.Duration `json:"value_ns"`
	Usual                     *trace.Duration `json:"usual_ns"`
	Known                     float64         `json:"known_share"`
	Verdict, Cause, Why, Open string
	Dropped                   bool
	Shares                    []struct{ Wait, Slice string }
	Steps                     []toldStep
	Slices                    []toldSlice
	Functions                 []any
	Calls                     []struct {
		Function string
		Caller   int
		Time     trace.Duration `json:"ns"`
	}
}

type toldStep struct {
	Step    string
	Time    trace.Duration  `json:"ns"`
	Usual   *trace.Duration `json:"usual_ns"`
	Threads []struct {
		Idle  trace.Duration `json:"idle_ns"`
		Waits []struct {
			Wait string
			Time trace.Duration `json:"value_ns"`
		}
	}
}

type toldInteraction struct {
	ID       int
	Response *trace.Duration `json:"response_ns"`
	Grade    string
	Late     int
	Lost     trace.Duration `json:"lost_ns"`
	Hitch    *float64       `json:"hitch_ms_per_s"`
	Missed   *int           `json:"longest_missed_run"`
	Causes   []struct{ Wait string }
	Steps    []toldStep
}

// decoded returns what a document says.
func decoded(t *testing.T, out string) (d told) {
	t.Helper()
	must.Do(t, json.Unmarshal([]byte(out), &d))
	return d
}

// written returns the document about inputs, which has at most brief.MaxBytes bytes.
func written(t *testing.T, in Input, o Options) (out string, d told) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Write(&b, &in, brief.Format, o, text.Style{}))
	if n := b.Len(); n > brief.MaxBytes {
		t.Errorf("%d bytes", n)
	}
	return b.String(), decoded(t, b.String())
}

// measured returns an input with all that the format needs.
func measured(file string, timeline *analyzer.Timeline, c *why.Causes, o Options) Input {
	return Input{
		Name: file, Causes: c, Start: timeline.Origin(), Processes: Processes(timeline, c, o), Interactions: Interactions(timeline, c, o), Layers: Layers(timeline, c, o), Hangs: Hangs(timeline, c, o),
		Commands: locate.NewCommands(file, timeline), Stats: stats.Compute(timeline, stats.Options{Process: o.Process}), Quality: quality.Of(timeline, nil, c),
	}
}

// hostile returns a timeline with many processes, frames, causes, hangs and interactions, all with
// names that are long in JSON.
func hostile(processes, frames int, filler string) (*analyzer.Timeline, *why.Causes) {
	names := 0
	long := func() string { names++; return fmt.Sprint(names) + strings.Repeat(filler, 500/len(filler)) }
	var list []*why.Explanation
	var hangs []analyzer.Hang
	var interactions []*analyzer.Interaction
	for i := range processes {
		p := &analyzer.Process{PID: trace.PID(100 + i), Name: long()}
		for k := range frames {
			share := storage(20_000, 5_000)
			share.Slice, share.Function = long(), long()
			share.Culprit = &why.Culprit{PID: 7, TID: 8, Process: long(), Thread: long(), Slice: long(), Arguments: []why.Argument{{Name: long(), Value: long()}}}
			share.Instances = []why.Instance{{Time: ms, Arguments: []why.Argument{{Name: "a", Value: long()}, {Name: "b", Value: long()}}}, {Time: ms, Arguments: []why.Argument{{Name: "a", Value: "x"}}}}
			other := running(9_000, 1_000, 5_000)
			other.Slice = long()
			e := late(p, int64(1+k), trace.Duration(100_000*(i*frames+k)), 30_000, 10_000, share, other)
			e.Slices = []why.SliceTime{{Slice: long(), Running: ms}}
			e.Confidence, e.Basis = why.Confidence(k%4), why.Basis(k%5)
			e.Shown = &why.Explanation{Lost: 10 * ms, Shares: []why.Share{share, other}}
			list = append(list, e)
			hangs = append(hangs, analyzer.Hang{Process: p, Slice: long(), Interval: analyzer.Interval{Start: e.Start, End: e.End}})
			interactions = append(interactions, &analyzer.Interaction{ID: 1 + i*frames + k, Scene: long(), Process: p, Begin: e.Start, Frames: []*analyzer.Frame{e.Frame}})
		}
	}
	t, c := timeline(list...)
	t.Span = analyzer.Interval{Start: at(0), End: list[len(list)-1].End}
	t.Hangs, t.Interactions = hangs, interactions
	return t, c
}

// A document has at most brief.MaxBytes bytes, whatever the trace contains, and the first cause of the
// first process.
func TestEvidenceFits(t *testing.T) {
	for _, filler := range []string{"a", `"\`, "\x00", "\xff", "🙂"} {
		t.Run(fmt.Sprintf("%q", filler), func(t *testing.T) {
			timeline, c := hostile(4, 4, filler)
			file := strings.Repeat("long/", 100) + "a.ftrace"
			in := measured(file, timeline, c, Options{})
			first := text.Line(text.ProcessName(in.Processes[0].Name))
			first = first[:strings.IndexFunc(first, func(r rune) bool { return r >= '0' && r <= '9' })+1]
			for _, o := range []Options{{}, {All: true}, {Vsync: 2}, {Interaction: timeline.Interactions[5]}, {Process: func(*analyzer.Process) bool { return true }, Pattern: strings.Repeat(filler, 1000)}} {
				_, d := written(t, measured(file, timeline, c, o), o)
				if len(d.Inputs) == 0 || len(d.Processes) == 0 || len(d.Processes[0].Causes) == 0 || o.Interaction != nil && len(d.Interactions) != 1 {
					t.Errorf("%+v: %d inputs, %d processes, %d interactions", o, len(d.Inputs), len(d.Processes), len(d.Interactions))
				}
				if o.Interaction == nil && o.Vsync == 0 && !strings.HasPrefix(d.Processes[0].Name, first) {
					t.Errorf("first process %.20s, want %.20s", d.Processes[0].Name, first)
				}
			}
		})
	}
}

// So has one about several traces, and the first cause with an example.
func TestOverallEvidenceFits(t *testing.T) {
	for _, filler := range []string{"a", `"\`, "\x00", "\xff", "🙂"} {
		long := strings.Repeat(filler, 1000)
		o := Overall{By: []string{"page", "version"}, Unit: "user", TraceCounts: TraceCounts{Traces: 1e9, Events: map[string]int{}}, Lost: trace.MaxTime}
		for i := range 100 {
			o.Events[fmt.Sprint(long, i)] = i
			example := func() Example {
				return Example{Trace: long, Process: long, Start: trace.MaxTime, Late: trace.MaxTime, Why: long, Open: long}
			}
			o.Causes = append(o.Causes, &Ranked{Key: map[string]*string{"page": &long, "version": &long}, Title: fmt.Sprint(i, long), Process: long, Examples: []text.Lazy[Example]{example, example, example}})
		}
		for _, format := range Formats {
			var b bytes.Buffer
			must.Do(t, o.Write(&b, format, false, text.Style{}))
			if format != brief.Format {
				continue
			}
			var d struct {
				Ranking struct {
					Causes []struct {
						Title    string
						Examples []struct{ Trace string }
					}
				}
			}
			must.Do(t, json.Unmarshal(b.Bytes(), &d))
			if causes := d.Ranking.Causes; b.Len() > brief.MaxBytes || len(causes) == 0 || causes[0].Title[0] != '0' || len(causes[0].Examples) == 0 {
				t.Errorf("%q: %d bytes, %d causes", filler, b.Len(), len(causes))
			}
		}
	}
}

// What is left out is counted: all elements of a list are in it or counted.
func TestEvidenceCountsWhatIsLeftOut(t *testing.T) {
	timeline, c := hostile(40, 12, "name ")
	_, d := written(t, measured("a.ftrace", timeline, c, Options{}), Options{})
	for name, n := range map[string]int{"processes": len(d.Processes), "hangs": len(d.Hangs), "interactions": len(d.Interactions)} {
		want := map[string]int{"processes": 40, "hangs": 480, "interactions": 480}[name]
		if got := n + d.LeftOut[name]; got != want {
			t.Errorf("%s: %d in the list and %d left out, want %d", name, n, d.LeftOut[name], want)
		}
	}
	p := d.Processes[0]
	must.Equal(t, len(p.LateFrames)+p.LeftOut["late_frames"], 12, "late frames")
	must.Equal(t, len(p.Causes)+p.LeftOut["causes"], 24, "causes")
}

// The numbers of the document are those of its frames, and what speaks against a cause is said.
func TestEvidenceOfCauses(t *testing.T) {
	app := &analyzer.Process{PID: 7, Name: "com.example.gallery"}
	unsure := storage(12_000, 4_000)
	unsure.AsLong, unsure.Compared = 1, 20
	unsure.Wait, unsure.Culprit = why.WaitOtherProcess, &why.Culprit{PID: 9, TID: 10, Process: "other", Thread: "worker", Wait: why.Run, Slice: "Decode", Time: 3 * ms}
	a := late(app, 1, 0, 30_000, 10_000, storage(20_000, 10_000))
	b := late(app, 2, 50_000, 24_000, 4_000, unsure)
	b.Confidence, b.Basis = 2, why.FewFrames
	onTime := late(app, 3, 100_000, 10_000, 0)
	onTime.Frame.Facts, onTime.Frame.Deadline = 0, at(120_000)
	onTime.Outcome = why.NotLate
	timeline, c := timeline(a, b, onTime)
	timeline.Span = analyzer.Interval{Start: at(0), End: at(120_000)}
	out, d := written(t, measured("a b.ftrace", timeline, c, Options{}), Options{})
	if d.Version != 1 || d.Question != "trace" || len(d.Processes) != 1 {
		t.Fatalf("%s", out)
	}
	p := d.Processes[0]
	if p.Frames != 3 || p.Judged != 3 || p.Late != 2 || p.Lost != 14*ms || len(p.Causes) != 2 {
		t.Fatalf("%+v", p)
	}
	first, second := p.Causes[0], p.Causes[1]
	if first.Wait != "io" || first.Lost != 10*ms || first.Share != 0.71429 || first.Worst.Vsync != 1 || *first.Worst.Value != 20*ms || first.Function != "io_schedule" {
		t.Errorf("%+v", first)
	}
	must.Equal(t, first.Worst.Why, "ohframe why --format evidence --process 7 --frame 1 -- 'a b.ftrace'")
	must.Equal(t, first.Worst.Open, "ohframe open --process 7 --frame 1 -- 'a b.ftrace'")
	if k := second.Culprit; k == nil || k.Process != "other" || k.Thread != "worker" || k.Slice != "Decode" || k.Wait != "run" || k.Time != 3*ms {
		t.Errorf("%+v", second)
	}
	if want := []string{
		"only 1 late frame has it", "confidence is medium in 1 of 1 frame", "what is usual is that of fewer than 8 frames on time, for 1 of 1 frame", unsureCulprit,
		"1 of 20 frames on time took as long in this, waiting for another process in FlushLayoutTask: other:worker, 12.0 ms or more",
	}; strings.Join(second.Against, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q\nwant %q", second.Against, want)
	}
	if want := "only 3 judged frames"; len(p.Against) != 1 || p.Against[0] != want {
		t.Errorf("%q, want %q", p.Against, want)
	}
}

// A process on time is in a document only if it was asked for.
func TestEvidenceOfProcessOnTime(t *testing.T) {
	onTime := late(app(), 3, 0, 10_000, 0)
	onTime.Frame.Facts, onTime.Frame.Deadline, onTime.Outcome = 0, at(20_000), why.NotLate
	timeline, c := timeline(onTime)
	for want, o := range []Options{{}, {Process: func(*analyzer.Process) bool { return true }}} {
		_, d := written(t, measured("a.ftrace", timeline, c, o), o)
		must.Equal(t, len(d.Processes), want, "processes")
	}
}

// It says why frames have several causes, and whether they are late because the display runs at a higher
// rate.
func TestEvidenceOfSmallShares(t *testing.T) {
	app := &analyzer.Process{PID: 7, Name: "com.example.gallery"}
	several := func(vsync int64, overrun trace.Duration, list ...trace.Duration) *why.Explanation {
		e := late(app, vsync, trace.Duration(vsync)*50_000, 20_000, overrun)
		e.Outcome, e.Basis, e.PeriodBefore, e.Frame.Period = why.Mixed, why.AnyPeriod, 16_600*us, 8_300*us
		for i, d := range list {
			s := storage(d, d)
			s.Stage = why.Stage(i + 1)
			e.Shares = append(e.Shares, s)
		}
		return e
	}
	timeline, c := timeline(several(1, 1040, 499, 300, 241), several(2, 800, 390, 300, 110), several(3, 3000, 1100, 1000, 900))
	timeline.Span = analyzer.Interval{Start: at(0), End: at(300_000)}
	_, d := written(t, measured("a.ftrace", timeline, c, Options{}), Options{})
	if want := "waiting for storage in FlushLayoutTask (io_schedule) since the display runs at 120 Hz (60 Hz before)"; !strings.HasSuffix(d.Answer, want) {
		t.Errorf("%q, want %q at its end", d.Answer, want)
	}
	against := strings.Join(d.Processes[0].Causes[0].Against, "\n")
	must.Equal(t, against, strings.Join([]string{
		"no cause has 0.5 ms of the overrun in 1 of 3 frames", "no cause has 40 % of the overrun in 1 of 3 frames",
		"no cause has half of an overrun below 1 ms in 1 of 3 frames", "what is usual is that of frames on time at other refresh rates, for 3 of 3 frames",
	}, "\n"))
}

// Without frequencies of CPUs, slices that all took longer may have run on a slower one: that speaks against
// the causes, and what to record says so. It does not if only one slice took longer.
func TestEvidenceWithoutFrequencies(t *testing.T) {
	app := &analyzer.Process{PID: 7, Name: "com.example.gallery"}
	for _, slowdowns := range [][]float64{{3.5, 2}, {3.5, 0}, {0, 0}} {
		var list []*why.Explanation
		for i, x := range slowdowns {
			e := late(app, int64(1+i), trace.Duration(i)*50_000, 30_000, 10_000, running(9_000, 1_000, 10_000))
			e.Slowdown = x
			list = append(list, e)
		}
		timeline, c := timeline(list...)
		timeline.Span = analyzer.Interval{Start: at(0), End: at(100_000)}
		in := measured("a.ftrace", timeline, c, Options{})
		in.Quality.Reasons = []stats.Reason{{Code: "no_freq"}}
		lines := 100
		in.Quality.Lines = &lines
		_, d := written(t, in, Options{})
		var against []string
		for _, s := range d.Processes[0].Causes[0].Against {
			if strings.Contains(s, "slower CPU") {
				against = append(against, s)
			}
		}
		var want []string
		switch slowdowns[1] {
		case 2:
			want = []string{"CPU frequencies are unknown, and every slice took about 2.0 to 3.5 times its usual time: a slower CPU may be why"}
		default:
			if slowdowns[0] > 0 {
				want = []string{"CPU frequencies are unknown, and every slice took about 3.5 times its usual time: a slower CPU may be why in 1 of 2 frames"}
			}
		}
		must.EqualSlices(t, against, want, "%v", slowdowns)
		if !slices.ContainsFunc(d.Record, func(r brief.Record) bool {
			return strings.HasPrefix(r.Missing, "no CPU frequencies") && r.Command == "ohframe record -t 10 --app com.example.gallery"
		}) {
			t.Errorf("%v: %+v", slowdowns, d.Record)
		}
	}
}

// Without scheduling events and without frames, the document says what to record.
func TestEvidenceOfMissingData(t *testing.T) {
	lines := 100
	empty, none := timeline()
	none.Scheduled = false
	in := measured("a.ftrace", empty, none, Options{})
	in.Quality.Lines = &lines // a text trace
	_, d := written(t, in, Options{})
	if d.Answer != "no complete frames" || len(d.Record) != 1 || d.Record[0].Command != "ohframe record -t 10" || !strings.Contains(d.Record[0].Missing, "record the tags sched and freq") || !strings.HasSuffix(d.Record[0].Missing, "; no complete frames: record while the application draws") {
		t.Errorf("%+v", d)
	}
	onTime, c := timeline(late(&analyzer.Process{PID: 7, Name: "com.example.gallery"}, 1, 0, 30_000, 10_000, running(9_000, 1_000, 5_000)))
	onTime.Span = analyzer.Interval{Start: at(0), End: at(30_000)}
	sampled := measured("b.ftrace", onTime, c, Options{})
	sampled.Quality.Lines = &lines
	_, other := written(t, sampled, Options{})
	if n := len(other.Record); n == 0 || other.Record[n-1].Command != "ohframe record -t 10 --perf --app com.example.gallery" {
		t.Errorf("%+v", other.Record)
	}
	if len(d.Against) != 1 || d.Against[0] != "data quality: unreliable: no complete frames" {
		t.Errorf("%q", d.Against)
	}
}

// It says how to record more frames than a few, a launch, and the interrupts that ended waits.
func TestEvidenceSaysHowToRecord(t *testing.T) {
	lines := 100
	app := &analyzer.Process{PID: 7, Name: "com.example.gallery"}
	commands := func(tl *analyzer.Timeline, c *why.Causes, o Options) (list []string) {
		in := measured("a.ftrace", tl, c, o)
		in.Quality.Lines, in.Quality.Advice = &lines, nil
		_, d := written(t, in, o)
		for _, r := range d.Record {
			list = append(list, r.Command)
		}
		return list
	}
	check := func(what string, got []string, want ...string) {
		must.EqualSlices(t, got, want, "%s", what)
	}
	frames, c := timeline(late(app, 1, 0, 30_000, 10_000, storage(20_000, 10_000)))
	check("one frame", commands(frames, c, Options{}), "ohframe record -t 10 --app com.example.gallery")
	check("one frame of a window", commands(frames, c, Options{Window: true}))

	share := storage(20_000, 10_000)
	share.Wait, share.Function, share.Advice = why.WaitInterrupt, "", why.AdviseInterruptTag
	frames, c = timeline(late(app, 1, 0, 30_000, 10_000, share))
	check("an interrupt", commands(frames, c, Options{}), "ohframe record -t 10 --tags +irq --app com.example.gallery")

	for kind, flag := range map[analyzer.InteractionKind]string{analyzer.LaunchInteraction: " --launch", 0: ""} {
		none, c := timeline()
		c.Scheduled = false
		none.Interactions = []*analyzer.Interaction{{ID: 1, Kind: kind, Process: app, Begin: at(0), InputAt: at(0), LastShown: at(100_000)}}
		check(kind.String(), commands(none, c, Options{}), "ohframe record -t 10 --app com.example.gallery"+flag)
		none.Interactions[0].Process = &analyzer.Process{PID: 7, Name: "m.example.notes"} // only the end of a name
		check(kind.String(), commands(none, c, Options{}), "ohframe record -t 10")
	}
}

// That a part of a trace has no frames does not speak against the hang that it is.
func TestEvidenceOfHangWithoutFrames(t *testing.T) {
	app := &analyzer.Process{PID: 7, Name: "com.example.gallery"}
	tl, c := timeline()
	hang, spent := hangOf(app, 0, 300)
	tl.Hangs, c.Hangs = []analyzer.Hang{hang}, map[analyzer.Hang]*why.Explanation{hang: spent}
	for _, window := range []bool{true, false} {
		o := Options{Window: window}
		if _, d := written(t, measured("a.ftrace", tl, c, o), o); len(d.Against) > 0 == window || len(d.Record) > 0 == window {
			t.Errorf("window %v: %q, %q", window, d.Against, d.Record)
		}
	}
}

// The skill names only fields that documents have.
func TestSkillFields(t *testing.T) {
	fields := map[string]bool{"answer": true}
	var add func(reflect.Type)
	add = func(typ reflect.Type) {
		for _, f := range schematest.Fields(t, typ, "", nil) {
			if inner := schematest.Element(f.Type); !fields[f.Name] || inner.Kind() == reflect.Struct {
				fields[f.Name] = true
				if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[documentProcess]() || f.Name == "processes" {
					add(inner)
				}
			}
		}
	}
	add(reflect.TypeFor[document]())
	b := must.Get(os.ReadFile("../../skills/ohframe/SKILL.md"))(t)
	_, skill, _ := strings.Cut(string(b), "## Read the answer")
	skill, _, _ = strings.Cut(skill, "## Report")
	named := regexp.MustCompile("(?m)^- ((?:`[a-z_.]+`(?:, )?)+):").FindAllStringSubmatch(skill, -1)
	if len(named) < 10 {
		t.Errorf("the skill has %d lines about fields", len(named))
	}
	for _, line := range named {
		for _, name := range regexp.MustCompile("[a-z_]+").FindAllString(line[1], -1) {
			if !fields[name] {
				t.Errorf("the skill has the field %s, which does not exist", name)
			}
		}
	}
}

// testdata/api/why.md has the fields of JSON, with the comments of the structs; those of package why have lists of its own.
// "make docs" writes the others.
func TestSchema(t *testing.T) {
	schematest.Document(t, "../../testdata/api/why.md", reflect.TypeFor[document](), nil, "ohframe/analyzer/why",
		reflect.TypeFor[quality.Quality](), reflect.TypeFor[stats.Refresh](), reflect.TypeFor[stats.LayerCadence]())
}

// What fits into the budget is not what frames on time need.
func TestEvidenceWithoutUsual(t *testing.T) {
	for _, basis := range []why.Basis{why.SamePeriod, why.Budget} {
		e := late(&analyzer.Process{PID: 7, Name: "com.example.gallery"}, 1, 0, 30_000, 10_000, running(9_000, 1_000, 5_000))
		e.Basis = basis
		timeline, c := timeline(e)
		timeline.Span = analyzer.Interval{Start: at(0), End: at(30_000)}
		_, d := written(t, measured("a.ftrace", timeline, c, Options{}), Options{})
		if w := d.Processes[0].Causes[0].Worst; w.Value == nil || (w.Usual == nil) != (basis == why.Budget) {
			t.Errorf("%s: %+v", basis, w)
		}
	}
}

// A process without a name has none in the document, but its id.
func TestEvidenceOfProcessesWithoutNames(t *testing.T) {
	for noPID, want := range map[bool]string{false: `"pid":77`, true: ""} {
		p := &analyzer.Process{PID: 77, NoPID: noPID}
		tl, c := timeline()
		l := &analyzer.Layer{ID: 3, Name: "video", Process: p}
		tl.Layers = []*analyzer.Layer{l}
		tl.Interactions = []*analyzer.Interaction{{ID: 1, Scene: "APP_LIST_FLING", Process: p, Begin: at(0)}}
		tl.Hangs = []analyzer.Hang{{Process: p, Slice: "Load", Interval: analyzer.Interval{Start: at(0), End: at(300_000)}}}
		in := measured("a.ftrace", tl, c, Options{})
		in.Layers = []*ExplainedLayer{{Layer: l, Late: 1}}
		document, d := written(t, in, Options{})
		if len(d.Layers) != 1 || d.Layers[0].Process != "" || (d.Layers[0].PID == nil) != noPID || !strings.Contains(document, want) || strings.Contains(document, `"–"`) {
			t.Errorf("without an id %v: %s", noPID, document)
		}
	}
}

// Stacks have a document, too, of a bounded size whatever the names are.
func TestEvidenceOfStacks(t *testing.T) {
	long := strings.Repeat("x\"", 5000)
	s := &why.Stacks{Samples: 100}
	for i := range 200 {
		c := why.StackCount{Function: why.Function{Name: fmt.Sprint(long, i), Module: long}, Own: i > 2, Samples: 100 - i/2}
		s.Functions, s.Path = append(s.Functions, c), append(s.Path, c)
	}
	var b bytes.Buffer
	must.Do(t, WriteStacks(&b, long, s, brief.Format, Options{}, text.Style{}))
	d := decoded(t, b.String())
	if b.Len() > brief.MaxBytes {
		t.Errorf("%d bytes", b.Len())
	}
	if len(d.Stacks) != 1 || d.Stacks[0].Stacks != 100 || len(d.Stacks[0].Functions) == 0 || len(d.Stacks[0].Path) == 0 ||
		len(d.Stacks[0].Functions)+d.Stacks[0].LeftOut["functions"] != 200 || len(d.Stacks[0].Path)+d.Stacks[0].LeftOut["path"] != 200 {
		t.Errorf("%+v", d.Stacks)
	}
	if d.Question != "stacks" || !strings.HasPrefix(d.Answer, "100 of 100 stacks of the main thread in x") || len(d.Against) != 1 {
		t.Errorf("%+v", d)
	}
	b.Reset()
	if err := WriteStacks(&b, "empty", &why.Stacks{}, brief.Format, Options{}, text.Style{}); err != nil || !json.Valid(b.Bytes()) {
		t.Errorf("%s, %v", &b, err)
	}
	// Those of --perf are beside the frames.
	b.Reset()
	must.Do(t, Write(&b, &Input{Name: "a", Causes: &why.Causes{}, Stacks: s}, brief.Format, Options{}, text.Style{}))
	if d := decoded(t, b.String()); len(d.Stacks) != 1 {
		t.Errorf("%s", &b)
	}
}
