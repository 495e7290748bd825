package stats

// Stutter counts the late frames by their overrun in their own refresh periods
// (docs/frames.md 9.4).
type Stutter struct {
	Slight int `json:"slight"` // less than 2
	Medium int `json:"medium"` // 2 to 6
	Severe int `json:"severe"` // more than 6
	// Unknown counts those with an unknown refresh period or deadline.
	Unknown int `json:"unknown"`
}

func stutter(samples []sample) (st Stutter) {
	for i := range samples {
		s := &samples[i]
		switch overrun, known := s.overrun(); {
		case !s.late():
		case !known || s.period <= 0:
			st.Unknown++
		case overrun < 2*s.period:
			st.Slight++
		case overrun <= 6*s.period:
			st.Medium++
		default:
			st.Severe++
		}
	}
	return st
}
