package stats

import "ohframe/analyzer"

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
	if len(measured) == 0 {
		return nil
	}
	n := &Nodes{Frames: len(measured)}
	setQuantiles(n, "measured_", measured)
	setQuantiles(n, "laid_out_", laidOut)
	return n
}
