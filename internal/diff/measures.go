package diff

import (
	"strings"

	"ohframe/analyzer/stats"
)

// Unit is what a measure's numbers are in.
type Unit string

// The units.
const (
	Count          Unit = "count"
	Share          Unit = "share" // 0 to 1
	Hertz          Unit = "hz"
	Milliseconds   Unit = "ms"
	MillisecondsPS Unit = "ms_per_s"
	Seconds        Unit = "s"
	Periods        Unit = "periods" // of the display's refresh
)

// Measure is a number of a process in both traces.
type Measure struct {
	// Name is how conditions call it.
	Name string `json:"measure"`
	// Field is its place in a process of a report.
	Field  string       `json:"field"`
	Unit   Unit         `json:"unit"`
	Better stats.Better `json:"better"`
	// Base and New are nil if not known, and what follows then too.
	Base *float64 `json:"base"`
	New  *float64 `json:"new"`
	// Delta is New − Base, and Relative is Delta / Base; nil if Base is zero.
	Delta    *float64 `json:"delta"`
	Relative *float64 `json:"relative"`
	// Judgement is empty where neither way is better.
	Judgement Judgement `json:"judgement"`

	kind *measureKind
}

// Judgement says whether a change is for the better.
type Judgement string

// The judgements.
const (
	Improved  Judgement = "better"
	Worsened  Judgement = "worse"
	Unchanged Judgement = "same"
)

// judge returns the judgement of a change.
func judge(better stats.Better, delta *float64) Judgement {
	switch {
	case delta == nil || better == stats.Neither:
		return ""
	case *delta == 0:
		return Unchanged
	case (*delta < 0) == (better == stats.Lower):
		return Improved
	}
	return Worsened
}

// measureKind is what is known of a measure beforehand.
type measureKind struct {
	name  string
	field string // of package stats
	unit  Unit
	label string // for people
	// main ones are always shown.
	main bool
}

