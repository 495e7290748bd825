package causes

import (
	"fmt"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

const (
	maxCulpritLanes = 4
	maxWaterfall    = 4 // causes in a waterfall
	leastTerm       = 50 * trace.Microsecond
	// budgetGroup is the group of bars for time that no cause explains.
	budgetGroup = "budget"
)

// lanes draws a late frame or a hang. Its lanes have one scale: the whole lane is all the time that is
// explained, of a frame from its vsync to its end.
type lanes struct {
	*why.Explanation
	length trace.Duration
	view.Case
}

// drawn returns the case of a late frame or a hang with its lanes.
func drawn(e *why.Explanation, c view.Case) view.Case {
	l := &lanes{Explanation: e, length: max(1, e.End.Sub(e.Start)), Case: c}
	if e.Frame != nil {
		l.Mark = l.share(l.length - e.Lost)
	}
	at := trace.Duration(0)
	for _, p := range e.Usual {
		l.Case.Usual = append(l.Case.Usual, view.Bar{Left: l.share(at), Width: l.share(p.Time), Group: groupOf(p.Wait), Title: partTitle("usual: ", p)})
		at += p.Time
	}
	l.took()
	l.slices()
	l.culprits()
	if e.Frame != nil {
		l.waterfall()
	}
	return l.Case
}

func (l *lanes) share(d trace.Duration) float64 { return float64(d) / float64(l.length) }

func partTitle(before string, p why.Part) string {
	return fmt.Sprintf("%s%s, %s, %s ms", before, causetext.Wait(p.Wait), causetext.Stage(p.Stage), text.Milliseconds(p.Time))
}

// took draws the waits in order of time or, where the pieces are unknown, in order of stages.
func (l *lanes) took() {
	if len(l.Pieces) == 0 {
		at := trace.Duration(0)
		for _, p := range l.Parts {
			l.Took = append(l.Took, view.Bar{Left: l.share(at), Width: l.share(p.Time), Group: groupOf(p.Wait), Title: partTitle("", p)})
			at += p.Time
		}
		return
	}
	runs(l.Pieces, causetext.PieceTitle, func(first *why.Piece, end trace.Time) {
		if !l.invisible(first.Start, end) {
			l.Took = append(l.Took, l.bar(first.Start, end, groupOf(first.Wait), "", text.Printable(causetext.PieceTitle(first))))
		}
	})
}

// slices adds lanes of the stages and, below, of the innermost slices.
func (l *lanes) slices() {
	add := func(name string, of func(p *why.Piece) string) {
		lane := view.Lane{Name: name, Plain: true}
		runs(l.Pieces, of, func(first *why.Piece, end trace.Time) {
			if name := text.Printable(of(first)); name != "" && !l.invisible(first.Start, end) {
				lane.Bars = append(lane.Bars, l.bar(first.Start, end, "", name, name))
			}
		})
		if len(lane.Bars) > 0 {
			l.Lanes = append(l.Lanes, lane)
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

// invisible reports whether a bar is too narrow to be seen: less than half a pixel of a
// thousand. Frames have many pieces of a microsecond, between two slices.
func (l *lanes) invisible(start, end trace.Time) bool { return end.Sub(start)*2000 < l.length }

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
func (l *lanes) culprits() {
	var tids []trace.TID
	shown := map[trace.TID]bool{}
	list, _ := longestThreads(l.Explanation, 2*maxCulpritLanes)
	for _, c := range list {
		if !shown[c.TID] && len(tids) < maxCulpritLanes {
			shown[c.TID] = true
			tids = append(tids, c.TID)
		}
	}
	for _, tid := range tids {
		lane := view.Lane{}
		for i := range l.Pieces {
			p := &l.Pieces[i]
			for j := range p.Others {
				a := &p.Others[j]
				if a.TID != tid || p.Wait == why.WaitVsync {
					continue
				}
				lane.Name = text.Printable(causetext.Culprit(&a.Culprit))
				name := a.Slice
				if name == "" {
					name = causetext.Wait(a.Wait)
				}
				lane.Bars = append(lane.Bars, l.bar(a.Start, a.End, groupOf(a.Wait), text.Printable(name), text.Printable(causetext.ActivityTitle(a))))
			}
		}
		l.Lanes = append(l.Lanes, lane)
	}
}

func (l *lanes) bar(start, end trace.Time, group, name, title string) view.Bar {
	return view.Bar{
		Left: l.share(start.Sub(l.Start)), Width: l.share(end.Sub(start)), Group: group,
		Text: name, Title: title + ", " + text.Milliseconds(end.Sub(start)) + " ms",
	}
}

// waterfall adds the terms that add up to the length of the frame, and their sum.
func (l *lanes) waterfall() {
	at, sum := trace.Duration(0), newSum(l.Explanation)
	add := func(name string, d, shown trace.Duration, group string) {
		l.Lanes = append(l.Lanes, view.Lane{Name: name, Value: text.Milliseconds(shown), Bars: []view.Bar{{Left: l.share(at), Width: l.share(d), Group: group}}})
		at += d
	}
	add("budget", l.length-l.Lost, sum.Budget, budgetGroup)
	left := sum.Overrun
	for i := range l.Shares {
		if i == maxWaterfall || l.Shares[i].Share < leastTerm {
			break
		}
		add("+ "+text.Printable(causetext.Title(&l.Shares[i])), l.Shares[i].Share, sum.Shares[i], groupOf(l.Shares[i].Wait))
		left -= sum.Shares[i]
	}
	if left > 0 {
		add("+ other causes", l.length-at, left, budgetGroup)
	}
	l.Lanes = append(l.Lanes, view.Lane{Name: "sum", Text: sum.span(), Value: text.Milliseconds(sum.Length), Sum: true})
}
