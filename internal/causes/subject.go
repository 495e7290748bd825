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
// the most late frames, applications, and those with the most frames.
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
		cmp.Compare(o.Lost, s.Lost), cmp.Compare(o.Frames.Late, s.Frames.Late), cmp.Compare(s.Kind, o.Kind), cmp.Compare(o.Frames.Complete, s.Frames.Complete),
		cmp.Compare(s.Name, o.Name), cmp.Compare(s.PID, o.PID),
	)
}

func (s *Subject) name() string {
	if s.Name == "" && s.PID != trace.UnknownPID {
		return fmt.Sprintf("process %d", s.PID)
	}
	return text.ProcessName(s.Name)
}

// Summary says how many frames were late.
func (s *Subject) Summary() string { return s.summarize(nil) }

// summarize says in a sentence how many frames were late, and the largest cause. Without a ranking
// the causes are unknown.
func (s *Subject) summarize(r *why.Ranking) string {
	if s.Frames.Judged == 0 {
		return s.name() + ": no frame is judged"
	}
	noun := "frame"
	if s.pictures {
		noun = "picture"
	}
	words := fmt.Sprintf("%s: %d of %s late", s.name(), s.Frames.Late, text.Count(s.Frames.Judged, noun))
	if n := s.Frames.Complete - s.Frames.Judged; !s.Frames.JankKnown() {
		words += fmt.Sprintf(", %d not judged", n)
	}
	if r != nil && r.NotBegun > 0 {
		words += fmt.Sprintf(", %d never began", r.NotBegun)
	}
	switch {
	case r == nil:
	case !r.LostKnown():
		words += "; by how much and why is unknown"
	case 2*r.Unknown > r.Lost:
		words += fmt.Sprintf("; the cause of %s of the lost time is unknown", text.Percent(r.Unknown, r.Lost))
	case len(r.Costs) > 0:
		words += "; " + largest(r)
	}
	return words
}

// largest names the largest causes of the lost time.
func largest(r *why.Ranking) string {
	return quarters(r, " of the lost time is", func(c *why.Cost) string { return causetext.CostTitle(c) + causetext.Since(c.Since) })
}

// quarters names the causes of a ranking with a quarter of the lost time or more, and at least the
// first. The words first follow its share.
func quarters(r *why.Ranking, first string, title func(*why.Cost) string) string {
	var list []string
	for i, c := range r.Costs {
		if i > 0 && 4*c.Lost < r.Lost {
			break
		}
		of := ""
		if i == 0 {
			of = first
		}
		list = append(list, text.Percent(c.Lost, r.Lost)+of+" "+text.Printable(title(c)))
	}
	return strings.Join(list, ", ")
}

// Leads reports whether a summary begins with the process, not with the layer: with that which lost
// the most time, but with no layer without a late buffer.
func (s *Subject) Leads(lateBuffers int, lost trace.Duration) bool {
	return lateBuffers == 0 || s.Frames.Late > 0 && s.Lost >= lost
}
