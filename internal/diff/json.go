package diff

import (
	"io"
	"iter"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/quality"
	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// document is the JSON form.
type document struct {
	Base         documentSide           `json:"base"` // the sides
	New          documentSide           `json:"new"`
	Processes    iter.Seq[documentPair] `json:"processes"`    // the processes compared, in the order of base
	OnlyInBase   []documentSubject      `json:"only_in_base"` // processes without a match
	OnlyInNew    []documentSubject      `json:"only_in_new"`
	Interactions Groups                 `json:"interactions"`           // those of one scene, page and process together
	Layers       Groups                 `json:"layers"`                 // those of one name and producer together
	Own          *Groups                `json:"own_measures,omitempty"` // measures of "--measure", by name
	Differences  []difference           `json:"differences"`            // what differs between the recordings
	// "failed" if a condition failed (exit code 2), "unknown" if that cannot be told (3), "passed"; empty if nothing was
	// to be checked
	Result condition.Status `json:"result"`
	// each condition for each process, scene or layer compared; empty without "--fail-on"
	FailOn  []documentOutcome   `json:"fail_on"`
	Skipped []view.SkippedInput `json:"skipped"` // inputs of both sides that were skipped
	Test    documentTest        `json:"test"`    // how changes were tested
}

type documentSide struct {
	Name string `json:"name"` // what the input was called, usually a file name
	// from the first line to the last, as in a report; nil for several runs
	Span        *stats.Span `json:"span"`
	Runs        []string    `json:"runs"`         // what the inputs were called
	Sessions    []*string   `json:"sessions"`     // the session of each run, nil if unknown
	AppVersions []string    `json:"app_versions"` // recorded applications with their versions
	// data quality (docs/trouble.md); of several runs the worst verdict, sums, and each reason with the
	// first run that has it
	Quality *quality.Quality `json:"quality"`
}

type documentTest struct {
	// "permutation" or "moderated_t"; empty if nothing was tested
	Method    significance.Method `json:"method"`
	Level     float64             `json:"level"`      // 0.04
	Power     float64             `json:"power"`      // 0.8, the probability with which changes of "detectable" are found
	Unit      string              `json:"unit"`       // "run", "session", or a dimension such as "device"
	BaseUnits int                 `json:"base_units"` // number of units of each side
	NewUnits  int                 `json:"new_units"`
	Changes   int                 `json:"changes"`   // number of changes of processes that were tested together
	Resamples int                 `json:"resamples"` // number of divisions; 0 for "moderated_t"
}

type documentPair struct {
	Base           documentProcess `json:"base"` // the process on each side
	New            documentProcess `json:"new"`
	MatchedBy      matchedBy       `json:"matched_by"`      // "map", "name", "name_end" or "kind"
	RefreshDiffers bool            `json:"refresh_differs"` // refresh rates differ
	// Android recorded the frames of one side: what each system has rules of its own for has no "delta"
	RulesDiffer bool `json:"rules_differ"`
	// how long each of the runs of "units_needed" is, in seconds; nil if unknown
	Seconds *float64 `json:"seconds_needed"`
	// the measures that are known on a side, in the order of the table below
	Measures []*Measure `json:"measures" brief:"least=1"`
	// what changed in the causes of late frames; nil if they are unknown in a trace, or if only some
	// traces have scheduling events
	Causes *CauseChanges `json:"causes"`
	// the mean time of a frame in functions, in milliseconds; the largest change first; empty if a side
	// has no samples
	Functions []functionChange `json:"functions" brief:"6"`
}

// documentSubject identifies a process.
type documentSubject struct {
	Kind stats.Kind `json:"kind"` // "app" or "render"
	PID  trace.PID  `json:"pid"`  // process id; nil if unknown
	Name string     `json:"name"` // name; empty if unknown
}

type documentProcess struct {
	documentSubject
	Refresh []stats.Refresh `json:"refresh" brief:"3"` // refresh rates, as in a report
}

type documentOutcome struct {
	Condition string `json:"condition" brief:"sentence"` // the condition without blanks
	Measure   string `json:"measure"`                    // its measure
	// what the condition is on is in "processes", "interactions" or "layers"; nil if it is
	// only in base
	List optional `json:"list" brief:"-"`
	// its index there, or in "compared" there, from 0; nil if it is only in base
	Index   *int             `json:"index" brief:"-"`
	Missing string           `json:"missing"` // the name of what is only in base, otherwise empty
	Status  condition.Status `json:"status"`  // "failed", "passed" or "unknown"
	// the condition passed, but the change is beyond the limit, and "units_needed" would decide
	Undecided bool   `json:"undecided"`
	Text      string `json:"text" brief:"sentence"` // the change, or why the status is unknown
	condition.Tested
}

func writeJSON(w io.Writer, d *Diff, o WriteOptions) error {
	gate := d.gateOf(o)
	doc := document{
		Base:        d.Base.document(),
		New:         d.New.document(),
		Processes:   d.documentPairs,
		OnlyInBase:  subjects(d.OnlyBase),
		OnlyInNew:   subjects(d.OnlyNew),
		Differences: []difference{},
		Result:      gate.Status(),
		FailOn:      []documentOutcome{},
		Skipped:     view.SkippedInputs(o.Skipped),
		Test:        d.documentTest(),

		Interactions: *d.Interactions, Layers: *d.Layers,
	}
	if d.Own.any() {
		doc.Own = d.Own
	}
	for _, x := range d.differences() {
		x.Base, x.New = append([]string{}, x.Base...), append([]string{}, x.New...)
		doc.Differences = append(doc.Differences, x)
	}
	for _, o := range d.Outcomes {
		out := documentOutcome{Condition: o.Condition, Measure: o.Measure, Status: o.Status, Undecided: o.Undecided, Text: o.Text, Tested: o.Change.Tested()}
		switch {
		case o.Pair != nil:
			out.List, out.Index = "processes", &o.Pair.index
		case o.Group != nil:
			out.List, out.Index = optional(strings.ReplaceAll(o.Group.kind.nouns, " ", "_")), &o.Group.index
		default:
			out.Missing = o.Process
		}
		doc.FailOn = append(doc.FailOn, out)
	}
	return text.WriteJSON(w, doc)
}

func (d *Diff) documentTest() documentTest {
	return documentTest{d.Test.Method, significance.Level, significance.Power, d.unit, len(d.units[0].names), len(d.units[1].names), d.Test.Tested, d.Test.Resamples}
}

func (s *Side) document() documentSide {
	doc := documentSide{s.Name, s.Stats.Span, s.runNames(), []*string{}, append([]string{}, s.versions()...), s.Quality}
	for _, run := range s.all() {
		id := &run.Recording.Session
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
		doc.Measures = slices.DeleteFunc(p.measures(), func(m *Measure) bool { return m.Base == nil && m.New == nil })
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
		Base: process(p.Base, p.base), New: process(p.New, p.new), MatchedBy: p.MatchedBy, RefreshDiffers: p.RefreshDiffers, RulesDiffer: p.RulesDiffer,
		Causes: p.Causes, Functions: append([]functionChange{}, p.Functions.List...),
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
