package report

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/causetext"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// waitGroup is a group of waits that has a colour and a pattern on the page.
type waitGroup struct{ ID, Name string }

var (
	groupRun       = waitGroup{"run", "running"}
	groupCPU       = waitGroup{"cpu", "waiting for a CPU"}
	groupStorage   = waitGroup{"storage", "storage, memory"}
	groupIPC       = waitGroup{"ipc", "another process"}
	groupThread    = waitGroup{"thread", "another thread"}
	groupGC        = waitGroup{"gc", "garbage collection"}
	groupGPU       = waitGroup{"gpu", "GPU, buffers"}
	groupInterrupt = waitGroup{"interrupt", "interrupts"}
	groupUnknown   = waitGroup{"unknown", "asleep or unknown"}
	groupEarlier   = waitGroup{"earlier", "before the frame"} // without a colour
)

// waitGroups are all groups in the order of the legend.
var waitGroups = []waitGroup{
	groupRun, groupCPU, groupStorage, groupIPC, groupThread, groupGC, groupGPU, groupInterrupt, groupUnknown, groupEarlier,
}

// groupOf returns the group of a wait.
func groupOf(w why.Wait) waitGroup {
	switch w {
	case why.EarlierFrame, why.EarlierWork, why.WaitVsync:
		return groupEarlier
	case why.WaitIRQ:
		return groupInterrupt
	case why.Run, why.RunSlow, why.Variation:
		return groupRun
	case why.GCRun, why.WaitGC:
		return groupGC
	case why.CPUPreempted, why.CPUWait:
		return groupCPU
	case why.WaitBinder, why.WaitOtherProcess:
		return groupIPC
	case why.WaitFence, why.WaitBuffer, why.WaitGPU:
		return groupGPU
	case why.WaitIO, why.WaitMem:
		return groupStorage
	case why.WaitRender, why.WaitOwnThread:
		return groupThread
	}
	return groupUnknown
}

// What the page shows at most.
const (
	maxLateListed   = 100 // late frames of a process
	maxLateOnPage   = 300 // and of all processes, so that a browser opens the page in seconds
	maxFurther      = 30  // frames that were shown or picked up late, each
	maxCulpritLanes = 4
	maxWaterfall    = 4 // causes in a waterfall
	leastTerm       = 50 * trace.Microsecond
)

// whyView is why the frames of a process were late.
type whyView struct {
	Late, Judged int // Judged frames have a deadline
	Lost         trace.Duration
	Missing      string // what to record in order to know more
	Costs        []costView
	Others       int // causes that are not listed
	OthersLost   trace.Duration
	Frames       []*lateView // the worst ones, in order of time
	More         int         // late frames that are not listed
	Groups       []waitGroup // that occur in Frames, for the legend
	// Further are the frames that were shown late, and those that were on time and picked up
	// late.
	Further []furtherView
}

// furtherView is frames that were late in another way.
type furtherView struct {
	Title, About string
	Frames       []furtherFrame
}

type furtherFrame struct {
	Vsync int64
	Late  trace.Duration
	Text  string
}

// costView is a cause in the ranking.
type costView struct {
	*why.Cost
	Title, Advice string
	Group         waitGroup
	Share         string // in percent, for people
	Width         string // in percent of the longest bar
}

// lateView is a late frame with its bars. The bars have one scale: 100 % is the length
// of the frame.
type lateView struct {
	Vsync    int64
	At       pageTime
	Overrun  trace.Duration
	Length   trace.Duration
	Sum      *causes.Sum
	Text     string // why it was late
	Sure     string // empty if the confidence is high
	Costs    string // the numbers of its causes in whyView.Costs, separated by spaces
	Deadline string // in percent
	Bar      []block
	Usual    []block
	Lanes    []lane // the stages and slices of the thread, then other threads
	Terms    []term
}

// lane is a row of blocks below a frame's bar.
type lane struct {
	Name   string
	Plain  bool // slices instead of waits: without colours
	Blocks []block
}

// block is a part of a bar.
type block struct {
	Left, Width string // in percent
	Group       waitGroup
	Name, Title string
}

// term is a bar of the waterfall.
type term struct {
	Name        string
	Time        string // in milliseconds
	Left, Width string
	Group       waitGroup
}

