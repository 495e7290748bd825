package causes

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/brief"
	"ohframe/internal/causetext"
	"ohframe/internal/locate"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// evidenceVersion is that of the fields. It grows when one changes its meaning or disappears.
const evidenceVersion = 1

// evidence is the document. What is unknown or empty is left out. Lists have the worst first.
type evidence struct {
	Version      int                    `json:"version"`
	Question     string                 `json:"question"`
	Answer       string                 `json:"answer"`
	Against      []string               `json:"against,omitempty"`
	Inputs       []evidenceInput        `json:"inputs"`
	Processes    []*evidenceProcess     `json:"processes,omitempty"`
	OnTime       *evidenceOnTime        `json:"on_time,omitempty"`
	Interactions []*evidenceInteraction `json:"interactions,omitempty"`
	Hangs        []*evidenceHang        `json:"hangs,omitempty"`
	Layers       []*evidenceLayer       `json:"layers,omitempty"`
	Stacks       []*evidenceStacks      `json:"stacks,omitempty"`
	Record       []brief.Record         `json:"record,omitempty"`
	LeftOut      brief.LeftOut          `json:"left_out,omitempty"`
	about        Options
}

type evidenceInput struct {
	Name           string   `json:"name"`
	Start          int64    `json:"start_ns,omitempty"`
	Length         float64  `json:"seconds,omitempty"`
	Quality        string   `json:"quality,omitempty"`
	Reasons        []string `json:"reasons,omitempty"`
	Clock          string   `json:"clock_source,omitempty"`
	Accuracy       int64    `json:"clock_accuracy_ns,omitempty"`
	Scheduled      bool     `json:"scheduled"`
	Woken          bool     `json:"woken"`
	BlockedReasons bool     `json:"blocked_reasons"`
	Sampled        bool     `json:"sampled"`
}

type evidenceProcess struct {
	Name       string             `json:"name,omitempty"`
	PID        *trace.PID         `json:"pid,omitempty"`
	Kind       stats.Kind         `json:"kind"`
	Inputs     int                `json:"inputs,omitempty"`
	Frames     int                `json:"frames"`
	Judged     int                `json:"judged"`
	Late       int                `json:"late"`
	JankRate   *float64           `json:"jank_rate,omitempty"`
	Refresh    []evidenceRefresh  `json:"refresh,omitempty"`
	Lost       *trace.Duration    `json:"lost_ns,omitempty"`
	Unknown    trace.Duration     `json:"unknown_ns"`
	Against    []string           `json:"against,omitempty"`
	Causes     []*evidenceCause   `json:"causes,omitempty"`
	Functions  []jsonFunctionCost `json:"functions,omitempty"`
	LateFrames []*evidenceFrame   `json:"late_frames,omitempty"`
	// Pictures is set if the frames are only those that show frames of the application asked for.
	Pictures    bool             `json:"pictures,omitempty"`
	Delay       *Delay           `json:"pictures_late,omitempty"`
	ShownCauses []*evidenceCause `json:"shown_causes,omitempty"`
	ShownLate   []*evidenceFrame `json:"shown_late,omitempty"`
	PickedUp    []*evidenceFrame `json:"picked_up_late,omitempty"`
	Why         string           `json:"why,omitempty"`
	LeftOut     brief.LeftOut    `json:"left_out,omitempty"`
}

type evidenceRefresh struct {
	Rate   float64 `json:"rate_hz"`
	Frames int     `json:"frames"`
}

type evidenceOnTime struct {
	Processes int `json:"processes"`
	Frames    int `json:"frames"`
	// Judged is the number of those of Frames that are known to be late or on time.
	Judged int `json:"judged"`
}

// evidenceCause is a cause of the late frames of a process.
type evidenceCause struct {
	Title     string          `json:"title"`
	Wait      string          `json:"wait"`
	Stage     string          `json:"stage"`
	Slice     string          `json:"slice,omitempty"`
	Calls     *int            `json:"calls,omitempty"`
	Usual     *int            `json:"usual_calls,omitempty"`
	Function  string          `json:"function,omitempty"`
	Interrupt string          `json:"interrupt,omitempty"`
	Culprit   *evidenceThread `json:"culprit,omitempty"`
	Missing   string          `json:"missing,omitempty"`
	Frames    int             `json:"frames"`
	Lost      *trace.Duration `json:"lost_ns,omitempty"`
	Share     *float64        `json:"share,omitempty"`
	Gain      *trace.Duration `json:"gain_ns,omitempty"`
	KnockOn   trace.Duration  `json:"knock_on_ns,omitempty"`
	KnockOns  int             `json:"knock_on_frames,omitempty"`
	Arguments []string        `json:"arguments,omitempty"`
	Worst     evidenceWorst   `json:"worst"`
	Advice    string          `json:"advice,omitempty"`
	Against   []string        `json:"against,omitempty"`
	Why       string          `json:"why,omitempty"`
	Open      string          `json:"open,omitempty"`
	LeftOut   brief.LeftOut   `json:"left_out,omitempty"`
}

// evidenceThread is a thread that was waited for, and what it did.
type evidenceThread struct {
	Process   string         `json:"process,omitempty"`
	Thread    string         `json:"thread,omitempty"`
	TID       trace.TID      `json:"tid,omitempty"`
	Wait      string         `json:"wait"`
	Slice     string         `json:"slice,omitempty"`
	Time      trace.Duration `json:"ns"`
	Arguments string         `json:"arguments,omitempty"`
	// Function and Interrupt are those of its own wait; For is the
	// thread that had its CPU, or for which it waited.
	Function  string         `json:"function,omitempty"`
	Interrupt string         `json:"interrupt,omitempty"`
	For       *evidenceOther `json:"for,omitempty"`
}

type evidenceOther struct {
	Process string         `json:"process,omitempty"`
	Thread  string         `json:"thread,omitempty"`
	TID     trace.TID      `json:"tid,omitempty"`
	Time    trace.Duration `json:"ns"`
}

