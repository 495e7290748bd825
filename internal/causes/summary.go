package causes

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
)

// Summary says of the process that lost the most time how many frames were late and why, and of the
// other side, the application or render_service, if it was late too: whether what the user saw was the
// application or the system. The subject is nil without processes, and late reports whether any frame
// of both was late.
func Summary(in *Input) (first *Subject, words string, late bool) {
	list := sorted(in.Processes, func(a, b *Process) int { return a.subject().Compare(b.subject()) })
	if len(list) == 0 {
		return nil, "", false
	}
	lead := list[0]
	if i := slices.IndexFunc(list, func(p *Process) bool { return p.Kind == stats.Application }); i >= 0 && slices.ContainsFunc(list, func(p *Process) bool { return p.Pictures }) {
		lead = list[i] // it was asked for
	}
	other := slices.IndexFunc(list, func(p *Process) bool {
		return p.Kind != lead.Kind && (p.Frames.Late > 0 || p.Kind == stats.RenderService && p.Shown.Late > 0)
	})
	parts := lead.summarize(other < 0)
	application := lead
	if other >= 0 {
		parts = append(parts, list[other].summarize(false)...)
		if lead.Kind != stats.Application {
			application = list[other]
		}
	}
	if d := application.delay(); d != nil && d.System > 0 && application.Frames.Late > 0 {
		sum := d.Application + d.System
		if d.Application > 0 {
			parts = append(parts, fmt.Sprintf("of the %s ms that its pictures came late, %s are the application's, %s the system's", text.Milliseconds(sum), text.Percent(d.Application, sum), text.Percent(d.System, sum)))
		} else {
			parts = append(parts, fmt.Sprintf("the %s ms that its pictures came late are the system's", text.Milliseconds(sum)))
		}
	}
	late = other >= 0 || lead.Ranking.NotBegun > 0 || lead.Frames.Late > 0 || len(parts) > 1
	return lead.subject(), strings.Join(parts, "; "), late
}

// summarize says what was late of a process, and why. Of frames that were picked up late, it says why if
// nothing else was late.
func (p *Process) summarize(alone bool) (parts []string) {
	if p.Shown.Late == 0 || p.Frames.Late > 0 && alone {
		parts = append(parts, p.subject().summarize(p.Ranking))
	}
	if s := p.Shown; s.Late > 0 {
		parts = append(parts, fmt.Sprintf("%s showed %s late%s", p.subject().name(), p.shownFrames(), because(s)))
	}
	if picked := p.PickedUpLate; len(picked) > 0 {
		words := fmt.Sprintf("%d picked up late by render_service", len(picked))
		if worst := sorted(picked, later(pickedUpLate))[0]; alone && p.Frames.Late == 0 {
			words += ", the worst: " + text.Line(causetext.PickUp(p.all, worst))
		}
		parts = append(parts, words)
	}
	return parts
}

// shownFrames counts the frames that were shown late, "15 frames", or "15 of its pictures" if only those
// of an application are looked at.
func (p *Process) shownFrames() string {
	if p.Pictures {
		return fmt.Sprintf("%d of its pictures", p.Shown.Late)
	}
	return text.Count(p.Shown.Late, "frame")
}

// because says why frames were shown late: ": 100 % of that is waiting for storage in Repaint
// (3 frames, 12 knock-on), worst 3497".
func because(r *why.Ranking) string {
	if 2*r.Unknown > r.Lost {
		return fmt.Sprintf("; the cause of %s of that is unknown", text.Percent(r.Unknown, r.Lost))
	}
	words := ": " + quarters(r, " of that is", func(c *why.Cost) string {
		direct := text.Count(len(c.Late)-c.KnockOns, "frame")
		if c.KnockOns > 0 {
			direct += fmt.Sprintf(", %d knock-on", c.KnockOns)
		}
		return causetext.CostTitle(c) + causetext.InStages(c) + " (" + direct + ")"
	})
	words += ", worst " + text.Vsync(r.Costs[0].Worst.Frame.VsyncID)
	if len(r.Costs) > 1 && !slices.ContainsFunc(r.Costs, func(c *why.Cost) bool { return c.Gain > 0 }) {
		words += "; " + causetext.NoneAlone
	}
	return words
}

