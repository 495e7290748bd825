package stats

import "ohframe/analyzer"

// Frames are the complete frames of a timeline, by the processes of its report.
type Frames map[processKey][]*analyzer.Frame

// NewFrames divides the complete frames of a timeline. It may be nil: then there
// are none.
func NewFrames(t *analyzer.Timeline) Frames {
	frames := Frames{}
	if t == nil {
		return frames
	}
	for f := range t.Complete() {
		key := processKey{kindOf(f), f.Process.PID}
		frames[key] = append(frames[key], f)
	}
	return frames
}

// Of returns the frames of a process, in the order of the timeline.
func (f Frames) Of(p *Process) []*analyzer.Frame { return f[processKey{p.Kind, p.PID}] }