// newWhyView returns nil if no frame was late or the causes are unknown. It lists at
// most the given number of frames.
func newWhyView(c *causes.Process, all *why.Causes, q *quality.Quality, p *pageProcess, listed int) *whyView {
	if c == nil || len(c.Late)+len(c.ShownLate)+len(c.PickedUpLate) == 0 {
		return nil
	}
	r := c.Ranking
	v := &whyView{Late: r.Late, Judged: c.Judged, Lost: r.Lost, Missing: causes.Missing(all, []*causes.Process{c}, q)}
	sentence := causetext.Sentence
	if causes.PlacesOnly([]*causes.Process{c}) {
		sentence = causetext.Brief
	}
	shown, left := causes.Leading(r, causes.MaxCosts), r.Lost
	numbers := map[*analyzer.Frame][]string{}
	for i, cost := range shown {
		left -= cost.Lost
		v.Costs = append(v.Costs, costView{
			Cost: cost, Title: text.Printable(causetext.CostTitle(cost) + causetext.InStages(cost)), Advice: causetext.Advice(cost.Advice), Group: groupOf(cost.Wait),
			Share: text.Percent(cost.Lost, r.Lost), Width: percentOf(cost.Lost, shown[0].Lost),
		})
		for _, f := range cost.Frames {
			numbers[f] = append(numbers[f], strconv.Itoa(i))
		}
	}
	if v.Others = len(r.Costs) - len(shown); v.Others > 0 {
		v.OthersLost = left
	}
	worst := causes.Worst(c.Late, min(listed, maxLateListed))
	v.More = len(c.Late) - len(worst)
	occurs := map[waitGroup]bool{}
	for _, e := range worst {
		l := newLateView(e, text.Line(sentence(all, e)), p.time(e.Frame.Actual.Start))
		l.Costs = strings.Join(numbers[e.Frame], " ")
		v.Frames = append(v.Frames, l)
		for _, b := range l.Bar {
			occurs[b.Group] = true
		}
		for _, lane := range l.Lanes {
			for _, b := range lane.Blocks {
				occurs[b.Group] = occurs[b.Group] || !lane.Plain
			}
		}
	}
	for _, c := range v.Costs {
		occurs[c.Group] = true
	}
	for _, g := range waitGroups {
		if occurs[g] {
			if g == groupUnknown && causes.PlacesOnly([]*causes.Process{c}) {
				g.Name = causetext.WaitTitle(why.WaitUnknown) // as in the sentences
			}
			v.Groups = append(v.Groups, g)
		}
	}
	v.further("Shown late", "after the main thread, or because of it", c.ShownLate, func(e *why.Explanation) (trace.Duration, string) {
		return e.Shown.Late, causetext.Shown(all, e)
	})
	v.further("Picked up late", "on time, and applied by render_service on a later vsync", c.PickedUpLate, func(e *why.Explanation) (trace.Duration, string) {
		return e.PickUp.Late, causetext.PickUp(all, e)
	})
	return v
}

// further adds frames that were late in another way.
func (v *whyView) further(title, about string, list []*why.Explanation, of func(*why.Explanation) (trace.Duration, string)) {
	if len(list) == 0 {
		return
	}
	f := furtherView{Title: title, About: about}
	if n := len(list); n > maxFurther {
		f.About += fmt.Sprintf("; the first %d of %d", maxFurther, n)
		list = list[:maxFurther]
	}
	for _, e := range list {
		late, sentence := of(e)
		f.Frames = append(f.Frames, furtherFrame{e.Frame.VsyncID, late, text.Line(sentence)})
	}
	v.Further = append(v.Further, f)
}

func newLateView(e *why.Explanation, sentence string, start pageTime) *lateView {
	l := &lateView{
		Vsync: e.Frame.VsyncID, At: start, Overrun: e.Overrun, Length: e.End.Sub(e.Start),
		Sum: causes.NewSum(e), Text: sentence,
	}
	if e.Cause() != nil && e.Confidence > 0 {
		l.Sure = e.Confidence.String() + " confidence"
	}
	l.Deadline = percentOf(l.Length-e.Overrun, l.Length)
	at := trace.Duration(0)
	for _, p := range e.Usual {
		l.Usual = append(l.Usual, block{percentOf(at, l.Length), percentOf(p.Time, l.Length), groupOf(p.Wait), "", partTitle("usual: ", p)})
		at += p.Time
	}
	l.bar(e)
	l.slices(e)
	l.culprits(e)
	l.waterfall(e)
	return l
}

func partTitle(before string, p why.Part) string {
	return fmt.Sprintf("%s%s, %s, %s ms", before, causetext.Wait(p.Wait), causetext.Stage(p.Stage), ms(p.Time))
}

// bar sets the waits in order of time or, where the pieces are unknown, in order of
// stages.
func (l *lateView) bar(e *why.Explanation) {
	if len(e.Pieces) == 0 {
		at := trace.Duration(0)
		for _, p := range e.Parts {
			l.Bar = append(l.Bar, block{percentOf(at, l.Length), percentOf(p.Time, l.Length), groupOf(p.Wait), "", partTitle("", p)})
			at += p.Time
		}
		return
	}
	runs(e.Pieces, causetext.PieceTitle, func(first *why.Piece, end trace.Time) {
		if l.invisible(first.Start, end) {
			return
		}
		l.Bar = append(l.Bar, l.block(e, first.Start, end, groupOf(first.Wait), "", text.Printable(causetext.PieceTitle(first))))
	})
}

