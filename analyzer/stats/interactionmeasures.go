package stats

import "slices"

// InteractionMeasure is a number of an interaction, with what conditions and comparisons need.
type InteractionMeasure struct {
	// Name is the name in conditions and comparisons, Field the one in JSON.
	Name, Field string
	Unit        Unit
	Better      Better
	// Label is the name for people, with the unit.
	Label string
	// Meaning explains the measure in a few words.
	Meaning string
	// Launch: it is a measure of launches. The others are of scenes.
	Launch bool
	// Tested: comparisons test its changes.
	Tested bool
	// PerRefresh: at another refresh rate the same smoothness has another value.
	PerRefresh bool
	// Of returns the value, nil if unknown.
	Of func(*Interaction) *float64
}

// Has reports whether the measure is one of the interaction's.
func (m *InteractionMeasure) Has(i *Interaction) bool {
	return m.Launch == (i.Kind == "launch")
}

// InteractionMeasures are the numbers of interactions.
var InteractionMeasures = []InteractionMeasure{
	{Name: "response_ms", Field: "response_ms", Unit: Milliseconds, Better: Lower, Label: "Response, ms", Tested: true,
		Meaning: "time from the input, or from the begin without one, to the first frame shown", Of: func(i *Interaction) *float64 { return i.Response }},
	{Name: "completion_ms", Field: "completion_ms", Unit: Milliseconds, Better: Lower, Label: "Completion, ms", Tested: true,
		Meaning: "time from the same to the last frame shown", Of: func(i *Interaction) *float64 { return i.Completion }},
	{Name: "first_frame_ms", Field: "response_ms", Unit: Milliseconds, Better: Lower, Label: "First frame, ms", Launch: true, Tested: true,
		Meaning: "time from the first stage of a launch to its first frame shown", Of: func(i *Interaction) *float64 { return i.Response }},
	{Name: "hitch", Field: "hitch_ms_per_s", Unit: MillisecondsPS, Better: Lower, Label: "Hitch ratio, ms/s", Tested: true,
		Meaning: "time by which frames were shown late, per second", Of: func(i *Interaction) *float64 { return i.HitchRatio }},
	{Name: "jank_rate", Field: "jank_rate", Unit: Share, Better: Lower, Label: "Jank rate", Tested: true,
		Meaning: "late frames / judged frames", Of: func(i *Interaction) *float64 { return i.JankRate }},
	{Name: "fps", Field: "fps", Unit: Hertz, Better: Higher, Label: "FPS", Tested: true, PerRefresh: true,
		Meaning: "frames shown per second, without the slow end of a fling", Of: func(i *Interaction) *float64 { return i.FPS }},
	{Name: "late", Field: "late", Unit: Count, Better: Lower, Label: "Late frames",
		Meaning: "frames that ended after their deadline", Of: func(i *Interaction) *float64 { return integer(i.Late) }},
	{Name: "missed_vsyncs", Field: "missed_vsyncs", Unit: Count, Better: Lower, Label: "Missed vsyncs",
		Meaning: "frames that would have fitted in hitches", Of: func(i *Interaction) *float64 { return integer(i.MissedVsyncs) }},
	{Name: "longest_missed_run", Field: "longest_missed_run", Unit: Count, Better: Lower, Label: "Longest run of missed vsyncs",
		Meaning: "the most missed vsyncs in a row", Of: func(i *Interaction) *float64 { return integer(i.LongestMissedRun) }},
	{Name: "p50_ms", Field: "p50_ms", Unit: Milliseconds, Better: Lower, Label: "Duration P50, ms", PerRefresh: true,
		Meaning: "median of the durations of its frames", Of: func(i *Interaction) *float64 { return i.P50 }},
	{Name: "p95_ms", Field: "p95_ms", Unit: Milliseconds, Better: Lower, Label: "Duration P95, ms", Tested: true, PerRefresh: true,
		Meaning: "95th percentile of the durations of its frames; null for fewer than 20", Of: func(i *Interaction) *float64 { return i.P95 }},
}

// InteractionMeasureOf returns the measure of a name; nil if it does not exist.
func InteractionMeasureOf(name string) *InteractionMeasure {
	i := slices.IndexFunc(InteractionMeasures, func(m InteractionMeasure) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &InteractionMeasures[i]
}

func integer(n *int) *float64 {
	if n == nil {
		return nil
	}
	return number(float64(*n))
}
