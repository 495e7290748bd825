package diff

import (
	"io"
	"iter"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/condition"
	"ohframe/internal/quality"
	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// document is the JSON form.
type document struct {
	Base         documentSide           `json:"base"`
	New          documentSide           `json:"new"`
	Processes    iter.Seq[documentPair] `json:"processes"`
	OnlyInBase   []documentSubject      `json:"only_in_base"`
	OnlyInNew    []documentSubject      `json:"only_in_new"`
	Interactions Groups                 `json:"interactions"`
	Layers       Groups                 `json:"layers"`
	Summaries    Groups                 `json:"summaries"`
	// Differences are facts of the recordings.
	Differences []Difference        `json:"differences"`
	FailOn      []documentOutcome   `json:"fail_on"`
	Skipped     []view.SkippedInput `json:"skipped"`
	Test        documentTest        `json:"test"`
}

type documentSide struct {
	Name string      `json:"name"`
	Span *stats.Span `json:"span"`
	Runs []string    `json:"runs"`
	// Sessions are those of the runs, null if unknown.
	Sessions []*string `json:"sessions"`
	// AppVersions are the applications with their versions.
	AppVersions []string `json:"app_versions"`
	// Quality is null if it is unknown.
	Quality *quality.Quality `json:"quality"`
}

type documentTest struct {
	Method significance.Method `json:"method"`
	Level  float64             `json:"level"`
	// Power is the probability with which "detectable" changes are found.
	Power float64 `json:"power"`
	// Unit is "run" or "session".
	Unit string `json:"unit"`
	// Changes of processes.
	Changes int `json:"changes"`
	// Resamples is 0 for a test that does not resample.
	Resamples int `json:"resamples"`
}

type documentPair struct {
	Base           documentProcess `json:"base"`
	New            documentProcess `json:"new"`
	MatchedBy      Match           `json:"matched_by"`
	RefreshDiffers bool            `json:"refresh_differs"`
	// Seconds is the length of runs in "units_needed".
	Seconds   *float64           `json:"seconds_needed"`
	Measures  []*Measure         `json:"measures"`
	Causes    *documentCauses    `json:"causes"`
	Functions []documentFunction `json:"functions"`
}

// documentFunction is a change of the mean time of a frame in a function.
type documentFunction struct {
	Function    string   `json:"function"`
	Module      *string  `json:"module"`
	Wait        string   `json:"wait"`
	Base        *float64 `json:"base"`
	New         *float64 `json:"new"`
	Delta       *float64 `json:"delta"`
	Low         *float64 `json:"delta_low"`
	High        *float64 `json:"delta_high"`
	P           *float64 `json:"p_value"`
	Verdict     Verdict  `json:"verdict"`
	BaseSamples int      `json:"base_samples"`
	NewSamples  int      `json:"new_samples"`
}

func newDocumentFunctions(list []FunctionChange) []documentFunction {
	docs := []documentFunction{}
	for i := range list {
		c := &list[i]
		doc := documentFunction{c.Function.Name, nil, c.Wait.String(), c.Base, c.New, c.Delta, c.Low, c.High, c.P, c.Verdict, c.BaseSamples, c.NewSamples}
		if c.Function.Module != "" {
			doc.Module = &c.Function.Module
		}
		docs = append(docs, doc)
	}
	return docs
}

type documentCauses struct {
	Lost   documentCause   `json:"lost"`
	Causes []documentCause `json:"by_cause"`
	Times  []documentCause `json:"time_per_frame"`
}

// documentCause is a change of what a cause costs. All causes together have no names.
type documentCause struct {
	Cause   *string  `json:"title"`
	Wait    *string  `json:"wait"`
	Stage   *string  `json:"stage"`
	Slice   *string  `json:"slice"`
	Base    *float64 `json:"base"`
	New     *float64 `json:"new"`
	Delta   *float64 `json:"delta"`
	Low     *float64 `json:"delta_low"`
	High    *float64 `json:"delta_high"`
	P       *float64 `json:"p_value"`
	Verdict Verdict  `json:"verdict"`
}

func newDocumentCauses(c *CauseChanges) *documentCauses {
	if c == nil {
		return nil
	}
	values := func(m *Measure) documentCause {
		return documentCause{Base: m.Base, New: m.New, Delta: m.Delta, Low: m.Low, High: m.High, P: m.P, Verdict: m.Verdict}
	}
	list := func(changes []CauseChange) []documentCause {
		docs := []documentCause{}
		for _, c := range changes {
			doc := values(c.Measure)
			title, wait := c.Title(), c.Wait.String()
			doc.Cause, doc.Wait = &title, &wait
			if c.Stage != why.NoStage {
				stage := c.Stage.String()
				doc.Stage = &stage
			}
			if c.Slice != "" {
				doc.Slice = &c.Slice
			}
			docs = append(docs, doc)
		}
		return docs
	}
	return &documentCauses{values(c.Lost), list(c.Causes), list(c.Times)}
}

// documentSubject identifies a process.
type documentSubject struct {
	Kind stats.Kind `json:"kind"`
	PID  trace.PID  `json:"pid"`
	Name string     `json:"name"`
}

type documentProcess struct {
	documentSubject
	Refresh []stats.Refresh `json:"refresh"`
}

type documentOutcome struct {
	Condition string `json:"condition"`
	Measure   string `json:"measure"`
	// List is the name of the list, and Index the index in it or in its "compared", of what the condition
	// is on. Both are null if that is missing.
	List      optional         `json:"list"`
	Index     *int             `json:"index"`
	Missing   string           `json:"missing"`
	Status    condition.Status `json:"status"`
	Undecided bool             `json:"undecided"`
	Text      string           `json:"text"`
	condition.Tested
}

func writeJSON(w io.Writer, d *Diff, o WriteOptions) error {
	doc := document{
		Base:        d.Base.document(),
		New:         d.New.document(),
		Processes:   d.documentPairs,
		OnlyInBase:  subjects(d.OnlyBase),
		OnlyInNew:   subjects(d.OnlyNew),
		Differences: []Difference{},
		FailOn:      []documentOutcome{},
		Skipped:     view.SkippedInputs(o.Skipped),
		Test:        d.documentTest(),

		Interactions: *d.Interactions, Layers: *d.Layers, Summaries: *d.Summaries,
	}
	for _, x := range d.Differences() {
		x.Base, x.New = append([]string{}, x.Base...), append([]string{}, x.New...)
		doc.Differences = append(doc.Differences, x)
	}
	for _, o := range d.Outcomes {
		out := documentOutcome{Condition: o.Condition, Measure: o.Measure, Status: o.Status, Undecided: o.Undecided, Text: o.Text, Tested: o.Change.Tested()}
		switch {
		case o.Pair != nil:
			out.List, out.Index = "processes", &o.Pair.index
		case o.Group != nil:
			out.List, out.Index = optional(o.Group.kind.nouns), &o.Group.index
		default:
			out.Missing = o.Process
		}
		doc.FailOn = append(doc.FailOn, out)
	}
	return text.WriteJSON(w, doc)
}

func (d *Diff) documentTest() documentTest {
	return documentTest{d.Test.Method, significance.Level, significance.Power, d.unit(), d.Test.Tested, d.Test.Resamples}
}

func (s *Side) document() documentSide {
	doc := documentSide{s.Name, s.Stats.Span, s.runNames(), []*string{}, append([]string{}, s.versions()...), s.Quality}
	for _, r := range s.recordings() {
		id := &r.Session
		if *id == "" {
			id = nil
		}
		doc.Sessions = append(doc.Sessions, id)
	}
	return doc
}

func (d *Diff) documentPairs(yield func(documentPair) bool) {
	for _, p := range d.Pairs {
		doc := p.document()
		doc.Measures = slices.DeleteFunc(p.Measures(), func(m *Measure) bool { return m.Base == nil && m.New == nil })
		if !yield(doc) {
			return
		}
	}
}

// document returns the pair without its measures.
func (p *Pair) document() documentPair {
	process := func(p *stats.Process, runs []*stats.Process) documentProcess {
		return documentProcess{subject(p), refreshOf(runs)}
	}
	doc := documentPair{
		Base: process(p.Base, p.base), New: process(p.New, p.new), MatchedBy: p.MatchedBy, RefreshDiffers: p.RefreshDiffers,
		Causes: newDocumentCauses(p.Causes), Functions: newDocumentFunctions(p.Functions.List),
	}
	if p.advice.Seconds > 0 {
		doc.Seconds = &p.advice.Seconds
	}
	return doc
}

func subjects(list []*stats.Process) []documentSubject {
	subjects := make([]documentSubject, 0, len(list))
	for _, p := range list {
		subjects = append(subjects, subject(p))
	}
	return subjects
}

func subject(p *stats.Process) documentSubject {
	return documentSubject{Kind: p.Kind, PID: p.PID, Name: p.Name}
}