// evidenceWorst is the frame with the largest share of a cause.
type evidenceWorst struct {
	Vsync   int64            `json:"vsync_id"`
	TID     trace.TID        `json:"tid,omitempty"`
	Input   string           `json:"input,omitempty"`
	Start   trace.Time       `json:"start_ns"`
	Overrun *trace.Duration  `json:"overrun_ns,omitempty"`
	AtLeast bool             `json:"at_least,omitempty"`
	Value   *trace.Duration  `json:"value_ns,omitempty"`
	Usual   *trace.Duration  `json:"usual_ns,omitempty"`
	Sampled *evidenceSampled `json:"sampled,omitempty"`
	Cause   string           `json:"cause,omitempty"`
}

// evidenceSampled is the function that the samples name.
type evidenceSampled struct {
	Function string `json:"function"`
	Module   string `json:"module,omitempty"`
	Samples  int    `json:"samples"`
	Of       int    `json:"of_samples"`
}

// evidenceFrame is a frame that was late, shown late or picked up late.
type evidenceFrame struct {
	Vsync int64      `json:"vsync_id"`
	Input string     `json:"input,omitempty"`
	Start trace.Time `json:"start_ns"`
	// Late is nil if by how much the frame was late is unknown, and if it was not late.
	Late       *trace.Duration `json:"late_ns,omitempty"`
	AtLeast    bool            `json:"at_least,omitempty"`
	Verdict    string          `json:"verdict,omitempty"`
	Confidence string          `json:"confidence,omitempty"`
	Cause      string          `json:"cause"`
	KnockOnOf  int64           `json:"knock_on_of,omitempty"`
	// Stage, Wait, Slice and Culprit are the cause of a frame that was shown late.
	Stage   string          `json:"stage,omitempty"`
	Wait    string          `json:"wait,omitempty"`
	Slice   string          `json:"slice,omitempty"`
	Culprit *evidenceThread `json:"culprit,omitempty"`
	// These are of the frame that was asked for.
	Span      string             `json:"span,omitempty"`
	Budget    string             `json:"budget,omitempty"`
	Shown     string             `json:"shown_late,omitempty"`
	PickedUp  string             `json:"picked_up_late,omitempty"`
	Instances []evidenceInstance `json:"instances,omitempty"`
	Threads   []evidenceThread   `json:"waited_for,omitempty"`
	Functions []evidenceFunction `json:"functions,omitempty"`
	Slices    []jsonSlice        `json:"slices,omitempty"`
	Why       string             `json:"why,omitempty"`
	Open      string             `json:"open,omitempty"`
	LeftOut   brief.LeftOut      `json:"left_out,omitempty"`
	title     string             // of the frame that was asked for
}

// evidenceInstance is a slice of a cause that has arguments.
type evidenceInstance struct {
	Slice     string         `json:"slice"`
	Time      trace.Duration `json:"ns"`
	Arguments string         `json:"arguments"`
}

type evidenceFunction struct {
	evidenceSampled
	Stage string         `json:"stage"`
	Wait  string         `json:"wait"`
	Time  trace.Duration `json:"ns"`
	Usual trace.Duration `json:"usual_ns"`
}

type evidenceInteraction struct {
	ID       int             `json:"id"`
	Kind     string          `json:"kind"`
	Name     string          `json:"name"`
	Process  string          `json:"process,omitempty"`
	Input    string          `json:"input,omitempty"`
	Start    *trace.Time     `json:"start_ns,omitempty"`
	Response *trace.Duration `json:"response_ns,omitempty"`
	Grade    stats.Grade     `json:"grade,omitempty"`
	Frames   int             `json:"frames"`
	Late     int             `json:"late"`
	Lost     trace.Duration  `json:"lost_ns"`
	Hitch    *float64        `json:"hitch_ms_per_s,omitempty"`
	Missed   *int            `json:"longest_missed_run,omitempty"`
	Cause    string          `json:"cause,omitempty"`
	Advice   string          `json:"advice,omitempty"`
	Against  []string        `json:"against,omitempty"`
	Steps    []evidenceStep  `json:"steps,omitempty"`
	Why      string          `json:"why,omitempty"`
	Open     string          `json:"open,omitempty"`
	LeftOut  brief.LeftOut   `json:"left_out,omitempty"`
}

type evidenceStep struct {
	Step  string          `json:"step"`
	Stage string          `json:"stage,omitempty"`
	Start trace.Time      `json:"start_ns"`
	Time  trace.Duration  `json:"ns"`
	Usual *trace.Duration `json:"usual_ns,omitempty"`
	Open  bool            `json:"open,omitempty"`
	Did   string          `json:"did,omitempty"`
}

type evidenceHang struct {
	Process  string         `json:"process,omitempty"`
	PID      trace.PID      `json:"pid"`
	Input    string         `json:"input,omitempty"`
	Slice    string         `json:"slice"`
	Start    trace.Time     `json:"start_ns"`
	Duration trace.Duration `json:"duration_ns"`
	BeginCut bool           `json:"begin_cut,omitempty"`
	EndCut   bool           `json:"end_cut,omitempty"`
	Severe   bool           `json:"severe"`
	Cause    string         `json:"cause,omitempty"`
	// Culprit is the thread that was waited for in what the hang was mostly spent on.
	Culprit *evidenceThread `json:"culprit,omitempty"`
	Path    []evidenceCall  `json:"path,omitempty"`
	Slices  []jsonSlice     `json:"slices,omitempty"` // of the only hang
	Advice  string          `json:"advice,omitempty"`
	Why     string          `json:"why,omitempty"`
	LeftOut brief.LeftOut   `json:"left_out,omitempty"`
}

// evidenceCall is the slices of a name at a place of a path, with those inside.
type evidenceCall struct {
	Slice     string         `json:"slice"`
	Calls     int            `json:"calls"`
	Time      trace.Duration `json:"ns"`
	Arguments string         `json:"arguments,omitempty"`
}

