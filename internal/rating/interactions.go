package rating

import (
	"fmt"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// OfGrade returns the level of a grade: only a response below all limits is coloured.
func OfGrade(g stats.Grade) Level {
	if g == stats.GradeBelow {
		return Critical
	}
	return None
}

// LimitsNote says whose limits the grades have, and that these include what a trace does not show.
const LimitsNote = "The limits are those of Huawei's application experience standards, " +
	"for measurements with a camera, which include 15–30 ms that a trace does not show: aim for a response that much shorter."

// Missed is a published limit that an interaction misses.
type Missed struct {
	Response bool // the limit is that of responses; others are of smoothness
	Level    Level
	Text     string // by how much: "hitch ratio 12.0 ms/s, critical above 10"
}

var (
	response = stats.InteractionMeasures.Named("response_ms")
	hitches  = stats.InteractionMeasures.Named("hitch")
	run      = stats.InteractionMeasures.Named("longest_missed_run")
)

// MissedBy returns the published limits that an interaction misses.
func MissedBy(i *stats.Interaction) (list []Missed) {
	if level := OfGrade(i.ResponseGrade()); level != None {
		limit := stats.LimitOf(i.Source)
		longest := text.Number(max(limit.S, limit.B).Milliseconds(), 0)
		list = append(list, Missed{true, level, text.Stated(response, i.Response) + ", the limit is " + longest})
	}
	if level := OfMeasure(hitches, i.HitchRatio); level != None && i.IsFling() {
		list = append(list, Missed{false, level, text.Stated(hitches, i.HitchRatio) + ", " + beyond(hitches.Rated, level)})
	}
	if level := OfMeasure(run, run.Value(i)); level != None {
		list = append(list, Missed{false, level, text.Count(*i.LongestMissedRun, "vsync") + " missed in a row, " + beyond(run.Rated, level)})
	}
	return list
}

// beyond says which of two thresholds a level is beyond.
func beyond(t *stats.Thresholds, level Level) string {
	if level == Critical {
		return fmt.Sprintf("critical above %g", t.Critical)
	}
	return fmt.Sprintf("%s %g", t.Limit, t.Warning)
}

// Misses reports whether an interaction misses the limit of its response, and whether it janked.
func Misses(i *stats.Interaction) (response, janked bool) {
	for _, m := range MissedBy(i) {
		response, janked = response || m.Response, janked || !m.Response
	}
	return response, janked
}

// Headline returns what is said of inputs, after sentences about hangs, if any are given, and about the
// interactions that miss a limit, if any does. Those of several inputs are only counted,
// because each input has its own numbers.
func Headline(hangs string, said text.Answer, inputs ...[]*stats.Interaction) (a text.Answer) {
	total := 0
	var janked, late, slow []*stats.Interaction
	for _, list := range inputs {
		total += len(list)
		for _, i := range list {
			tooLate, jank := Misses(i)
			if jank {
				janked = append(janked, i)
			}
			switch {
			case tooLate:
				late = append(late, i)
			case i.ResponseGrade() == stats.GradeB:
				slow = append(slow, i)
			}
		}
	}
	named := func(list []*stats.Interaction) string {
		if len(inputs) > 1 {
			return ""
		}
		return ": " + name(list)
	}
	of := " of " + text.Count(total, "interaction")
	if total == 1 {
		of = " interaction"
	}
	a.Say(hangs)
	if n := len(janked); n > 0 {
		a.Say(fmt.Sprint(n) + of + " janked" + named(janked))
	}
	if n := len(late); n > 0 {
		a.Say(fmt.Sprint(n) + of + " responded too late" + named(late))
	}
	if a.Summary == "" { // a slow response alone is no headline
		a.Say(said.Summary)
		said.Summary = ""
	}
	if n := len(slow); n > 0 {
		a.Say(fmt.Sprint(n) + of + " responded slowly, with grade B" + named(slow))
	}
	a.Add(said)
	return a
}

// What Headline names at most: different interactions.
const (
	maxNames = 2
	maxName  = 50 // width of one
)

// name names interactions: "2 and 3 (fling of a list of com.example)".
func name(list []*stats.Interaction) string {
	var names []string
	ids := map[string][]int{}
	var all []int
	for _, i := range list {
		n := text.Interaction(i.Source) + " of " + text.ProcessName(i.Process)
		if ids[n] == nil {
			names = append(names, n)
		}
		ids[n] = append(ids[n], i.ID)
		all = append(all, i.ID)
	}
	if len(names) > maxNames {
		return text.IDs(all)
	}
	for at, n := range names {
		names[at] = fmt.Sprintf("%s (%s)", text.IDs(ids[n]), text.Shorten(n, maxName))
	}
	return strings.Join(names, ", ")
}