// lateness is by how much the pictures of an application came late to the display, in sum: because of its
// frames, and because the system delayed these, or render_service picked them up or showed them late.
type lateness struct {
	Application trace.Duration `json:"application_ns"` // because of its own frames, and because of the system
	System      trace.Duration `json:"system_ns"`
}

// bySystem reports whether the cause of a late frame of an application is not its own: the vsync came late, or
// a service.
func bySystem(c *why.Causes, e *why.Explanation) bool {
	if e == nil {
		return false
	}
	if root := c.Of(e.Root); root != nil {
		e = root
	}
	s := e.Cause()
	if s == nil {
		return false
	}
	switch s.Wait {
	case why.WaitVsync:
		return true
	case why.WaitBinder, why.WaitOtherProcess:
		own, _, _ := strings.Cut(e.Frame.Process.Name, ":")
		return s.Culprit != nil && s.Culprit.Sure && s.Culprit.PID != e.Frame.Process.PID && !strings.HasPrefix(s.Culprit.Process+":", own+":")
	}
	return false
}

// delay returns that of the frames of an application; nil for render_service.
func (p *Process) delay() *lateness {
	if p.Kind != stats.Application {
		return nil
	}
	d := &lateness{}
	for _, f := range p.frames {
		if f.Render == nil {
			continue
		}
		picked := &d.System
		if f.Late() && !bySystem(p.all, p.all.Of(f)) {
			picked = &d.Application
		}
		if f.PickUpDelay() > 0 {
			*picked += max(f.Render.Expected.Start.Sub(f.Expected.End), 0)
		}
		e := p.all.Of(f.Render)
		if !e.ShownLate() {
			continue
		}
		cause := e.Shown
		if root := p.all.Of(cause.Root); root.ShownLate() {
			cause = root.Shown
		}
		if w := cause.Waited; w != nil && w.Layer.Process == f.Process {
			d.Application += e.Shown.Lost // its own work on the GPU
		} else {
			d.System += e.Shown.Lost
		}
	}
	return d
}

// shownLateBy returns by how much each of the frames was shown late, with the frames that were shown
// late because of it.
func shownLateBy(list []*why.Explanation) func(*why.Explanation) trace.Duration {
	sums := map[*analyzer.Frame]trace.Duration{}
	for _, e := range list {
		sums[e.Frame] += e.Shown.Lost
		if e.Shown.Root != nil {
			sums[e.Shown.Root] += e.Shown.Lost
		}
	}
	return func(e *why.Explanation) trace.Duration { return text.Tenths(sums[e.Frame]) }
}

func pickedUpLate(e *why.Explanation) trace.Duration { return text.Tenths(e.PickUp.Lost) }

// Pictures returns the processes whose frames show those of the wanted applications, with only these
// frames, if some were late or shown late.
func Pictures(t *analyzer.Timeline, c *why.Causes, wanted func(*analyzer.Process) bool) (list []*Process) {
	shows := map[*analyzer.Frame]bool{}
	for f := range t.Complete() {
		if f.Kind == analyzer.ApplicationFrame && f.Render != nil && wanted(f.Process) {
			shows[f.Render] = true
		}
	}
	frames := map[*analyzer.Process][]*analyzer.Frame{}
	var ids []*analyzer.Process
	for f := range t.Complete() {
		if !shows[f] || wanted(f.Process) {
			continue
		}
		if frames[f.Process] == nil {
			ids = append(ids, f.Process)
		}
		frames[f.Process] = append(frames[f.Process], f)
	}
	for _, id := range ids {
		p := NewProcess(id, stats.RenderService, frames[id], c)
		if p.Pictures = true; len(p.Late)+len(p.ShownLate) > 0 {
			list = append(list, p)
		}
	}
	return list
}
