package stats

import "ohframe/analyzer"

// Frames has the complete frames of a timeline, by the processes of its report.
type Frames map[processKey][]*analyzer.Frame

// NewFrames groups the complete frames of a timeline by process. A nil timeline has no
// frames.
func NewFrames(t *analyzer.Timeline) Frames {
	frames := Frames{}
	if t == nil {
		return frames
	}
	for f := range t.Complete() {
		key := newProcessKey(f)
		frames[key] = append(frames[key], f)
	}
	return frames
}

// Of returns the frames of a process, in the order of the timeline.
func (f Frames) Of(p *Process) []*analyzer.Frame { return f[keyOf(p)] }