// measureKinds are all measures of package stats, what matters most first.
var measureKinds = func() []measureKind {
	list := []measureKind{
		{"fps", "fps.rate_hz", Hertz, "FPS", true},
		{"jank_rate", "jank_rate", Share, "Jank rate", true},
		{"hitch_ratio", "hitches.hitch_ms_per_s", MillisecondsPS, "Hitch ratio, ms/s", true},
		{"p50_ms", "durations.p50_ns", Milliseconds, "Duration P50, ms", true},
		{"p90_ms", "durations.p90_ns", Milliseconds, "Duration P90, ms", true},
		{"p95_ms", "durations.p95_ns", Milliseconds, "Duration P95, ms", true},
		{"p99_ms", "durations.p99_ns", Milliseconds, "Duration P99, ms", true},
		{"max_ms", "durations.max_ns", Milliseconds, "Duration max, ms", true},
		{"p50_periods", "durations_in_periods.p50_periods", Periods, "Duration P50, periods", false},
		{"p90_periods", "durations_in_periods.p90_periods", Periods, "Duration P90, periods", false},
		{"p95_periods", "durations_in_periods.p95_periods", Periods, "Duration P95, periods", false},
		{"p99_periods", "durations_in_periods.p99_periods", Periods, "Duration P99, periods", false},
		{"max_periods", "durations_in_periods.max_periods", Periods, "Duration max, periods", false},
		{"longest_streak", "longest_streak.frames", Count, "Longest streak of late frames", true},
		{"empty_rate", "empty_rate", Share, "Empty rate", true},
		{"whole_late_rate", "whole_frames.late_rate", Share, "Late rate of whole frames", true},
		{"lost_frames", "hitches.lost_frames", Count, "Lost frames", false},
		{"hitches", "hitches.hitches", Count, "Hitches", false},
		{"hitch_ms", "hitches.hitch_ns", Milliseconds, "Hitches together, ms", false},
		{"longest_hitch_ms", "hitches.longest_ns", Milliseconds, "Longest hitch, ms", false},
		{"idle_ms", "hitches.idle_ns", Milliseconds, "Nothing to be drawn, ms", false},
		{"slight_stutters", "stutter.slight", Count, "Slight stutters", false},
		{"medium_stutters", "stutter.medium", Count, "Medium stutters", false},
		{"severe_stutters", "stutter.severe", Count, "Severe stutters", false},
		{"unknown_stutters", "stutter.unknown", Count, "Stutters of unknown level", false},
		{"blame_application", "whole_frames.blame.application", Count, "Late by the application", false},
		{"blame_render_cpu", "whole_frames.blame.render_cpu", Count, "Late by rendering, CPU", false},
		{"blame_render_gpu", "whole_frames.blame.render_gpu", Count, "Late by rendering, GPU", false},
		{"blame_pick_up", "whole_frames.blame.pick_up", Count, "Late by the pick-up", false},
		{"frames", "frames.complete", Count, "Frames", false},
		{"frames_with_deadline", "frames.with_deadline", Count, "Frames with a deadline", false},
		{"late_frames", "frames.late", Count, "Late frames", false},
		{"late_main_frames", "frames.late_main", Count, "Late frames, on their thread", false},
		{"late_gpu_frames", "frames.late_gpu", Count, "Late frames, on the GPU", false},
		{"empty_frames", "frames.empty", Count, "Empty frames", false},
		{"misaligned_frames", "frames.misaligned", Count, "Misaligned frames", false},
		{"linked_frames", "frames.linked", Count, "Linked frames", false},
		{"presented_frames", "frames.presented", Count, "Presented frames", false},
		{"truncated_frames", "frames.truncated", Count, "Truncated frames", false},
		{"whole_frames", "whole_frames.judged", Count, "Whole frames", false},
		{"late_whole_frames", "whole_frames.late", Count, "Late whole frames", false},
		{"seconds", "observed.seconds", Seconds, "From first frame to last, s", false},
	}
	for stage := stats.Receive; stage <= stats.ToPresent; stage++ {
		name, field, label := stage.String(), "stages."+stage.String(), stageNames[stage]
		list = append(list,
			measureKind{name + "_p50_ms", field + ".p50_ns", Milliseconds, label + " P50, ms", false},
			measureKind{name + "_p90_ms", field + ".p90_ns", Milliseconds, label + " P90, ms", false},
			measureKind{name + "_max_ms", field + ".max_ns", Milliseconds, label + " max, ms", false},
			measureKind{name + "_longest_of_late", field + ".longest_of_late", Count, label + " longest of late", false},
		)
	}
	return list
}()

var stageNames = map[stats.Stage]string{
	stats.Receive:      "Vsync → received",
	stats.UIWork:       "UI work",
	stats.PickUp:       "Transaction → picked up",
	stats.RenderMain:   "Render main",
	stats.RenderDraw:   "Render draw",
	stats.CommitLayers: "Commit",
	stats.ToPresent:    "Commit → present",
}

// newMeasures returns the measures by their names here, times in milliseconds.
func newMeasures(changes []stats.Change) []Measure {
	byField := map[string]stats.Change{}
	for _, c := range changes {
		byField[c.Measure] = c
	}
	list := make([]Measure, len(measureKinds))
	for i := range measureKinds {
		k := &measureKinds[i]
		c := byField[k.field]
		unit := func(x *float64) *float64 {
			if x == nil || !strings.HasSuffix(k.field, "_ns") {
				return x
			}
			ms := *x / 1e6
			return &ms
		}
		list[i] = Measure{
			Name: k.name, Field: k.field, Unit: k.unit, Better: c.Better,
			Base: unit(c.Base), New: unit(c.New), Delta: unit(c.Delta), Relative: c.Relative,
			Judgement: judge(c.Better, c.Delta), kind: k,
		}
	}
	return list
}

// measure returns the pair's measure of the given name, which there must be.
func (p *Pair) measure(name string) *Measure {
	for i := range p.Measures {
		if p.Measures[i].Name == name {
			return &p.Measures[i]
		}
	}
	panic("no measure " + name)
}
