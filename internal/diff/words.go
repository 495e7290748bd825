package diff

import (
	"fmt"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/words"
)

// unknown is what people see where a value is not known.
const unknown = words.Unknown

// title names the pair's process, by both names if they differ.
func (p *Pair) title() string {
	base, new := words.Process(p.Base), words.Process(p.New)
	if base == new {
		return base
	}
	return base + " → " + new
}

// about says what else is known of the pair's process.
func (p *Pair) about() string {
	pids := fmt.Sprint(p.Base.PID)
	if p.New.PID != p.Base.PID {
		pids += fmt.Sprintf(" → %d", p.New.PID)
	}
	text := fmt.Sprintf("%s · pid %s", words.Kinds[p.Base.Kind], pids)
	switch p.MatchedBy {
	case MatchedByMap:
		text += " · as mapped"
	case MatchedByNameEnd:
		text += " · matched by the name's end"
	}
	return text
}

// shown returns the pairs that a table or a page shows: of many those with the
// most frames.
func (d *Diff) shown() []*Pair {
	return words.Largest(d.Pairs, func(p *Pair) int { return complete(p.Base) + complete(p.New) })
}

func complete(p *stats.Process) int { return p.Frames.Complete }

// digits returns how many digits of fraction the unit's numbers are shown with.
func digits(u stats.Unit, x float64) int {
	switch {
	case u == stats.Count || u == stats.Milliseconds && x >= 1000:
		return 0
	case u == stats.Share || u == stats.MillisecondsPS:
		return 1
	case u == stats.Seconds:
		return 3
	}
	return 2
}

// value prints a value, unknown if there is none.
func valueText(u stats.Unit, x *float64) string {
	switch {
	case x == nil:
		return unknown
	case u == stats.Share:
		return words.Share(x)
	}
	return words.Number(*x, digits(u, *x))
}

// change prints a change with its sign, unknown if there is none.
func changeText(u stats.Unit, x *float64) string {
	switch {
	case x == nil:
		return unknown
	case u == stats.Share:
		return signed(*x*100, 1) + " pp"
	}
	return signed(*x, digits(u, max(*x, -*x)))
}

// relativeChange prints a relative change in percent, unknown if there is none.
func relativeChange(x *float64) string {
	if x == nil {
		return unknown
	}
	return signed(*x*100, 1) + " %"
}

// signed prints a number with its sign; a true minus, which is no dash.
func signed(x float64, digits int) string {
	switch {
	case x > 0:
		return "+" + words.Number(x, digits)
	case x < 0:
		return "−" + words.Number(-x, digits)
	}
	return "0"
}

// frames returns a number of frames in words.
func frames(n int) string {
	if n == 1 {
		return "1 frame"
	}
	return fmt.Sprintf("%d frames", n)
}

// refreshText lists the refresh rates of a process.
func refreshText(list []stats.Refresh) string {
	if len(list) == 0 {
		return unknown
	}
	shown := list[:min(len(list), words.MaxRates)]
	texts := make([]string, len(shown))
	for i, r := range shown {
		texts[i] = words.Number(r.Rate, 1)
	}
	if more := len(list) - len(shown); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ") + " Hz"
}
