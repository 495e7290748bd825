package stats

import "ohframe/analyzer"

// Stutter counts the late frames by their overrun in their own refresh periods
// (docs/frames.md 9.4).
type Stutter struct {
	Slight  int `json:"slight" sum:"stutter_slight"`
	Medium  int `json:"medium" sum:"stutter_medium"`
	Severe  int `json:"severe" sum:"stutter_severe"`
	Unknown int `json:"unknown"`
}

func stutter(frames []*analyzer.Frame) (st Stutter) {
	for _, f := range frames {
		period := periodOf(f)
		switch j := f.Judgement(); {
		case j.Late != analyzer.Yes:
		case !j.OverrunKnown || period <= 0:
			st.Unknown++
		case j.Overrun < 2*period:
			st.Slight++
		case j.Overrun <= 6*period:
			st.Medium++
		default:
			st.Severe++
		}
	}
	return st
}
