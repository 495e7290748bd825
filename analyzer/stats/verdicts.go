package stats

import (
	"math"
	"math/bits"

	"ohframe/analyzer"
)

// Verdicts counts SurfaceFlinger's verdicts on a process's complete frames. A jank
// type counts for a frame if any of its layers has it. The counts are those of
// Perfetto's android_frame_timeline_metric, which includes frames that did not end
// in the trace.
type Verdicts struct {
	MissedApplication    int `json:"missed_application"`
	MissedSurfaceFlinger int `json:"missed_surfaceflinger"`
	MissedDropped        int `json:"missed_dropped"`
	Missed               int `json:"missed"`
	// the jank types that occur, in the order of Perfetto's values
	JankTypes []JankTypeFrames `json:"jank_types"`
}

// JankTypeFrames counts the frames that have a jank type. A frame counts for each of
// its jank types, and for each present type of the layers with that jank type.
type JankTypeFrames struct {
	Type string `json:"type"` // Perfetto's name of the jank type
	// frames with it: all, On-time, Late and Early Present, Dropped Frame, and those with an unknown
	// present type
	Frames  int `json:"frames"`
	OnTime  int `json:"on_time"`
	Late    int `json:"late"`
	Early   int `json:"early"`
	Dropped int `json:"dropped"`
	Unknown int `json:"unknown"`
}

const (
	missedApplication    = analyzer.JankAppDeadlineMissed | analyzer.JankAppResyncedJitter
	missedSurfaceFlinger = analyzer.JankSFCPUDeadlineMissed | analyzer.JankSFGPUDeadlineMissed | analyzer.JankSFScheduling |
		analyzer.JankPredictionError | analyzer.JankDisplayHAL
)

// verdicts returns nil if SurfaceFlinger judged none of the frames.
func verdicts(frames []*analyzer.Frame) *Verdicts {
	var v *Verdicts
	var types [jankTypes]JankTypeFrames
	for _, f := range frames {
		if f.Android == nil || f.Android.Timeline == nil {
			continue
		}
		timeline := f.Android.Timeline
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
			if timeline.Jank.Has(n.janks) {
				*n.count++
			}
		}
		var of presents
		for i := range timeline.Surfaces {
			of.add(&timeline.Surfaces[i].Verdict)
		}
		if len(timeline.Surfaces) == 0 {
			of.add(&timeline.Verdict)
		}
		for i := range types {
			types[i].add(of[i])
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

// jankTypes is how many bits an analyzer.JankType has.
const jankTypes = 32

// presents is a set of present types for each jank type, by bit.
type presents [jankTypes]uint8

// add adds the verdict's present type to each of its jank types.
func (p *presents) add(v *analyzer.Verdict) {
	for rest := uint32(v.Jank); rest != 0; rest &= rest - 1 {
		p[bits.TrailingZeros32(rest)] |= 1 << v.Present
	}
}

// add adds a frame with a set of present types, none if it does not have the jank type.
func (t *JankTypeFrames) add(presents uint8) {
	for _, n := range []struct {
		count *int
		types uint8
	}{
		{&t.Frames, math.MaxUint8},
		{&t.OnTime, 1 << analyzer.PresentOnTime},
		{&t.Late, 1 << analyzer.PresentLate},
		{&t.Early, 1 << analyzer.PresentEarly},
		{&t.Dropped, 1 << analyzer.PresentDropped},
		{&t.Unknown, 1<<analyzer.PresentUnspecified | 1<<analyzer.PresentUnknown},
	} {
		if presents&n.types != 0 {
			*n.count++
		}
	}
}
