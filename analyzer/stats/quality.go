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
	// Code identifies the rule, see docs/quality.md.
	Code string `json:"code"`
	// Verdict is Good if the measures of frames do not need what is missing.
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
}

// Quality is the quality of a trace, or of several runs.
type Quality struct {
	Verdict Verdict  `json:"verdict"`
	Reasons []Reason `json:"reasons"` // the worst first
	// Advice says what to record instead; nil if that is unknown.
	Advice *string `json:"advice"`
	// Lines and NotUnderstood count the lines of a text trace; nil for other inputs.
	Lines         *int `json:"lines"`
	NotUnderstood *int `json:"lines_not_understood"`
	// DamagedMarkers counts markers with damaged fields, times or ends.
	DamagedMarkers int `json:"damaged_markers"`
	// LostEvents were dropped within the trace, OverwrittenEvents before its start.
	LostEvents        int `json:"lost_events"`
	OverwrittenEvents int `json:"overwritten_events"`
	// ApplicationFrames and RenderFrames count complete frames, Truncated the others.
	ApplicationFrames int `json:"application_frames"`
	RenderFrames      int `json:"render_frames"`
	Truncated         int `json:"truncated_frames"`
	// WithTransaction counts application frames that are not empty, Judged frames
	// that are known to be late or on time, Presented render frames with a present time.
	WithTransaction int `json:"frames_with_transaction"`
	Judged          int `json:"judged_frames"`
	Presented       int `json:"presented_frames"`
	// FrameworkFrames are the application frames that the platform does not draw itself, Layers
	// the queues of buffers that are shown.
	FrameworkFrames int `json:"framework_frames"`
	Layers          int `json:"layers"`
	// ClockSource and ClockAccuracy are those of the clock offset. They are nil for inputs
	// that need none; the accuracy is nil if it is unknown.
	ClockSource   *string         `json:"clock_source"`
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