type evidenceLayer struct {
	ID           int                    `json:"id"`
	Name         string                 `json:"name,omitempty"`
	Process      string                 `json:"process,omitempty"`
	PID          *trace.PID             `json:"pid,omitempty"`
	Input        string                 `json:"input,omitempty"`
	Cadences     []stats.LayerCadence   `json:"cadences,omitempty"`
	Drops        []string               `json:"drops,omitempty"`
	Judged       int                    `json:"judged"`
	Late         int                    `json:"late"`
	Lost         trace.Duration         `json:"lost_ns"`
	OfFrames     int                    `json:"of_frames,omitempty"`
	LostByFrames trace.Duration         `json:"of_frames_lost_ns,omitempty"`
	Causes       []*evidenceBufferCause `json:"causes,omitempty"`
	Buffers      []evidenceBuffer       `json:"buffers,omitempty"`
	Why          string                 `json:"why,omitempty"`
	LeftOut      brief.LeftOut          `json:"left_out,omitempty"`
}

type evidenceBufferCause struct {
	Title    string          `json:"title"`
	Reason   string          `json:"reason"`
	Wait     string          `json:"wait,omitempty"`
	Slice    string          `json:"slice,omitempty"`
	Function string          `json:"function,omitempty"`
	Culprit  *evidenceThread `json:"culprit,omitempty"`
	Buffers  int             `json:"buffers"`
	Lost     trace.Duration  `json:"lost_ns"`
	Share    float64         `json:"share"`
	Worst    trace.Time      `json:"worst_present_ns"`
	Cause    string          `json:"cause"`
	Advice   string          `json:"advice,omitempty"`
	Against  []string        `json:"against,omitempty"`
}

type evidenceBuffer struct {
	Present trace.Time     `json:"present_ns"`
	Late    trace.Duration `json:"late_ns"`
	Lost    trace.Duration `json:"lost_ns"`
	Reason  string         `json:"reason"`
	Cause   string         `json:"cause"`
}

// evidenceStacks are stacks of a main thread without times.
type evidenceStacks struct {
	Input     string          `json:"input,omitempty"`
	Samples   int             `json:"stacks"`
	Functions []evidenceCalls `json:"functions,omitempty"`
	Path      []evidenceCalls `json:"path,omitempty"`
	LeftOut   brief.LeftOut   `json:"left_out,omitempty"`
}

type evidenceCalls struct {
	Function string `json:"function"`
	Module   string `json:"module,omitempty"`
	Own      bool   `json:"own"`
	Samples  int    `json:"stacks"`
}

// writeEvidence writes the document about the inputs.
func writeEvidence(w io.Writer, inputs []Input, o Options) error {
	return newEvidence(inputs, o).write(w)
}

