package diff

import (
	"encoding/json"
	"io"

	"ohframe/analyzer/stats"
)

// document is the JSON form.
type document struct {
	Base       documentSide      `json:"base"`
	New        documentSide      `json:"new"`
	Processes  []documentPair    `json:"processes"`
	OnlyInBase []stats.Subject   `json:"only_in_base"`
	OnlyInNew  []stats.Subject   `json:"only_in_new"`
	FailOn     []documentOutcome `json:"fail_on"`
}

type documentSide struct {
	Name string      `json:"name"`
	Span *stats.Span `json:"span"`
}

type documentPair struct {
	Base           documentProcess `json:"base"`
	New            documentProcess `json:"new"`
	MatchedBy      Match           `json:"matched_by"`
	RefreshDiffers bool            `json:"refresh_differs"`
	Measures       []Measure       `json:"measures"`
	Tests          documentTests   `json:"tests"`
}

type documentProcess struct {
	stats.Subject
	Refresh []stats.Refresh `json:"refresh"`
}

// documentTests are null if there is nothing to test.
type documentTests struct {
	Durations          *documentDurations          `json:"durations"`
	DurationsInPeriods *documentDurationsInPeriods `json:"durations_in_periods"`
	JankRate           *documentJankRate           `json:"jank_rate"`
}

// mannWhitney is the name of the test on durations.
const mannWhitney = "mann_whitney_u"

type documentDurations struct {
	Verdict Verdict `json:"verdict"`
	Method  string  `json:"method"`
	*stats.DurationTest
}

type documentDurationsInPeriods struct {
	Verdict Verdict `json:"verdict"`
	Method  string  `json:"method"`
	*stats.DurationInPeriodsTest
}

type documentJankRate struct {
	Verdict Verdict `json:"verdict"`
	*stats.RateTest
}

type documentOutcome struct {
	Condition string `json:"condition"`
	Measure   string `json:"measure"`
	Process   int    `json:"process"`
	Status    Status `json:"status"`
}

// MarshalJSON encodes an empty judgement as null.
func (j Judgement) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(j))
}

func writeJSON(w io.Writer, d *Diff) error {
	doc := document{
		Base:       documentSide{d.Base.Name, d.Base.Stats.Span},
		New:        documentSide{d.New.Name, d.New.Stats.Span},
		Processes:  []documentPair{},
		OnlyInBase: subjects(d.OnlyBase),
		OnlyInNew:  subjects(d.OnlyNew),
		FailOn:     []documentOutcome{},
	}
	for _, p := range d.Pairs {
		doc.Processes = append(doc.Processes, documentPair{
			Base: newDocumentProcess(p.Base), New: newDocumentProcess(p.New), MatchedBy: p.MatchedBy,
			RefreshDiffers: p.Tests.RefreshDiffers, Measures: p.Measures, Tests: newDocumentTests(&p.Tests),
		})
	}
	places := map[*Pair]int{}
	for i, p := range d.Pairs {
		places[p] = i
	}
	for _, o := range d.Outcomes {
		doc.FailOn = append(doc.FailOn, documentOutcome{o.Condition.String(), o.Condition.Measure, places[o.Pair], o.Status})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(doc)
}

func subjects(list []*stats.Process) []stats.Subject {
	subjects := make([]stats.Subject, 0, len(list))
	for _, p := range list {
		subjects = append(subjects, subject(p))
	}
	return subjects
}

func subject(p *stats.Process) stats.Subject {
	return stats.Subject{Kind: p.Kind, PID: p.PID, Name: p.Name}
}

func newDocumentProcess(p *stats.Process) documentProcess {
	return documentProcess{subject(p), p.Refresh}
}

func newDocumentTests(c *stats.Comparison) (t documentTests) {
	if d := c.Durations; d != nil {
		t.Durations = &documentDurations{rankVerdict(&d.RankTest), mannWhitney, d}
	}
	if d := c.DurationsInPeriods; d != nil {
		t.DurationsInPeriods = &documentDurationsInPeriods{rankVerdict(&d.RankTest), mannWhitney, d}
	}
	if j := c.JankRate; j != nil {
		t.JankRate = &documentJankRate{rateVerdict(j), j}
	}
	return t
}
