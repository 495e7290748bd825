package diff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe/internal/record/meta"
	"ohframe/internal/text"
)

// Recording is how a run was recorded.
type Recording struct {
	// Meta is nil if nothing is known.
	Meta *meta.Meta
	// Session identifies the call of "ohframe record" that recorded the run, empty if unknown.
	Session string
	// Dims are the values of the dimensions of the run, by name, without unknown ones.
	Dims map[string]string
}

// sessions returns the distinct sessions of the runs, in the order of the runs. Runs of unknown
// sessions are one session, which is empty.
func (s *Side) sessions() []string {
	return distinct(s, func(r *Recording) string { return r.Session })
}

// versions returns the applications that were recorded with their versions.
func (s *Side) versions() []string {
	return s.facts(func(m *meta.Meta) string {
		if m.App == nil || m.App.Version == "" {
			return ""
		}
		return m.App.Bundle + " " + m.App.Version
	})
}

// facts returns the distinct values of a fact of the runs, without unknown ones, which are empty.
func (s *Side) facts(of func(*meta.Meta) string) []string {
	list := distinct(s, func(r *Recording) string {
		if r.Meta == nil {
			return ""
		}
		return of(r.Meta)
	})
	return slices.DeleteFunc(list, func(value string) bool { return value == "" })
}

// numbers returns the known values of a fact of the runs.
func (s *Side) numbers(of func(*meta.Meta) float64) (list []float64) {
	for _, run := range s.all() {
		if m := run.Recording.Meta; m != nil && of(m) != 0 {
			list = append(list, of(m))
		}
	}
	return list
}

func distinct(s *Side, of func(*Recording) string) (list []string) {
	seen := map[string]bool{}
	for _, run := range s.all() {
		if value := of(&run.Recording); !seen[value] {
			seen[value] = true
			list = append(list, value)
		}
	}
	return list
}

// shareSession reports whether runs of both sides were recorded in one session.
func (d *Diff) shareSession() bool {
	base := d.Base.sessions()
	return slices.ContainsFunc(d.New.sessions(), func(id string) bool { return id != "" && slices.Contains(base, id) })
}

// difference is a fact of the recordings that differs between the sides, or between the runs of a
// side.
type difference struct {
	// "device", "system", "software", "kernel", "refresh_hz", "charging", "tags", "buffer_kb", "clock",
	// "debug_ui", "ohframe", "day", "temperature", "battery" or "hot"
	What string `json:"what"`
	// the values, as text; several if the runs of a side differ, empty if unknown. "temperature" and
	// "battery" are means, "hot" is the highest temperature above 42 °C
	Base []string `json:"base"`
	New  []string `json:"new"`
	Text string   `json:"text"` // the difference in a sentence, for people
}

// recordingFacts are the facts that should be the same in all runs of both sides. The version of
// the application is not among them: it is what is compared.
var recordingFacts = []struct {
	what   string
	of     func(*meta.Meta) string   // empty if unknown
	phrase func(value string) string // what follows "base was recorded"
}{
	{"device", deviceOf, form("on the device %s")},
	{"system", func(m *meta.Meta) string { return m.Device.System }, form("with the system %s")},
	{"software", func(m *meta.Meta) string { return m.Device.Software }, form("with the software %s")},
	{"kernel", func(m *meta.Meta) string { return m.Device.Kernel }, form("with the kernel %s")},
	{"refresh_hz", func(m *meta.Meta) string { return orEmpty(m.Device.RefreshHz) }, form("at %s Hz")},
	{"charging", chargingOf, choose("while charging", "on battery")},
	{"tags", func(m *meta.Meta) string { return strings.Join(slices.Sorted(slices.Values(m.Tags)), " ") }, form("with the tags %s")},
	{"buffer_kb", func(m *meta.Meta) string { return orEmpty(float64(m.BufferKB)) }, form("with a buffer of %s KB per CPU")},
	{"clock", func(m *meta.Meta) string { return m.Clock }, form("by the clock %s")},
	{"debug_ui", func(m *meta.Meta) string { return strconv.FormatBool(len(m.DebugUI) > 0) }, choose("with --debug-ui", "without --debug-ui")},
	{"ohframe", func(m *meta.Meta) string { return m.Ohframe }, form("by ohframe %s")},
}

func form(format string) func(string) string {
	return func(value string) string { return fmt.Sprintf(format, text.Printable(value)) }
}

func choose(yes, no string) func(string) string {
	return func(value string) string {
		if value == strconv.FormatBool(true) {
			return yes
		}
		return no
	}
}

func deviceOf(m *meta.Meta) string {
	if m.Device.Model != "" && m.Device.ID != "" {
		return m.Device.Model + " (" + m.Device.ID + ")"
	}
	return m.Device.Model + m.Device.ID
}

func chargingOf(m *meta.Meta) string {
	if m.Device.Charging == nil {
		return ""
	}
	return strconv.FormatBool(*m.Device.Charging)
}

