package stats

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/pattern"
)

// RefreshRate is a time in which a display had one refresh rate (docs/frames.md 8.6).
type RefreshRate struct {
	PID      trace.PID      `json:"pid"`      // process id of the render service
	Rate     float64        `json:"rate_hz"`  // refreshes per second
	Start    trace.Time     `json:"start_ns"` // from the first vsync with it to the next with another, or to the last one
	Duration trace.Duration `json:"duration_ns"`
	Lowered  bool           `json:"lowered"`    // the display had a higher rate before
	Highest  float64        `json:"highest_hz"` // highest rate that the display had in the trace up to then
	// the rate until then; nil if the trace has none
	Before *float64 `json:"before_hz"`
	// the voter that decided the rate, such as "VOTER_IDLE"; nil if that is unknown
	Voter   *string     `json:"voter"`
	Decided *trace.Time `json:"decided_ns"` // when that was; nil if unknown
	// time from the last touch until then; nil if a finger is on the screen, or if that is unknown
	SinceTouch *float64 `json:"since_touch_ms"`
	// the trace shows which votes counted; otherwise there may have been more than those overruled
	Counted   bool       `json:"counted"`
	Overruled []RateVote `json:"overruled"` // votes for other rates
	// buffers that layers dropped because the display shows fewer pictures per second
	Dropped int      `json:"dropped_buffers"`
	Layers  []string `json:"layers"` // their names
	// interactions during a lowered rate, by id
	Interactions []int `json:"interactions"`
	// Source is the rate that this describes.
	Source *analyzer.Refresh `json:"-"`
}

// RateVote is a vote on the refresh rate.
type RateVote struct {
	Voter string    `json:"voter"`  // its name in render_service
	PID   trace.PID `json:"pid"`    // of the process for which it is; 0 if for none
	Min   int64     `json:"min_hz"` // the rates that it is for
	Max   int64     `json:"max_hz"`
}

// Display is the time at each refresh rate of the display of a render service (docs/frames.md 8.6).
type Display struct {
	Time    trace.Duration `json:"time_ns" sum:"displayed_ns"` // for which the rate is known
	Lowered trace.Duration `json:"lowered_ns" sum:"lowered_rate_ns"`
	Share   *float64       `json:"lowered_share"`

	rates []*analyzer.Refresh
}

// setDisplays sets those of the render services.
func (c collector) setDisplays(list []*analyzer.Refresh) {
	for _, r := range list {
		p := c[keyOf(RenderService, r.Process)]
		if p == nil {
			continue
		}
		if p.Display == nil {
			p.Display = &Display{}
		}
		d := p.Display
		d.rates, d.Time = append(d.rates, r), add(d.Time, r.Duration())
		if r.Lowered() {
			d.Lowered = add(d.Lowered, r.Duration())
		}
	}
}

// Rates returns the times at one rate, in order of time; nil for a process of several traces.
func (d *Display) Rates() []*analyzer.Refresh { return d.rates }

// below returns the share of the time in which the rate was below one in hertz; nil if it is unknown.
func (d *Display) below(hertz float64) *float64 {
	if d == nil || len(d.rates) == 0 || d.Time == 0 {
		return nil
	}
	var lower trace.Duration
	for _, r := range d.rates {
		if math.Round(r.Rate()) < hertz {
			lower = add(lower, r.Duration())
		}
	}
	return number(float64(lower) / float64(d.Time))
}

// rateBelow is the form of names of the share of the time below a refresh rate.
var rateBelow = pattern.New(`^refresh\.below\(([0-9]{1,4}(?:\.[0-9]{1,3})?)\)$`)

