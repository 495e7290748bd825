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
func Summary(in *Input) (first *Subject, a text.Answer, late bool) {
	list := sorted(in.Processes, func(a, b *Process) int { return a.subject().Compare(b.subject()) })
	if len(list) == 0 {
		return nil, a, false
	}
	lead := list[0]
	if i := slices.IndexFunc(list, func(p *Process) bool { return p.Kind == stats.Application }); i >= 0 && slices.ContainsFunc(list, func(p *Process) bool { return p.Pictures }) {
		lead = list[i] // it was asked for
	}
	other := &Process{Ranking: &why.Ranking{}, Shown: &why.Ranking{}}
	if i := slices.IndexFunc(list, func(p *Process) bool {
		return p.Kind != lead.Kind && (p.Frames.Late > 0 || p.Kind == stats.RenderService && p.Shown.Late > 0)
	}); i >= 0 {
		other = list[i]
	}
	application := lead
	if lead.Kind != stats.Application {
		application = other
	}
	alone := other.Source == nil
	frames, lateFrames := lead.summary(), ""
	if other.Frames.Late > 0 && (other.Shown.Late == 0 || application == other) {
		lateFrames = other.summary()
	}
	switch pictures := application.pictures(lead); {
	case lead.Frames.Late+lead.Ranking.NotBegun > 0 && application == other:
		a.Say(frames, lateFrames, pictures, lead.shown())
	case lead.Frames.Late+lead.Ranking.NotBegun > 0:
		a.Say(frames, pictures, other.shown(), lateFrames)
	case lead.Shown.Late > 0:
		a.Say(lead.shown(), lateFrames, pictures)
	case other.Pictures:
		a.Say(frames, other.shown(), lateFrames)
	default:
		a.Say(lateFrames, other.shown(), frames)
	}
	a.Say(lead.pickedUp(alone), other.pickedUp(false))
	late = !alone || lead.Frames.Late+lead.Ranking.NotBegun+lead.Shown.Late+len(lead.PickedUpLate) > 0
	return lead.subject(), a, late
}

// summary says how many frames were late, and why.
func (p *Process) summary() string { return p.subject().summarize(p.Ranking) }

// shown says how many frames were shown late, and why; empty if none was. If only those with pictures of an
// application are looked at, it says so.
func (p *Process) shown() string {
	if p.Shown.Late == 0 {
		return ""
	}
	frames := text.Count(p.Shown.Late, "frame")
	if p.Pictures {
		frames = fmt.Sprintf("%d of its pictures", p.Shown.Late)
	}
	return mostly(fmt.Sprintf("%s showed %s late, by %s ms in all", p.subject().name(), frames, text.Milliseconds(p.Shown.Lost)), p.Shown, func(c *why.Cost) string {
		return causetext.CostTitle(c) + causetext.InStages(c)
	})
}

// pickedUp says how many frames on time were picked up late, and why if nothing else was late; empty if none was.
func (p *Process) pickedUp(alone bool) string {
	n := len(p.PickedUpLate)
	if n == 0 {
		return ""
	}
	var sum trace.Duration
	for _, e := range p.PickedUpLate {
		sum += e.PickUp.Lost
	}
	words := fmt.Sprintf("render_service picked up %s of %s late, by %s ms in all", text.Count(n, "frame"), p.subject().name(), text.Milliseconds(sum))
	if alone && p.Frames.Late == 0 {
		words += "; the worst: " + text.Line(causetext.PickUp(p.all, sorted(p.PickedUpLate, later(pickedUpLate))[0]))
	}
	return words
}

// pictures says by how much the pictures of an application came late to the display if that is not all because of
// itself; empty otherwise. The sentence follows one about lead.
func (p *Process) pictures(lead *Process) string {
	d := p.delay()
	if d == nil || d.System == 0 || p.Frames.Late == 0 {
		return ""
	}
	whose := "Its pictures"
	if p != lead {
		whose = "Pictures of " + p.subject().name()
	}
	sum := d.Application + d.System
	words := fmt.Sprintf("%s came %s ms late in all", whose, text.Milliseconds(sum))
	if d.Application == 0 {
		return words + ", by the system"
	}
	return words + fmt.Sprintf(": %s by the application, %s by the system", text.Percent(d.Application, sum), text.Percent(d.System, sum))
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
