package stats

import (
	"math/bits"

	"ohframe/analyzer"
)

// Verdicts counts what SurfaceFlinger said of a process's complete frames. The
// counts of missed frames are those of Perfetto's android_frame_timeline_metric,
// which counts frames that did not end in the trace as well.
type Verdicts struct {
	// MissedApplication counts frames with the jank type App Deadline Missed or
	// App Resynced Jitter.
	MissedApplication int `json:"missed_application"`
	// MissedSurfaceFlinger counts frames with one of SurfaceFlinger's own jank types,
	// Prediction Error or Display HAL.
	MissedSurfaceFlinger int `json:"missed_surfaceflinger"`
	// MissedDropped counts frames with the jank type Dropped Frame.
	MissedDropped int `json:"missed_dropped"`
	// Missed counts the frames with any of these. A frame may have several.
	Missed int `json:"missed"`
	// JankTypes are the jank types that occur, in Perfetto's order.
	JankTypes []JankTypeFrames `json:"jank_types"`
}

// JankTypeFrames counts the frames that have a jank type, by present type. Their sum
// can exceed the number of frames, as a frame may have several jank types.
type JankTypeFrames struct {
	Type    string `json:"type"` // Perfetto's name
	Frames  int    `json:"frames"`
	OnTime  int    `json:"on_time"`
	Late    int    `json:"late"`
	Early   int    `json:"early"`
	Dropped int    `json:"dropped"`
	// Unknown counts the frames with an unknown or unspecified present type.
	Unknown int `json:"unknown"`
}

const (
	missedApplication    = analyzer.JankAppDeadlineMissed | analyzer.JankAppResyncedJitter
	missedSurfaceFlinger = analyzer.JankSFCPUDeadlineMissed | analyzer.JankSFGPUDeadlineMissed | analyzer.JankSFScheduling |
		analyzer.JankPredictionError | analyzer.JankDisplayHAL
)

// verdicts returns nil if SurfaceFlinger judged none of the frames.
func verdicts(samples []sample) *Verdicts {
	var v *Verdicts
	var types [32]JankTypeFrames
	for i := range samples {
		said := samples[i].verdict
		if said == nil {
			continue
		}
		if v == nil {
			v = &Verdicts{}
		}
		for _, n := range []struct {
			count *int
			janks analyzer.JankType
		}{
			{&v.MissedApplication, missedApplication},
			{&v.MissedSurfaceFlinger, missedSurfaceFlinger},
			{&v.MissedDropped, analyzer.JankDropped},
			{&v.Missed, missedApplication | missedSurfaceFlinger | analyzer.JankDropped},
		} {
			if said.Jank.Has(n.janks) {
				*n.count++
			}
		}
		for rest := uint32(said.Jank); rest != 0; rest &= rest - 1 {
			types[bits.TrailingZeros32(rest)].add(said.Present)
		}
	}
	if v == nil {
		return nil
	}
	v.JankTypes = []JankTypeFrames{}
	for i := range types {
		if name := analyzer.JankType(1 << i).String(); types[i].Frames > 0 && name != "" {
			types[i].Type = name
			v.JankTypes = append(v.JankTypes, types[i])
		}
	}
	return v
}

func (t *JankTypeFrames) add(present analyzer.PresentType) {
	t.Frames++
	switch present {
	case analyzer.PresentOnTime:
		t.OnTime++
	case analyzer.PresentLate:
		t.Late++
	case analyzer.PresentEarly:
		t.Early++
	case analyzer.PresentDropped:
		t.Dropped++
	default:
		t.Unknown++
	}
}
