package stats

import (
	"fmt"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Verdict is how far the measures of a trace can be trusted.
type Verdict string

// The verdicts, from best to worst.
const (
	Good       Verdict = "good"
	Limited    Verdict = "limited"    // some measures are unknown or less exact
	Unreliable Verdict = "unreliable" // measures are probably wrong
)

// Reason is why a verdict is not good.
type Reason struct {
	Code string `json:"code"` // the rule (docs/trouble.md)
	// "limited" or "unreliable"; "good" if only causes need what is missing
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"` // the reason for people
}

// Quality is the quality of a trace, or of several runs.
type Quality struct {
	Verdict Verdict  `json:"verdict"` // "good", "limited" or "unreliable"
	Reasons []Reason `json:"reasons"` // why the verdict is not "good", the worst first
	Advice  *string  `json:"advice"`  // what to record instead
	// lines of a text or binary trace, headers included; nil for other inputs
	Lines         *int `json:"lines"`
	NotUnderstood *int `json:"lines_not_understood"` // those that were not understood
	// markers with damaged fields, impossible times, or lost ends
	DamagedMarkers int `json:"damaged_markers"`
	LostEvents     int `json:"lost_events"` // events that the kernel dropped within the trace
	// events before the start that a full buffer overwrote
	OverwrittenEvents int `json:"overwritten_events"`
	ApplicationFrames int `json:"application_frames"`      // complete frames of applications
	RenderFrames      int `json:"render_frames"`           // complete frames of render services
	Truncated         int `json:"truncated_frames"`        // truncated frames
	WithTransaction   int `json:"frames_with_transaction"` // application frames that are not empty
	Judged            int `json:"judged_frames"`           // frames that are known to be late or on time
	Presented         int `json:"presented_frames"`        // render frames with a known present time
	FrameworkFrames   int `json:"framework_frames"`        // application frames of frameworks other than ArkUI
	Layers            int `json:"layers"`                  // queues of buffers that are shown
	// source of the clock offset; nil if none is needed
	ClockSource *string `json:"clock_source"`
	// by how much the offset is typically too large; 0 if the input states it
	ClockAccuracy *trace.Duration `json:"clock_accuracy_ns"`
	// Cut reports that lines were cut or wrapped, so that what seems to be missing may have
	// been recorded.
	Cut bool `json:"-"`
}

// Frames returns the number of complete frames.
func (q *Quality) Frames() int { return q.ApplicationFrames + q.RenderFrames }

// String returns the verdict with its reasons, such as "limited: no present times,
// hitches are unknown". A good one has the source of the clock offset.
func (q *Quality) String() string {
	if q.Verdict != Good {
		var texts []string
		for _, r := range q.Reasons {
			if r.Verdict != Good {
				texts = append(texts, r.Text)
			}
		}
		s := string(q.Verdict) + ": " + strings.Join(texts, "; ")
		if q.Advice != nil {
			s += "; " + *q.Advice
		}
		return s
	}
	s := string(q.Verdict)
	if given := analyzer.ClockGiven.String(); q.ClockSource != nil && *q.ClockSource == given {
		s += ", clock offset " + given
	} else if q.ClockSource != nil {
		s += ", clock offset from " + *q.ClockSource
		if q.ClockAccuracy != nil && *q.ClockAccuracy > 0 {
			s += fmt.Sprintf(", accurate to about %s", *q.ClockAccuracy)
		}
	}
	return s
}