func (d *evidence) write(w io.Writer) error {
	b, err := brief.Fit(d, d.cutters())
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// witness makes the parts of a document.
type witness struct {
	Options
	several bool
}

func newEvidence(inputs []Input, o Options) *evidence {
	x := witness{o, len(inputs) > 1}
	d := &evidence{Version: evidenceVersion, Question: x.question(), Answer: brief.Sentence(headline(inputs, o)), about: o}
	type interaction struct {
		in *Input
		*Interaction
	}
	type layer struct {
		in *Input
		*Layer
	}
	type hang struct {
		in *Input
		Hang
	}
	var hangs []hang
	var interactions []interaction
	var layers []layer
	for i := range inputs {
		in := &inputs[i]
		d.Inputs = append(d.Inputs, x.input(in))
		for _, i := range in.Interactions {
			if o.Vsync == 0 {
				interactions = append(interactions, interaction{in, i})
			}
		}
		for _, l := range in.Layers {
			if l.Late > 0 || o.Layer != nil || len(l.Drops) > 0 || len(l.Cadences) > 1 {
				layers = append(layers, layer{in, l})
			}
		}
		for _, h := range in.Hangs {
			hangs = append(hangs, hang{in, h})
		}
		if in.Stacks != nil {
			d.Stacks = append(d.Stacks, newEvidenceStacks(in.Stacks, x.inputName(in), o))
		}
	}
	slices.SortStableFunc(interactions, func(a, b interaction) int { return worseInteraction(a.Interaction, b.Interaction) })
	slices.SortStableFunc(layers, func(a, b layer) int { return cmp.Compare(b.Lost, a.Lost) })
	slices.SortStableFunc(hangs, func(a, b hang) int { return cmp.Compare(b.Duration(), a.Duration()) })
	for _, i := range brief.First(&d.LeftOut, "interactions", interactions, maxAnswers) {
		d.Interactions = append(d.Interactions, x.interaction(i.in, i.Interaction))
	}
	for _, l := range brief.First(&d.LeftOut, "layers", layers, maxAnswers) {
		d.Layers = append(d.Layers, x.layer(l.in, l.Layer))
	}
	for _, h := range brief.First(&d.LeftOut, "hangs", hangs, maxAnswers) {
		d.Hangs = append(d.Hangs, x.hang(h.in, &h.Hang, len(hangs) == 1))
	}
	d.Inputs = brief.First(&d.LeftOut, "inputs", d.Inputs, maxAnswers)

	late, onTime := x.processes(inputs)
	for _, p := range brief.First(&d.LeftOut, "processes", late, maxAnswers) {
		d.Processes = append(d.Processes, x.process(p))
	}
	for _, p := range onTime {
		if d.OnTime == nil {
			d.OnTime = &evidenceOnTime{}
		}
		d.OnTime.Processes++
		d.OnTime.Frames += p.Frames.Complete
		d.OnTime.Judged += p.Frames.Judged
	}
	x.conclude(d, inputs)
	return d
}

// newEvidenceStacks returns the functions of stacks, and the heaviest path as the text has it.
func newEvidenceStacks(s *why.Stacks, input string, o Options) *evidenceStacks {
	d := &evidenceStacks{Input: input, Samples: s.Samples}
	calls := func(what string, of []why.StackCount, most int) (list []evidenceCalls) {
		for _, c := range brief.First(&d.LeftOut, what, of, most) {
			list = append(list, evidenceCalls{brief.Name(c.Name), brief.Name(c.Module), c.Own, c.Samples})
		}
		return list
	}
	o.All = false
	path := shownPath(s, o)
	d.LeftOut.Add("path", len(s.Path)-len(path))
	d.Functions, d.Path = calls("functions", s.Functions, maxStackFunctions), calls("path", path, maxStackPath)
	return d
}

// processes returns those that have late frames or were asked for, those that lost the most time
// first, and the others: of several inputs together.
func (x *witness) processes(inputs []Input) (late, onTime []*overall) {
	list := overallOf(inputs)
	if !x.several {
		list = nil
		for i := range inputs {
			in := &inputs[i]
			for _, p := range in.Processes {
				list = append(list, &overall{Name: p.Name, Kind: p.Kind, Inputs: []string{in.Name}, Frames: p.Frames, Ranking: p.Ranking, Shown: p.Shown, pictures: p.Pictures, parts: []part{{p, in}}})
			}
		}
	}
	for _, o := range list {
		asked := x.Vsync != 0 || x.Process != nil && x.Interaction == nil
		if asked || slices.ContainsFunc(o.parts, func(p part) bool { return len(p.Late)+len(p.ShownLate)+len(p.PickedUpLate) > 0 }) {
			late = append(late, o)
		} else {
			onTime = append(onTime, o)
		}
	}
	slices.SortStableFunc(late, func(a, b *overall) int {
		return cmp.Or(cmp.Compare(b.Ranking.Lost, a.Ranking.Lost), cmp.Compare(b.Frames.Late, a.Frames.Late), cmp.Compare(b.shownLate(), a.shownLate()))
	})
	return late, onTime
}

// shownLate returns by how much frames were shown or picked up late that are not late themselves.
func (o *overall) shownLate() trace.Duration {
	sum := o.Shown.Lost
	for i := range o.parts {
		for _, e := range o.parts[i].PickedUpLate {
			sum += e.PickUp.Lost
		}
	}
	return sum
}

// question says what the document is about.
func (x *witness) question() string {
	switch {
	case x.Vsync != 0:
		return fmt.Sprintf("frame %d", x.Vsync) + x.ofProcess()
	case x.Interaction != nil:
		return fmt.Sprintf("interaction %d", x.Interaction.ID)
	case x.Layer != nil:
		return brief.Name("layer "+x.LayerPattern) + x.ofProcess()
	case x.Process != nil:
		return brief.Name("process " + x.Pattern)
	}
	return "trace"
}

func (x *witness) ofProcess() string {
	if x.Process == nil {
		return ""
	}
	return " of " + brief.Name(x.Pattern)
}

// conclude adds the answer if the first line of the text has none, and what follows from all of
// the document.
func (x *witness) conclude(d *evidence, inputs []Input) {
	doubt, others := reliable(inputs)
	if doubt != "" && len(others) == 0 {
		d.Answer = brief.Sentence(doubt)
	} else if worst := d.worst(); worst != nil {
		if x.Vsync != 0 && len(worst.LateFrames) > 0 {
			f := worst.LateFrames[0]
			d.Answer = brief.Sentence(strings.TrimSuffix(fmt.Sprintf("%s: frame %d %s: %s", cmp.Or(worst.Name, text.Unknown), f.Vsync, f.title, f.Cause), ": "))
		}
	}
	if d.Answer == "" {
		d.Answer = "no complete frames"
	}
	application := x.application(d, inputs)
	for i := range inputs {
		in := &inputs[i]
		if doubt := x.doubt(d, in.Quality); doubt != "" {
			d.Against = append(d.Against, brief.Sentence(x.prefix(in)+"data quality: "+doubt))
		}
		x.record(d, in, application)
	}
	d.Against = brief.First(&d.LeftOut, "against", d.Against, maxAnswers)
	d.Record = brief.First(&d.LeftOut, "record", d.Record, maxAnswers)
}

// missingFrames are the codes of what a quality says of a trace that has no frames, or none of a kind.
var missingFrames = []string{"no_frames", "no_application_frames", "no_render_frames", "no_presents", "no_deadlines"}

// doubt says what in the quality of an input speaks against an answer; empty if nothing does. A part of a trace
// that is only a hang has no frames, which says nothing of the hang.
func (x *witness) doubt(d *evidence, q *quality.Quality) string {
	if q == nil {
		return ""
	}
	rest := *q
	if x.Window && len(d.Hangs) > 0 && len(d.Processes) == 0 {
		rest.Reasons = slices.DeleteFunc(slices.Clone(q.Reasons), func(r stats.Reason) bool { return slices.Contains(missingFrames, r.Code) })
	}
	if !slices.ContainsFunc(rest.Reasons, func(r stats.Reason) bool { return r.Verdict != stats.Good }) {
		return ""
	}
	return rest.String()
}

// worst returns the process that lost the most time; nil without one.
func (d *evidence) worst() *evidenceProcess {
	if len(d.Processes) == 0 {
		return nil
	}
	return d.Processes[0]
}

// application returns the name of the application that the document is about, as commands that
// record it need; empty without one.
func (x *witness) application(d *evidence, inputs []Input) string {
	for _, p := range d.Processes {
		if p.Kind == stats.Application {
			return p.Name
		}
	}
	for _, i := range d.Interactions {
		return i.Process
	}
	for _, h := range d.Hangs {
		return h.Process
	}
	var most *Process
	for i := range inputs {
		for _, p := range inputs[i].Processes {
			if p.Kind == stats.Application && (most == nil || p.Frames.Complete > most.Frames.Complete) {
				most = p
			}
		}
	}
	if most == nil {
		return ""
	}
	return most.Name
}

// record adds what an input lacks, and the commands that record it. What one command records is one element.
func (x *witness) record(d *evidence, in *Input, application string) {
	again := func(flags ...string) string {
		command := locate.Record(application, flags...)
		if x.launched(d) && strings.Contains(command, " --app ") { // only an application that is named can be launched
			command += " --launch"
		}
		return command
	}
	asked := len(d.Record)
	add := func(missing, command string) {
		r := brief.Record{Missing: brief.Sentence(missing), Command: brief.Command(command)}
		// ohframe records no traces of Android, and no application's own ones.
		if in.Causes.Own || in.Quality != nil && in.Quality.Lines == nil {
			r.Command = ""
		}
		for i := range d.Record {
			switch other := &d.Record[i]; {
			case strings.Contains(other.Missing, r.Missing) && other.Command == r.Command:
				return
			case other.Command == r.Command && r.Command != "":
				other.Missing = brief.Sentence(other.Missing + "; " + missing)
				return
			}
		}
		d.Record = append(d.Record, r)
	}
	missing := Missing(in.Causes, in.Processes, in.Quality)
	switch {
	case missing == "":
	case in.Causes.Limited: // a flag shows more, not another recording
		add(missing, "")
	case in.Causes.Own:
		add(missing+": "+causetext.Advice(why.AdviseReproduce), "")
	default:
		add(missing, again())
	}
	if in.Quality != nil && in.Quality.Advice != nil {
		add(*in.Quality.Advice, again())
	} else if in.Quality != nil && in.Quality.Frames() == 0 && !x.Window {
		add("no complete frames: record while the application draws", again())
	}
	if worst := d.worst(); worst != nil && len(worst.Causes) > 0 {
		wait := worst.Causes[0].Wait
		unknown := wait == why.WaitUnknown.String()
		switch {
		case unknown && missing == "":
			add("events of threads were lost, or the trace begins too late: a larger buffer or a shorter time loses none", again("-b 64M"))
		case in.Causes.Own:
		case wait == why.Run.String() && lacksFrequencies(in):
			add("no CPU frequencies: whether a slower CPU made the frames late is unknown", again())
		}
		switch {
		case len(in.Causes.Sampled) > 0 || in.Causes.Own || unknown && missing == "":
		case unknown || wait == why.Run.String(): // on a slower CPU, all functions take longer
			add("no samples of functions: the function in which the time was lost is unknown", again("--perf"))
		}
	}
	if d.advises(why.AdviseInterruptTag) {
		add("which interrupt ended waits is unknown", again("--tags +irq"))
	}
	if n := judgedFrames(in); len(d.Record) == asked && x.question() == "trace" && !x.Window && n > 0 && n < fewFrames {
		add(fmt.Sprintf("only %s: record for longer, while the application draws", text.Count(n, "judged frame")), again())
	}
}

// launched reports whether a document is about launches alone.
func (x *witness) launched(d *evidence) bool {
	other := func(i *evidenceInteraction) bool { return i.Kind != analyzer.LaunchInteraction.String() }
	return (x.Interaction != nil || len(d.Processes) == 0) && len(d.Interactions) > 0 && !slices.ContainsFunc(d.Interactions, other)
}

// advises reports whether a cause of a process or a hang has an advice.
func (d *evidence) advises(a why.Advice) bool {
	words := causetext.Advice(a)
	for _, p := range d.Processes {
		if slices.ContainsFunc(slices.Concat(p.Causes, p.ShownCauses), func(c *evidenceCause) bool { return c.Advice == words }) {
			return true
		}
	}
	return slices.ContainsFunc(d.Hangs, func(h *evidenceHang) bool { return h.Advice == words })
}

// judgedFrames returns the number of frames of an input that are known to be late or on time.
func judgedFrames(in *Input) (n int) {
	for _, p := range in.Processes {
		if p.Kind == stats.Application {
			n += p.Frames.Judged
		}
	}
	return n
}

// lacksFrequencies reports whether an input has scheduling events, but no frequencies of CPUs: the tag freq
// was not recorded.
func lacksFrequencies(in *Input) bool {
	return in.Quality != nil && slices.ContainsFunc(in.Quality.Reasons, func(r stats.Reason) bool { return r.Code == "no_freq" })
}

func (x *witness) prefix(in *Input) string {
	if !x.several {
		return ""
	}
	return brief.Name(in.Name) + ": "
}

// inputName names the input of a part if there are several.
func (x *witness) inputName(in *Input) string {
	if !x.several {
		return ""
	}
	return brief.Name(in.Name)
}

func (x *witness) input(in *Input) evidenceInput {
	c := in.Causes
	j := evidenceInput{Name: brief.Name(in.Name), Scheduled: c.Scheduled, Woken: c.Woken, BlockedReasons: c.BlockedReasons, Sampled: len(c.Sampled) > 0}
	if in.Stats != nil && in.Stats.Span != nil {
		j.Start, j.Length = int64(in.Stats.Span.From), in.Stats.Span.Seconds
	}
	if q := in.Quality; q != nil {
		j.Quality = string(q.Verdict)
		for _, r := range q.Reasons[:min(len(q.Reasons), maxWorst)] {
			j.Reasons = append(j.Reasons, r.Code)
		}
		if q.ClockSource != nil {
			j.Clock = *q.ClockSource
		}
		if q.ClockAccuracy != nil {
			j.Accuracy = int64(*q.ClockAccuracy)
		}
	}
	return j
}

func (x *witness) process(o *overall) *evidenceProcess {
	r := o.Ranking
	j := &evidenceProcess{Name: processName(o.Name), Kind: o.Kind, Frames: o.Frames.Complete, Judged: o.Frames.Judged, Late: o.Frames.Late, Lost: knownLost(r), Unknown: r.Unknown}
	if x.several {
		j.Inputs = len(o.Inputs)
	}
	shown := o.located(func(p *Process) []*why.Explanation { return p.ShownLate })
	picked := o.located(func(p *Process) []*why.Explanation { return p.PickedUpLate })
	if x.Vsync != 0 { // what was asked for is in Late
		shown, picked = nil, nil
	}
	var all [][]*why.Explanation
	for i := range o.parts {
		p := &o.parts[i]
		all = append(all, p.ShownLate)
		if !x.several && p.PID != trace.UnknownPID {
			j.PID = &p.PID
		}
		if p.in.Stats != nil && !x.several && x.Vsync == 0 && x.Interaction == nil {
			for _, m := range p.in.Stats.Processes {
				if m.Source == p.Source && m.Kind == p.Kind {
					j.JankRate = rounded(m.JankRate)
					for _, rate := range m.Refresh[:min(len(m.Refresh), maxWorst)] {
						j.Refresh = append(j.Refresh, evidenceRefresh{math.Round(rate.Rate*100) / 100, rate.Frames})
					}
				}
			}
		}
		if c := p.in.Commands; c != nil && !x.several && x.Process == nil && x.Vsync == 0 && x.Interaction == nil {
			j.Why = brief.Command(c.WhyProcess(p.Name, p.PID, brief.Flag))
		}
		if !x.several {
			for _, f := range p.Functions {
				f.Function.Name, f.Function.Module = brief.Name(f.Function.Name), brief.Name(f.Function.Module)
				j.Functions = append(j.Functions, functionCost(f))
			}
		}
	}
	if d := o.delay(); d != nil && *d != (Delay{}) && x.Vsync == 0 {
		j.Delay = d
	}
	late := o.located(func(p *Process) []*why.Explanation { return p.Late })
	for _, e := range brief.First(&j.LeftOut, "late_frames", latest(late, overrun), maxWorst) {
		j.LateFrames = append(j.LateFrames, x.frame(e))
	}
	for _, e := range brief.First(&j.LeftOut, "shown_late", latest(shown, shownLateBy(all...)), maxWorst) {
		j.ShownLate = append(j.ShownLate, x.shownLate(e))
	}
	for _, e := range brief.First(&j.LeftOut, "picked_up_late", latest(picked, pickedUpLate), maxWorst) {
		j.PickedUp = append(j.PickedUp, x.pickedUpLate(e))
	}
	causes := func(list string, r *why.Ranking, shown bool) (causes []*evidenceCause) {
		seen := map[*analyzer.Frame]bool{} // with a sentence and commands
		for _, c := range brief.First(&j.LeftOut, list, r.Costs, len(Leading(r, MaxCosts))) {
			cause := x.cause(o, r, c, shown)
			if seen[c.Worst] {
				cause.Worst.Cause, cause.Why, cause.Open = "", "", ""
			}
			seen[c.Worst] = true
			causes = append(causes, cause)
		}
		return causes
	}
	j.Causes = causes("causes", r, false)
	if j.Pictures = o.pictures; x.Vsync == 0 {
		j.ShownCauses = causes("shown_causes", o.Shown, true)
	}
	j.Functions = brief.First(&j.LeftOut, "functions", j.Functions, maxWorst)
	if x.Vsync == 0 {
		j.Against = o.against()
	}
	return j
}

// located is an explanation with the process and the input that has the frame.
type located struct {
	*why.Explanation
	of *part
}

// cause returns a cause of a ranking: of late frames, or of frames that were shown late.
func (x *witness) cause(o *overall, r *why.Ranking, c *why.Cost, shown bool) *evidenceCause {
	j := &evidenceCause{
		Title: brief.Sentence(causetext.CostTitle(c)), Wait: c.Wait.String(), Stage: c.Stage().String(), Slice: brief.Name(c.Slice), Function: brief.Name(c.Function),
		Culprit: threadOf(c.Culprit), Frames: len(c.Frames), Missing: c.Missing.String(), KnockOn: c.KnockOn, KnockOns: c.KnockOns, Advice: causetext.Advice(c.Advice),
	}
	j.Calls, j.Usual = callsOf(c.Calls, int(c.UsualCalls))
	if c.LostKnown() {
		of := share(c.Lost, r.Lost)
		j.Lost, j.Share, j.Gain = &c.Lost, &of, &c.Gain
	}
	for i := range c.Repeats {
		j.Arguments = append(j.Arguments, brief.Name(causetext.Repeat(&c.Repeats[i])))
	}
	for i := range o.parts {
		p := &o.parts[i]
		e := p.all.Of(c.Worst)
		if e == nil {
			continue
		}
		j.Worst = evidenceWorst{Vsync: c.Worst.VsyncID, TID: c.Worst.TID, Input: x.inputName(p.in), Start: c.Worst.Actual.Start, Overrun: knownOverrun(c.Worst), AtLeast: unfinished(c.Worst)}
		if x.Vsync == 0 { // otherwise the frame has it
			j.Worst.Cause = brief.Sentence(causetext.Sentence(p.all, e))
		}
		shares := e.Shares
		if shown {
			shares = nil
			if e.ShownLate() {
				shares = e.Shown.Shares
				j.Worst.Overrun, j.Worst.Cause = &e.Shown.Lost, brief.Sentence(causetext.Shown(p.all, e))
			}
		}
		if s := shareOf(shares, c); s != nil {
			j.Interrupt = brief.Name(s.Interrupt)
			value, usual := s.Value, s.Usual
			if j.Worst.Value = &value; shown || !e.OverBudget && e.Basis != why.Budget { // otherwise it is what fits into the budget
				j.Worst.Usual = &usual
			}
			if f := e.FunctionOf(s); f != nil {
				j.Worst.Sampled = &evidenceSampled{brief.Name(f.Name), brief.Name(f.Module), f.Samples, f.Of}
			}
		}
		if cs := p.in.Commands; cs != nil && x.Vsync == 0 {
			j.Why, j.Open = brief.Command(cs.WhyFrame(c.Worst, brief.Flag)), brief.Command(cs.OpenFrame(c.Worst))
		}
		break
	}
	switch {
	case !shown:
		j.Against = o.againstCause(c, x.Vsync != 0)
	case len(c.Frames) == 1:
		j.Against = []string{"only 1 frame shown late has it"}
	}
	return j
}

// shareOf returns the share of a late frame that counts for a cause; nil if it is a knock-on.
func shareOf(shares []why.Share, c *why.Cost) *why.Share {
	for i := range shares {
		if s := &shares[i]; c.Has(s) {
			return s
		}
	}
	return nil
}

func threadOf(c *why.Culprit) *evidenceThread {
	if c == nil {
		return nil
	}
	j := &evidenceThread{
		brief.Name(c.Process), brief.Name(c.Thread), c.TID, c.Wait.String(), brief.Name(c.Slice), c.Time, brief.Name(causetext.Arguments(c.Arguments)),
		brief.Name(c.Function), brief.Name(c.Interrupt), nil,
	}
	if o := c.For; o != nil {
		j.For = &evidenceOther{brief.Name(o.Process), brief.Name(o.Thread), o.TID, o.Time}
	}
	return j
}

func share(part, whole trace.Duration) float64 {
	s := float64(part) / float64(max(whole, 1))
	return *rounded(&s)
}

// rounded rounds to four digits after the point; nil stays nil.
func rounded(x *float64) *float64 {
	if x == nil {
		return nil
	}
	r := math.Round(1e4**x) / 1e4
	return &r
}

func (x *witness) frame(l located) *evidenceFrame {
	e, p := l.Explanation, l.of
	j := &evidenceFrame{Vsync: e.Frame.VsyncID, Input: x.inputName(p.in), Start: e.Frame.Actual.Start, Late: knownOverrun(e.Frame), AtLeast: unfinished(e.Frame), Verdict: e.Outcome.String(), Cause: brief.Sentence(causetext.Sentence(p.all, e))}
	if e.Outcome != why.NotLate {
		j.Confidence = e.Confidence.String()
	}
	if e.Root != nil {
		j.KnockOnOf = e.Root.VsyncID
	}
	if !p.chosen {
		return j
	}
	sum := NewSum(e)
	j.title = frameTitle(sum, e)
	j.Span, j.Budget = brief.Sentence(sum.Span()), brief.Sentence(sum.Waterfall(e))
	if j.Shown = brief.Sentence(causetext.Shown(p.all, e)); j.Shown != "" && e.Shown.Lost > 0 {
		j.Shown = brief.Sentence(text.Milliseconds(e.Shown.Lost) + " ms: " + j.Shown)
	}
	if reason := causetext.PickUp(p.all, e); reason != "" {
		j.PickedUp = brief.Sentence(text.Milliseconds(e.PickUp.Lost) + " ms: " + reason)
	}
	for i := range e.Shares {
		if n := len(e.Shares[i].Instances); n > 0 {
			j.LeftOut.Add("instances", e.Shares[i].Calls-n)
		}
		for _, in := range e.Shares[i].Instances {
			j.Instances = append(j.Instances, evidenceInstance{brief.Name(e.Shares[i].Slice), in.Time, brief.Name(causetext.Arguments(in.Arguments))})
		}
	}
	j.Instances = brief.First(&j.LeftOut, "instances", j.Instances, maxWorst)
	threads, others := Threads(e, maxThreads)
	j.LeftOut.Add("waited_for", others)
	slices.SortStableFunc(threads, func(a, b *Thread) int { return cmp.Compare(b.Time, a.Time) })
	for _, t := range threads {
		c := *t.Culprit
		c.Time = t.Time
		j.Threads = append(j.Threads, *threadOf(&c))
	}
	functions := brief.First(&j.LeftOut, "functions", e.Functions, maxWorst)
	for i := range functions {
		f := &functions[i]
		j.Functions = append(j.Functions, evidenceFunction{evidenceSampled{brief.Name(f.Name), brief.Name(f.Module), f.Samples, f.Of}, f.Stage.String(), f.Wait.String(), f.Time, f.Usual})
	}
	for _, s := range slicesOf(brief.First(&j.LeftOut, "slices", e.Slices, maxWorst)) {
		s.Slice = brief.Name(s.Slice)
		j.Slices = append(j.Slices, s)
	}
	if c := p.in.Commands; c != nil {
		j.Open = brief.Command(c.OpenFrame(e.Frame))
	}
	return j
}

// further returns a frame that was late in another way, and why in a sentence.
func (x *witness) further(l located, late trace.Duration, cause string) *evidenceFrame {
	j := &evidenceFrame{Vsync: l.Frame.VsyncID, Input: x.inputName(l.of.in), Start: l.Frame.Actual.Start, Late: &late, Cause: brief.Sentence(cause)}
	if c := l.of.in.Commands; c != nil {
		j.Why, j.Open = brief.Command(c.WhyFrame(l.Frame, brief.Flag)), brief.Command(c.OpenFrame(l.Frame))
	}
	return j
}

// shownLate returns a frame that was shown late.
func (x *witness) shownLate(l located) *evidenceFrame {
	j := x.further(l, l.Shown.Lost, causetext.Shown(l.of.all, l.Explanation))
	if l.Shown.Root != nil {
		j.KnockOnOf = l.Shown.Root.VsyncID
	}
	if len(l.Shown.Shares) > 0 {
		s := &l.Shown.Shares[0]
		j.Confidence = l.Shown.Confidence.String()
		j.Stage, j.Wait, j.Slice, j.Culprit = s.Stage.String(), s.Wait.String(), brief.Name(s.Slice), threadOf(s.Culprit)
	}
	return j
}

// pickedUpLate returns a frame that was picked up late.
func (x *witness) pickedUpLate(l located) *evidenceFrame {
	j := x.further(l, l.PickUp.Lost, causetext.PickUp(l.of.all, l.Explanation))
	j.Verdict = l.PickUp.Outcome.String()
	return j
}

func (x *witness) interaction(in *Input, i *Interaction) *evidenceInteraction {
	j := &evidenceInteraction{
		ID: i.ID, Kind: i.Kind.String(), Name: brief.Name(text.Interaction(i.Interaction)), Process: processName(i.Process.Name), Input: x.inputName(in),
		Grade: i.grade(), Frames: len(i.Frames), Late: i.Late, Lost: i.Lost,
		Hitch: rounded(i.Measures.HitchRatio), Missed: i.Measures.LongestMissedRun, Cause: brief.Sentence(i.mainCause()),
	}
	if at := i.Span().Start; at.Known() {
		j.Start = &at
	}
	if d, ok := i.Interaction.Response(); ok {
		j.Response = &d
	}
	for _, reason := range text.ReasonsOf(i.Measures) {
		j.Against = append(j.Against, brief.Sentence(reason))
	}
	if i.Response != nil && i.explained() {
		j.Advice = causetext.StepAdvice(i.Response, i.Process.PID)
	}
	if c := in.Commands; c != nil {
		if x.Interaction == nil {
			j.Why = brief.Command(c.WhyInteraction(i.ID, brief.Flag))
		} else {
			j.Open = brief.Command(c.OpenInteraction(i.ID))
		}
	}
	if x.Interaction == nil || i.Response == nil {
		return j
	}
	steps := slices.Clone(i.Response.Steps)
	slices.SortStableFunc(steps, func(a, b why.Step) int { return cmp.Compare(b.Time, a.Time) })
	steps = brief.First(&j.LeftOut, "steps", steps, maxAnswers)
	for n := range steps {
		s := &steps[n]
		step := evidenceStep{Step: string(s.Name), Stage: brief.Name(s.Stage), Start: s.Start, Time: s.Time, Open: s.Open, Did: brief.Sentence(causetext.StepWork(s))}
		if d, ok := i.usual(s); ok {
			step.Usual = &d
		}
		j.Steps = append(j.Steps, step)
	}
	return j
}

// hang returns a hang. The only one has the slices of its thread, another one the command that shows them.
func (x *witness) hang(in *Input, h *Hang, only bool) *evidenceHang {
	j := &evidenceHang{
		Process: processName(h.Process.Name), PID: h.Process.PID, Input: x.inputName(in), Slice: brief.Name(h.Slice), Start: h.Start, Duration: h.Duration(),
		BeginCut: h.BeginCut != analyzer.NoEdge, EndCut: h.EndCut != analyzer.NoEdge, Severe: h.severe(), Cause: brief.Sentence(causetext.Hang(h.Spent)), Advice: causetext.HangAdvice(h.Spent),
	}
	if h.Spent == nil {
		return j
	}
	for i := range h.Spent.Path {
		s := &h.Spent.Path[i]
		j.Path = append(j.Path, evidenceCall{brief.Name(s.Slice), s.Calls, s.Value, brief.Name(causetext.Arguments(s.Arguments))})
	}
	j.Path = brief.First(&j.LeftOut, "path", j.Path, maxStackPath)
	if waits := h.Spent.Work().Waits; len(waits) > 0 && waits[0].Wait != why.Run {
		j.Culprit = threadOf(waits[0].Culprit)
	}
	if only {
		for _, s := range slicesOf(h.Spent.Work().Slices) {
			s.Slice = brief.Name(s.Slice)
			j.Slices = append(j.Slices, s)
		}
	} else if c := in.Commands; c != nil {
		j.Why = brief.Command(c.WhyHang(&h.Hang, brief.Flag))
	}
	return j
}

// processName returns the printable name of a process; empty if it is unknown.
func processName(s string) string {
	if s == "" {
		return ""
	}
	return brief.Name(text.ProcessName(s))
}

// knownPID returns nil if the input does not have the id of a process.
func knownPID(p *analyzer.Process) *trace.PID {
	if p.NoPID || p.PID == trace.UnknownPID {
		return nil
	}
	return &p.PID
}

func (x *witness) layer(in *Input, l *Layer) *evidenceLayer {
	j := &evidenceLayer{ID: l.ID, Name: brief.Name(l.Name), Input: x.inputName(in), Judged: l.Judged, Late: l.Late, Lost: l.Lost, OfFrames: l.OfFrames, LostByFrames: l.LostByFrames}
	if l.Process != nil {
		j.Process, j.PID = processName(l.Process.Name), knownPID(l.Process)
	}
	j.Cadences = brief.First(&j.LeftOut, "cadences", stats.LayerCadences(l.Layer), maxAnswers)
	for i := range brief.First(&j.LeftOut, "drops", l.Drops, maxAnswers) {
		j.Drops = append(j.Drops, brief.Sentence(text.LayerDrop(&l.Drops[i], in.Start)))
	}
	for _, c := range brief.First(&j.LeftOut, "causes", l.Costs, maxAnswers) {
		cause := &evidenceBufferCause{
			Title: brief.Sentence(causetext.BufferTitle(c)), Reason: c.Outcome.String(), Buffers: c.Buffers, Lost: c.Lost, Share: share(c.Lost, l.Lost),
			Worst: c.Worst.Buffer.Present, Cause: brief.Sentence(causetext.Buffer(l.causes, c.Worst)), Advice: causetext.BufferAdvice(c),
		}
		if s := c.Share; s != nil {
			cause.Wait, cause.Slice, cause.Function, cause.Culprit = s.Wait.String(), brief.Name(s.Slice), brief.Name(s.Function), threadOf(s.Culprit)
			if s.Culprit != nil && !s.Culprit.Sure {
				cause.Against = append(cause.Against, unsureCulprit)
			}
		}
		if c.Buffers == 1 {
			cause.Against = append(cause.Against, "only 1 late buffer has it")
		}
		j.Causes = append(j.Causes, cause)
	}
	if c := in.Commands; c != nil && x.Layer == nil {
		j.Why = brief.Command(c.WhyLayer(l.ID, brief.Flag))
	}
	if x.Layer == nil {
		return j
	}
	buffers := slices.Clone(l.Buffers)
	slices.SortStableFunc(buffers, func(a, b *why.Explanation) int { return cmp.Compare(b.Buffer.Overrun(), a.Buffer.Overrun()) })
	for _, b := range brief.First(&j.LeftOut, "buffers", buffers, maxWorst) {
		j.Buffers = append(j.Buffers, evidenceBuffer{b.Buffer.Present, b.Buffer.Overrun(), b.Lost, b.Outcome.String(), brief.Sentence(causetext.Buffer(l.causes, b))})
	}
	return j
}