// slices adds lanes of the stages and, below, of the innermost slices.
func (l *lateView) slices(e *why.Explanation) {
	if len(e.Pieces) == 0 {
		return
	}
	add := func(name string, of func(p *why.Piece) string) {
		row := lane{Name: name, Plain: true}
		runs(e.Pieces, of, func(first *why.Piece, end trace.Time) {
			if name := text.Printable(of(first)); name != "" && !l.invisible(first.Start, end) {
				row.Blocks = append(row.Blocks, l.block(e, first.Start, end, waitGroup{}, name, name))
			}
		})
		if len(row.Blocks) > 0 {
			l.Lanes = append(l.Lanes, row)
		}
	}
	add("stages", func(p *why.Piece) string {
		if p.Stage == why.NoStage {
			return ""
		}
		return causetext.Stage(p.Stage)
	})
	add("slices", func(p *why.Piece) string {
		if p.Several {
			return "several slices"
		}
		return p.Slice
	})
}

// invisible reports whether a block is too narrow to be seen: less than half a pixel of a
// thousand. Frames have many pieces of a microsecond, between two slices.
func (l *lateView) invisible(start, end trace.Time) bool { return end.Sub(start)*2000 < l.Length }

// runs calls do with the first of successive pieces for which key returns the same, and
// with the end of the last.
func runs(pieces []why.Piece, key func(p *why.Piece) string, do func(first *why.Piece, end trace.Time)) {
	for i := 0; i < len(pieces); {
		j := i + 1
		for j < len(pieces) && key(&pieces[j]) == key(&pieces[i]) && pieces[j].Start == pieces[j-1].End {
			j++
		}
		do(&pieces[i], pieces[j-1].End)
		i = j
	}
}

// culprits adds lanes of the threads that were waited for the longest.
func (l *lateView) culprits(e *why.Explanation) {
	var tids []trace.TID
	shown := map[trace.TID]bool{}
	for _, c := range causes.Threads(e, 2*maxCulpritLanes) {
		if !shown[c.TID] && len(tids) < maxCulpritLanes {
			shown[c.TID] = true
			tids = append(tids, c.TID)
		}
	}
	for _, tid := range tids {
		row := lane{}
		for i := range e.Pieces {
			p := &e.Pieces[i]
			for j := range p.Others {
				a := &p.Others[j]
				if a.TID != tid || p.Wait == why.WaitVsync {
					continue
				}
				row.Name = text.Printable(causetext.Culprit(&a.Culprit))
				name := a.Slice
				if name == "" {
					name = causetext.Wait(a.Wait)
				}
				row.Blocks = append(row.Blocks, l.block(e, a.Start, a.End, groupOf(a.Wait), text.Printable(name), text.Printable(causetext.ActivityTitle(a))))
			}
		}
		l.Lanes = append(l.Lanes, row)
	}
}

// block returns a block from start to end.
func (l *lateView) block(e *why.Explanation, start, end trace.Time, g waitGroup, name, title string) block {
	return block{
		percentOf(start.Sub(e.Start), l.Length), percentOf(end.Sub(start), l.Length), g,
		name, title + ", " + ms(end.Sub(start)) + " ms",
	}
}

// waterfall sets the terms that add up to the length of the frame.
func (l *lateView) waterfall(e *why.Explanation) {
	at := trace.Duration(0)
	add := func(name string, d, shown trace.Duration, g waitGroup) {
		l.Terms = append(l.Terms, term{name, text.Milliseconds(shown), percentOf(at, l.Length), percentOf(d, l.Length), g})
		at += d
	}
	add("budget", l.Length-e.Overrun, l.Sum.Budget, waitGroup{ID: "budget"})
	left := l.Sum.Overrun
	for i := range e.Shares {
		if i == maxWaterfall || e.Shares[i].Share < leastTerm {
			break
		}
		add("+ "+text.Printable(causetext.Title(&e.Shares[i])), e.Shares[i].Share, l.Sum.Shares[i], groupOf(e.Shares[i].Wait))
		left -= l.Sum.Shares[i]
	}
	if left > 0 {
		add("+ other causes", l.Length-at, left, waitGroup{ID: "budget"})
	}
}

// percentOf returns d/whole in percent, for the place and the width of a bar.
func percentOf(d, whole trace.Duration) string {
	if whole <= 0 {
		return "0"
	}
	return strconv.FormatFloat(float64(d)/float64(whole)*100, 'f', 2, 64)
}