// RateBelow returns the share of the time in which the display had a lower refresh rate than the name states:
// "refresh.below(90)"; nil for other names.
func RateBelow(name string) *Measure {
	if !strings.HasPrefix(name, "refresh.") {
		return nil
	}
	match := rateBelow().FindStringSubmatch(name)
	if match == nil {
		return nil
	}
	hertz, _ := strconv.ParseFloat(match[1], 64)
	m := measure("", name, Share, Lower, "Time below "+match[1]+" Hz", "share of the time in which the display refreshed less often")
	m.value = func(subject any) *float64 {
		if p, ok := subject.(*Process); ok {
			return p.Display.below(hertz)
		}
		return nil
	}
	return &m
}

// rates returns the refresh rates of the displays that had several.
func rates(t *analyzer.Timeline, all []*analyzer.Refresh) []RefreshRate {
	list := []RefreshRate{}
	for _, r := range all {
		if r.Alone {
			continue
		}
		x := RefreshRate{
			PID: r.Process.PID, Rate: r.Rate(), Start: r.Start, Duration: r.Duration(), Lowered: r.Lowered(), Highest: 1 / seconds(r.Lowest),
			Overruled: []RateVote{}, Layers: []string{}, Interactions: []int{}, Source: r,
		}
		if r.Before > 0 {
			x.Before = number(1 / seconds(r.Before))
		}
		if d := r.Decision; d != nil {
			x.Voter, x.Counted = &d.Result.Voter, d.Counted
			if !d.Earlier {
				x.Decided = &d.At
				if d.Touched.Known() {
					x.SinceTouch = number(d.At.Sub(d.Touched).Milliseconds())
				}
			}
		}
		for _, v := range r.Overruled() {
			x.Overruled = append(x.Overruled, RateVote{v.Voter, v.PID, v.Min, v.Max})
		}
		for _, i := range t.Interactions {
			if s := i.Span(); r.Lowered() && s.Known() && s.Start < r.End && s.End > r.Start {
				x.Interactions = append(x.Interactions, i.ID)
			}
		}
		list = append(list, x)
	}
	if len(list) == 0 {
		return list
	}
	drops := t.Drops()
	for _, l := range t.Layers {
		for _, d := range drops[l] {
			if d.Reason != analyzer.SlowDisplay || !d.Since.Known() {
				continue
			}
			if k := slices.IndexFunc(list, func(x RefreshRate) bool { return x.Start == d.Since }); k >= 0 {
				list[k].Dropped += d.Buffers
				if !slices.Contains(list[k].Layers, l.Name) {
					list[k].Layers = append(list[k].Layers, l.Name)
				}
			}
		}
	}
	return list
}

// Refresh is a refresh rate and the number of frames made at it. The display can change
// its rate at any time.
type Refresh struct {
	Rate float64 `json:"rate_hz"` // 1 s / "period_ns"
	// median of the periods that make the same whole number of hertz
	Period trace.Duration `json:"period_ns"`
	Frames int            `json:"frames"` // frames made at this rate
}

// Displays have between 1 and 1000 Hz. Other periods are treated as unknown, but for a tenth, by which
// the estimate of a period may be too long.
const (
	shortestPeriod = trace.Millisecond
	longestPeriod  = trace.Second + trace.Second/10
)

func periodOf(f *analyzer.Frame) trace.Duration {
	if f.Period < shortestPeriod || f.Period > longestPeriod {
		return 0
	}
	return f.Period
}

// refreshRates returns the rates of the frames with a known period.
func refreshRates(frames []*analyzer.Frame) []Refresh {
	periods := map[int][]trace.Duration{}
	for _, f := range frames {
		if p := periodOf(f); p > 0 {
			hertz := wholeHertz(p)
			periods[hertz] = append(periods[hertz], p)
		}
	}
	list := make([]Refresh, 0, len(periods))
	for _, hertz := range slices.Sorted(maps.Keys(periods)) {
		group := periods[hertz]
		slices.Sort(group)
		period := Percentile(group, 50)
		list = append(list, Refresh{1 / seconds(period), period, len(group)})
	}
	return list
}

func wholeHertz(period trace.Duration) int { return int(math.Round(1 / seconds(period))) }
