package stats

import (
	"slices"

	"ohframe/analyzer"
)

// Nodes are how many nodes of ArkUI a frame measured and laid out. Frames that did neither do not
// count. Percentiles are those of Durations.
type Nodes struct {
	Frames      int `json:"frames"` // frames that measured or laid out nodes
	MeasuredP50 int `json:"measured_p50"`
	MeasuredMax int `json:"measured_max"`
	LaidOutP50  int `json:"laid_out_p50"`
	LaidOutMax  int `json:"laid_out_max"`
}

// nodes returns nil if no frame has any.
func nodes(frames []*analyzer.Frame) *Nodes {
	var measured, laidOut []int
	for _, f := range frames {
		if f.Measured > 0 || f.LaidOut > 0 {
			measured, laidOut = append(measured, f.Measured), append(laidOut, f.LaidOut)
		}
	}
	n := len(measured)
	if n == 0 {
		return nil
	}
	slices.Sort(measured)
	slices.Sort(laidOut)
	return &Nodes{n, Percentile(measured, 50), measured[n-1], Percentile(laidOut, 50), laidOut[n-1]}
}
