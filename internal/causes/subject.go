package causes

import (
	"cmp"
	"fmt"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
)

// Subject is a process in a summary or a table that says how many of its frames were late. All outputs for
// people have subjects in the order of Compare: those that lost the most time first, then those with
// the most late frames, those with judged frames, applications, and those with the most frames.
type Subject struct {
	Kind   stats.Kind
	Name   string
	PID    trace.PID
	Frames stats.Counts
	Lost   trace.Duration

	pictures bool // as of Process
}

// subjectOf returns the subject of a process of a report.
func subjectOf(p *stats.Process) *Subject {
	s := &Subject{Kind: p.Kind, Name: p.Name, PID: p.PID, Frames: p.Frames}
	if p.Lost != nil {
		s.Lost = *p.Lost
	}
	return s
}

// CompareProcesses orders the processes of a report as Compare does.
func CompareProcesses(a, b *stats.Process) int { return subjectOf(a).Compare(subjectOf(b)) }

// Compare returns a negative number if s comes before o, and a positive one if it comes after it.
func (s *Subject) Compare(o *Subject) int {
	return cmp.Or(
		cmp.Compare(o.Lost, s.Lost), cmp.Compare(o.Frames.Late, s.Frames.Late), cmp.Compare(min(o.Frames.Judged, 1), min(s.Frames.Judged, 1)), cmp.Compare(s.Kind, o.Kind), cmp.Compare(o.Frames.Complete, s.Frames.Complete),
		cmp.Compare(s.Name, o.Name), cmp.Compare(s.PID, o.PID),
	)
}

// MaxSubject is the width of the name of a process or a layer in a sentence.
const MaxSubject = 48

func (s *Subject) name() string {
	if s.Name == "" && s.PID != trace.UnknownPID {
		return fmt.Sprintf("process %d", s.PID)
	}
	return text.Shorten(text.ProcessName(s.Name), MaxSubject)
}

// Summary says in a sentence how many frames were late, and how much time they lost.
func (s *Subject) Summary() string {
	words := s.counts()
	if s.Frames.Late > 0 && s.Lost > 0 {
		words += lost(s.Lost)
	}
	return words
}

// counts says how many frames were late.
func (s *Subject) counts() string {
	if none := s.Frames.NotJudged(); none != "" {
		return s.name() + ": " + none
	}
	noun := "frame"
	if s.pictures {
		noun = "picture"
	}
	words := fmt.Sprintf("%s: %d of %s %s", s.name(), s.Frames.Late, text.Count(s.Frames.Judged, noun), Late(&s.Frames))
	if n := s.Frames.Complete - s.Frames.Judged; !s.Frames.JankKnown() {
		words += fmt.Sprintf(", %d not judged", n)
	}
	return words
}

// Late is what the late frames are: "late", or that all of them drew nothing, so that nobody saw them.
func Late(c *stats.Counts) string {
	if c.Late > 0 && c.LateEmpty == c.Late {
		return "late but empty"
	}
	return "late"
}

// summarize says in a sentence how many frames were late, how much time they lost, and the largest cause of that.
func (s *Subject) summarize(r *why.Ranking) string {
	words := s.counts()
	if r.NotBegun > 0 {
		words += fmt.Sprintf(", %d never began", r.NotBegun)
	}
	switch {
	case !r.LostKnown():
		return words + ", by how much and why is unknown"
	case r.Lost > 0:
		return mostly(words+lostBy(r), r, func(c *why.Cost) string {
			return strings.Replace(causetext.CostTitle(c), ": "+s.Name+":", ": ", 1) // the process is named before
		})
	}
	return words
}

// worthNaming is the least time of a cause that is worth naming in a headline, or an advice.
const worthNaming = trace.Millisecond

// lost ends a sentence with how much time frames or buffers lost.
func lost(d trace.Duration) string {
	if d < worthNaming {
		return ", by " + text.Milliseconds(d) + " ms in all"
	}
	return ", " + text.Milliseconds(d) + " ms lost"
}

// lostBy is lost for a ranking. Pictures of frames that never began are late by more.
func lostBy(r *why.Ranking) string {
	if !worth(r) {
		return lost(r.Lost)
	}
	return ", " + text.Milliseconds(r.Lost) + " ms lost"
}

// worth reports whether the causes of a ranking are worth naming.
func worth(r *why.Ranking) bool { return r.Lost >= worthNaming || r.NotBegun > 0 }

// mostly ends a sentence with the largest cause of the time that late frames lost, if that is worth naming.
func mostly(words string, r *why.Ranking, title func(*why.Cost) string) string {
	switch {
	case !worth(r):
		return words
	case 2*r.Unknown > r.Lost:
		return words + fmt.Sprintf(", the cause of %s of it unknown", text.Percent(r.Unknown, r.Lost))
	case len(r.Costs) == 0:
		return words
	}
	c := r.Costs[0]
	return causedBy(words, c.Lost, r.Lost, title(c), causetext.Since(c.Since)+unsure(c))
}

// causedBy ends a sentence with a cause of lost time, and with words about it. A long name of a cause is shortened.
func causedBy(words string, part, whole trace.Duration, cause, about string) string {
	words += ", " + text.Percent(part, whole) + " of it "
	room := text.MaxSentence - text.Width(words) - text.Width(about)
	return words + text.ShortenMiddle(text.Printable(cause), room*2/3, room) + about
}

// unsure says that most of what a cause lost is that of frames whose causes have low confidence; empty if not.
func unsure(c *why.Cost) string {
	if c.Unsure() {
		return " (low confidence)"
	}
	return ""
}

// Leads reports whether a summary begins with the process, not with the layer: with that which lost
// the most time, but with no layer without a late buffer.
func (s *Subject) Leads(lateBuffers int, lost trace.Duration) bool {
	return lateBuffers == 0 || s.Frames.Late > 0 && s.Lost >= lost
}
