package stats

import "slices"

// LayerMeasure is a number of a layer, with what conditions and comparisons need. Path is the
// field in JSON.
type LayerMeasure struct {
	Measure
	// Tested: comparisons test its changes.
	Tested bool
	// OfLayer returns the value, nil if unknown.
	OfLayer func(*Layer) *float64
}

// LayerMeasures are the numbers of layers.
var LayerMeasures = []LayerMeasure{
	layerMeasure("fps", "fps", Hertz, Higher, "FPS", "buffers shown per second, without pauses", true, func(l *Layer) *float64 { return l.FPS }),
	layerMeasure("uneven_rate", "uneven", Share, Lower, "Uneven rate",
		"early, long and late intervals between presents / intervals", true, func(l *Layer) *float64 { return l.UnevenRate }),
	layerMeasure("late_rate", "late", Share, Lower, "Late rate", "late intervals between presents / intervals", true, func(l *Layer) *float64 { return l.LateRate }),
	layerMeasure("dropped_rate", "dropped", Share, Lower, "Dropped rate", "buffers that were never shown / buffers shown or dropped", true, func(l *Layer) *float64 { return l.DroppedRate }),
	layerMeasure("queue_p50_ms", "queue_p50_ms", Milliseconds, Lower, "Queue P50, ms", "median of the times in the queue", true, func(l *Layer) *float64 { return l.QueueP50 }),
	layerMeasure("queue_p95_ms", "queue_p95_ms", Milliseconds, Lower, "Queue P95, ms",
		"95th percentile of the times in the queue; null for fewer than 20 buffers", true, func(l *Layer) *float64 { return l.QueueP95 }),
	layerMeasure("longest_ms", "longest_ms", Milliseconds, Lower, "Longest interval, ms", "longest interval between presents without a pause", false, func(l *Layer) *float64 { return l.Longest }),
	layerMeasure("request_p50_ms", "request_p50_ms", Milliseconds, Lower, "Request P50, ms", "median of the times that the producer waited for a free buffer", false, func(l *Layer) *float64 { return l.RequestP50 }),
	layerMeasure("request_p95_ms", "request_p95_ms", Milliseconds, Lower, "Request P95, ms",
		"95th percentile of the same; null for fewer than 20 buffers", false, func(l *Layer) *float64 { return l.RequestP95 }),
	layerMeasure("gpu_p50_ms", "gpu_p50_ms", Milliseconds, Lower, "GPU P50, ms", "median of the times that the producer's GPU worked on after a buffer was queued", false, func(l *Layer) *float64 { return l.GPUP50 }),
	layerMeasure("gpu_p95_ms", "gpu_p95_ms", Milliseconds, Lower, "GPU P95, ms",
		"95th percentile of the same; null for fewer than 20 buffers", false, func(l *Layer) *float64 { return l.GPUP95 }),
}

func layerMeasure(field, name string, unit Unit, better Better, label, meaning string, tested bool, of func(*Layer) *float64) LayerMeasure {
	return LayerMeasure{Measure{Path: field, Name: name, Unit: unit, Better: better, Label: label, Meaning: meaning}, tested, of}
}

// LayerMeasureOf returns the measure of a name; nil if it does not exist.
func LayerMeasureOf(name string) *LayerMeasure {
	i := slices.IndexFunc(LayerMeasures, func(m LayerMeasure) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &LayerMeasures[i]
}
