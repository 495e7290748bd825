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
	list := sorted(in.Processes, func(a, b *ExplainedProcess) int { return a.subject().Compare(b.subject()) })
	if len(list) == 0 {
		return nil, a, false
	}
	lead := list[0]
	if i := slices.IndexFunc(list, func(p *ExplainedProcess) bool { return p.Kind == stats.Application }); i >= 0 && slices.ContainsFunc(list, func(p *ExplainedProcess) bool { return p.Pictures }) {
		lead = list[i] // it was asked for
	}
	other := &ExplainedProcess{Ranking: &why.Ranking{}, Shown: &why.Ranking{}}
	if i := slices.IndexFunc(list, func(p *ExplainedProcess) bool {
		return p.Kind != lead.Kind && (p.Frames.Late > 0 || p.Kind == stats.RenderService && p.Shown.Late > 0)
	}); i >= 0 {
		other = list[i]
	}
	if shown := lead.shownBy(other); lead.Frames.Late+lead.Ranking.NotBegun > 0 && shown != nil {
		other = shown
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
	unjudged := "" // which frames of applications are late, if that is unknown of all
	if i := slices.IndexFunc(list, func(p *ExplainedProcess) bool { return p.Kind == stats.Application && p.Frames.Complete > 0 }); i >= 0 && list[i] != lead && list[i].Frames.Judged == 0 {
		unjudged = list[i].summary()
	}
	pictures := application.pictures(lead)
	switch {
	case lead.Frames.Late+lead.Ranking.NotBegun > 0 && application == other:
		a.Say(frames, lateFrames, pictures, lead.shown())
	case lead.Frames.Late+lead.Ranking.NotBegun > 0:
		a.Say(frames, pictures, other.shown(), lateFrames)
	case lead.Shown.Late > 0:
		a.Say(lead.shown(), lateFrames, pictures)
	case other.Pictures:
		a.Say(frames, other.shown(), lateFrames)
	default:
		a.Say(lateFrames, other.shown(), unjudged, frames)
		unjudged = ""
	}
	a.Say(unjudged)
	if pictures == "" { // it says that, too
		a.Say(lead.pickedUp(alone), other.pickedUp(false))
	}
	late = !alone || lead.Frames.Late+lead.Ranking.NotBegun+lead.Shown.Late+len(lead.PickedUpLate) > 0
	return lead.subject(), a, late
}

// shownBy returns of all frames of render_service those that show frames of an application, if one of them was shown
// late; otherwise nil.
func (p *ExplainedProcess) shownBy(service *ExplainedProcess) *ExplainedProcess {
	if p.Kind != stats.Application || service.Kind != stats.RenderService || service.Pictures || service.Shown.Late == 0 {
		return nil
	}
	shows := map[*analyzer.Frame]bool{}
	for _, f := range p.frames {
		shows[f.Render] = true
	}
	s := NewProcess(service.Source, service.Kind, slices.DeleteFunc(slices.Clone(service.frames), func(f *analyzer.Frame) bool { return !shows[f] }), service.all)
	if s.Pictures = true; s.Shown.Late == 0 {
		return nil
	}
	return s
}

// summary says how many frames were late, and why.
func (p *ExplainedProcess) summary() string { return p.subject().summarize(p.Ranking) }

// shown says how many frames were shown late, and why; empty if none was. If only those with pictures of an
// application are looked at, it says so.
func (p *ExplainedProcess) shown() string {
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
func (p *ExplainedProcess) pickedUp(alone bool) string {
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

// pictures says by how much the pictures of an application came late to the display, and the parts of that, if other
// sentences do not say all; empty otherwise. The sentence follows one about lead.
func (p *ExplainedProcess) pictures(lead *ExplainedProcess) string {
	d := p.delay()
	if d == nil || p.Frames.Late == 0 {
		return ""
	}
	var parts []string
	add := func(part trace.Duration, words string, frames int) {
		if part == 0 {
			return
		}
		if frames > 0 {
			words += fmt.Sprintf(" (%s)", text.Count(frames, "frame"))
		}
		parts = append(parts, text.Milliseconds(part)+" "+words)
	}
	add(d.Application, "by the application", 0)
	add(d.Services, "by late vsyncs or services", 0)
	add(d.PickedUp, "picked up late", d.pickedUp)
	add(d.Shown, "shown late", d.shown)
	if len(parts) < 2 && d.Services == 0 {
		return ""
	}
	whose := "Its pictures"
	if p != lead {
		whose = "Pictures of " + p.subject().name()
	}
	return fmt.Sprintf("%s came %s ms late in all: %s", whose, text.Milliseconds(d.Application+d.Services+d.PickedUp+d.Shown), strings.Join(parts, ", "))
}

// lateness is by how much the pictures of an application came late to the display, in sum.
type lateness struct {
	Application trace.Duration `json:"application_ns"` // because of its own frames
	Services    trace.Duration `json:"services_ns"`    // because of its frames that were late because of a late vsync or a service
	// because "render_service" picked frames up late that were on time, and because it showed frames late, but for those
	// with the GPU work of the application
	PickedUp trace.Duration `json:"picked_up_ns"`
	Shown    trace.Duration `json:"shown_ns"`

	pickedUp, shown int // frames of these
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
func (p *ExplainedProcess) delay() *lateness {
	if p.Kind != stats.Application {
		return nil
	}
	d := &lateness{}
	for _, f := range p.frames {
		if f.Render == nil {
			continue
		}
		if f.PickUpDelay() > 0 {
			late := max(f.Render.Expected.Start.Sub(f.Expected.End), 0)
			switch {
			case !f.Late():
				d.PickedUp += late
				d.pickedUp++
			case bySystem(p.all, p.all.Of(f)):
				d.Services += late
			default:
				d.Application += late
			}
		}
		e := p.all.Of(f.Render)
		if !e.ShownLate() {
			continue
		}
		cause := e.Shown
		if root := p.all.Of(cause.Root); root.ShownLate() {
			cause = root.Shown
		}
		if w := cause.Shares[0].Waited; w != nil && w.Layer.Process == f.Process {
			d.Application += e.Shown.Lost // its own work on the GPU
		} else {
			d.Shown += e.Shown.Lost
			d.shown++
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
func Pictures(t *analyzer.Timeline, c *why.Causes, wanted func(*analyzer.Process) bool) (list []*ExplainedProcess) {
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