// orEmpty formats a number, and zero as nothing.
func orEmpty(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

const (
	// hotter and fuller are the differences of the mean temperature in °C and of the mean battery
	// level in percentage points that are reported. Within a session both change by less.
	hotter = 4
	fuller = 30
	// nextDay is the least time between recordings of different days: some go on past midnight.
	nextDay = 6 * time.Hour
)

// differences returns what differs between the recordings. Unknown facts differ from nothing.
func (d *Diff) differences() (list []difference) {
	add := func(what string, base, new []string, text string) {
		list = append(list, difference{what, base, new, text})
	}
	for _, fact := range recordingFacts {
		base, new := d.Base.facts(fact.of), d.New.facts(fact.of)
		same := slices.Equal(slices.Sorted(slices.Values(base)), slices.Sorted(slices.Values(new)))
		switch {
		case len(new) == 0 && len(base) > 1:
			add(fact.what, base, new, "Base was recorded "+phrases(base, fact.phrase)+unlike)
		case len(base) == 0 && len(new) > 1:
			add(fact.what, base, new, "New was recorded "+phrases(new, fact.phrase)+unlike)
		case len(base) == 0 || len(new) == 0 || same && len(base) == 1:
		case same:
			add(fact.what, base, new, "Each side was recorded "+phrases(base, fact.phrase)+unlike)
		case fact.what == "tags" && len(base)+len(new) == 2:
			add(fact.what, base, new, otherTags(base[0], new[0]))
		default:
			add(fact.what, base, new, sentence(phrases(base, fact.phrase), phrases(new, fact.phrase)))
		}
	}
	if base, new, differ := d.days(); differ {
		add("day", base, new, sentence(span(base), span(new))+": a difference of the days counts as a change of the application")
	}
	for _, level := range []struct {
		what     string
		of       func(*meta.Meta) float64
		most     float64
		decimals int
		phrase   string
	}{
		{"temperature", func(m *meta.Meta) float64 { return m.Device.Temperature }, hotter, 1, "at %s °C"},
		{"battery", func(m *meta.Meta) float64 { return float64(m.Device.Battery) }, fuller, 0, "with the battery at %s %%"},
	} {
		base, new := mean(d.Base.numbers(level.of)), mean(d.New.numbers(level.of))
		if base == nil || new == nil || math.Abs(*base-*new) < level.most {
			continue
		}
		b, n := text.Number(*base, level.decimals), text.Number(*new, level.decimals)
		add(level.what, []string{b}, []string{n}, sentence(fmt.Sprintf(level.phrase, b), fmt.Sprintf(level.phrase, n)))
	}
	return append(list, d.hot()...)
}

// unlike says what is wrong with runs of a side that differ.
const unlike = ": the runs of a side should be alike"

// sentence says what differs between the sides.
func sentence(base, new string) string { return "Base was recorded " + base + ", new " + new }

// phrases joins what is said about the values of a side: "on the device A and on the device B".
func phrases(values []string, phrase func(string) string) string {
	var list []string
	for _, value := range values {
		list = append(list, phrase(value))
	}
	return strings.Join(firstOf(list), " and ")
}

// otherTags says which tags only one side was recorded with.
func otherTags(base, new string) string {
	only := func(side, tags, others string) (list []string) {
		extra := slices.DeleteFunc(strings.Fields(tags), func(tag string) bool { return slices.Contains(strings.Fields(others), tag) })
		if len(extra) == 0 {
			return nil
		}
		return []string{fmt.Sprintf("only %s was recorded with %s", side, text.Printable(strings.Join(extra, " ")))}
	}
	return "Tags: " + strings.Join(append(only("base", base, new), only("new", new, base)...), ", ")
}

// days returns the days of the recordings, and whether they differ. Sides that were recorded in
// turn do not, and sessions and the like are tested with the days that they have.
func (d *Diff) days() (base, new []string, differ bool) {
	if d.unit != runUnit || d.shareSession() {
		return nil, nil, false
	}
	begun := func(m *meta.Meta) time.Time { return m.Begun }
	before, after := d.Base.times(begun), d.New.times(begun)
	if len(before) == 0 || len(after) == 0 {
		return nil, nil, false
	}
	base, new = dates(before), dates(after)
	pause := max(after[0].Sub(before[len(before)-1]), before[0].Sub(after[len(after)-1]))
	return base, new, pause >= nextDay && !slices.ContainsFunc(base, func(date string) bool { return slices.Contains(new, date) })
}

// times returns the known times of the runs in order.
func (s *Side) times(of func(*meta.Meta) time.Time) (list []time.Time) {
	for _, run := range s.all() {
		if m := run.Recording.Meta; m != nil && !of(m).IsZero() {
			list = append(list, of(m))
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	return list
}

// dates returns the distinct dates of times that are in order, at the place of the recording.
func dates(times []time.Time) (list []string) {
	for _, t := range times {
		list = append(list, t.Format(time.DateOnly))
	}
	return slices.Compact(list)
}

func span(dates []string) string {
	if last := len(dates) - 1; last > 0 {
		return "from " + dates[0] + " to " + dates[last]
	}
	return "on " + dates[0]
}

// hot returns the sides with runs that began when the device was hot. Folders leave them out, so
// they were given by name.
func (d *Diff) hot() []difference {
	hottest := func(s *Side) []string {
		temperatures := s.numbers(func(m *meta.Meta) float64 { return m.Device.Temperature })
		if len(temperatures) == 0 || slices.Max(temperatures) <= meta.Hot {
			return nil
		}
		return []string{text.Number(slices.Max(temperatures), 1)}
	}
	base, new := hottest(&d.Base), hottest(&d.New)
	what := ""
	switch {
	case base != nil && new != nil:
		what = "Base was recorded at up to " + base[0] + " °C, new at up to " + new[0]
	case base != nil:
		what = "Base was recorded at up to " + base[0]
	case new != nil:
		what = "New was recorded at up to " + new[0]
	default:
		return nil
	}
	return []difference{{"hot", base, new, fmt.Sprintf("%s °C: devices slow down above %d °C", what, meta.Hot)}}
}

// recordingWarnings returns the differences of the recordings, and what to do about those between
// the sides.
func (d *Diff) recordingWarnings() (list []string) {
	between := false
	for _, x := range d.differences() {
		list = append(list, x.Text)
		between = between || len(x.Base) > 0 && len(x.New) > 0 && !slices.Equal(x.Base, x.New)
	}
	if between && !d.shareSession() {
		list = append(list, "ohframe record --compare records both sides in turn, so that only the application differs")
	}
	return list
}
