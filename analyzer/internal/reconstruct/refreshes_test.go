package reconstruct_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// screen writes the trace of a display: lines at milliseconds, in order of time.
type screen struct {
	lines []line
	now   float64 // ms
	id    int
}

type line struct {
	at   float64
	text string
}

// mark writes a slice of render_service without length.
func (s *screen) mark(at float64, text string) { s.markOf(1027, at, text) }

func (s *screen) markOf(pid int, at float64, text string) {
	row := func(at float64, marker string) line {
		return line{at, fmt.Sprintf("  render_service-%d (%5d) [001] ....  %12.6f: tracing_mark_write: %s", pid, pid, 100+at/1000, marker)}
	}
	s.lines = append(s.lines, row(at, fmt.Sprintf("B|%d|H:%s|M0538", pid, text)), row(at+0.001, fmt.Sprintf("E|%d|M0538", pid)))
}

// frames writes frames of a render service, one each period.
func (s *screen) frames(hz float64, n int) { s.framesOf(1027, hz, n) }

func (s *screen) framesOf(pid int, hz float64, n int) {
	period := 1000 / hz
	for range n {
		s.id++
		now := int64((100_000 + s.now) * 1e6)
		row := func(at float64, marker string) {
			s.lines = append(s.lines, line{s.now + at, fmt.Sprintf("  render_service-%d (%5d) [001] ....  %12.6f: tracing_mark_write: %s", pid, pid, 100+(s.now+at)/1000, marker)})
		}
		row(0.1, fmt.Sprintf("B|%d|H:ReceiveVsync name:rs dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d, fd:17|M0538", pid, now, now+int64((2*period-5)*1e6), s.id))
		row(0.2, fmt.Sprintf("B|%d|H:RSMainThread::DoComposition: %d|M0538", pid, now+200_000))
		row(1.0, fmt.Sprintf("E|%d|M0538", pid))
		row(1.1, fmt.Sprintf("E|%d|M0538", pid))
		s.now += period
	}
}

// rates returns the rates of displays in milliseconds from the first line.
func (s *screen) rates(t *testing.T) (list []string) {
	t.Helper()
	s.mark(20_000, "the end")
	slices.SortStableFunc(s.lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for _, l := range s.lines {
		b.WriteString(l.text + "\n")
	}
	for _, r := range timelineOf(t, b.String()).Refreshes() {
		ms := func(at trace.Time) string {
			return fmt.Sprintf("%.0f", at.Sub(trace.Time(100*trace.Second)).Milliseconds())
		}
		x := fmt.Sprintf("%.0f Hz %s–%s", r.Rate(), ms(r.Start), ms(r.End))
		if r.Lowered() {
			x += " lowered"
		}
		if d := r.Decision; d != nil {
			x += " by " + d.Result.Voter
			if !d.Earlier {
				x += " at " + ms(d.At)
			}
			if d.Touched.Known() {
				x += " touched " + ms(d.Touched)
			}
		}
		for _, v := range r.Overruled() {
			x += fmt.Sprintf(" over %s[%d-%d]", v.Voter, v.Min, v.Max)
		}
		list = append(list, x)
	}
	return list
}

// drop writes 600 ms at 120 Hz, and 600 ms at 60.
func drop() *screen {
	s := &screen{}
	s.frames(120, 72)
	s.frames(60, 36)
	return s
}

func TestRefreshes(t *testing.T) {
	deliver := func(voter string, low, high int) string {
		return fmt.Sprintf("Deliver voter:VOTER_%s(pid:0 extInfo:), status:1, value:[%d-%d]", voter, low, high)
	}
	withdraw := func(voter string) string {
		return fmt.Sprintf("Deliver voter:VOTER_%s(pid:0 extInfo:), status:0, value:[0-0]", voter)
	}
	for name, c := range map[string]struct {
		trace *screen
		marks []any // ms, text
		want  []string
	}{
		"no votes": {trace: drop(), want: []string{"120 Hz 0–600", "60 Hz 600–1200 lowered"}},
		"5.1: the last touch, and what idle overrules": {
			trace: drop(),
			marks: []any{
				0.3, "VoteRes: VOTER_TOUCH[120, 120]", 5.0, "StateMachine state change: TouchDown -> TouchUp",
				580.0, withdraw("TOUCH"), 580.1, deliver("LTPO", 90, 90), 585.0, deliver("POWER_MODE", 0, 60), 585.1, "Process voter:VOTER_POWER_MODE(pid:0), value:[0-60]",
				585.2, "Process voter:VOTER_LTPO(pid:0), value:[90-90]", 590.0, "VoteRes: VOTER_POWER_MODE[60, 60]", 700.0, "VoteRes: VOTER_POWER_MODE[60, 60]",
			},
			want: []string{"120 Hz 0–600 by VOTER_TOUCH", "60 Hz 600–1200 lowered by VOTER_POWER_MODE at 585 touched 5 over VOTER_LTPO[90-90]"},
		},
		"7.0: a finger is on the screen, a low vote is skipped": {
			trace: drop(),
			marks: []any{
				1.0, "StateMachine state change: TouchIdle -> TouchDown", 584.0, "Process voter:VOTER_GAMES(pid:77), value:[30-30] skip", 584.1, "Process voter:VOTER_THERMAL(pid:0), value:[0-60]",
				590.0, "UpdateSoftVSync: VoteRes: VOTER_THERMAL[0, 60]",
			},
			want: []string{"120 Hz 0–600", "60 Hz 600–1200 lowered by VOTER_THERMAL at 584"},
		},
		"a finger that has left is on the screen again": {
			trace: drop(),
			marks: []any{5.0, "StateMachine state change: TouchDown -> TouchUp", 300.0, "StateMachine state change: TouchUp -> TouchDown", 590.0, "VoteRes: VOTER_IDLE[60, 60]"},
			want:  []string{"120 Hz 0–600", "60 Hz 600–1200 lowered by VOTER_IDLE at 590"},
		},
		"two counts, after a vote that is withdrawn": {
			trace: drop(),
			marks: []any{
				0.2, deliver("IDLE", 30, 30), 0.3, withdraw("IDLE"), 0.4, "Process voter:VOTER_GAMES(pid:0), value:[120-120]", 0.5, "VoteRes: VOTER_GAMES[120, 120]",
				584.0, "Process voter:VOTER_LTPO(pid:0), value:[30-30]", 584.1, "Process voter:VOTER_VIDEO(pid:0), value:[60-60]", 584.2, "VoteRes: VOTER_VIDEO[60, 60]",
			},
			want: []string{"120 Hz 0–600 by VOTER_GAMES at 0", "60 Hz 600–1200 lowered by VOTER_VIDEO at 584 over VOTER_LTPO[30-30]"},
		},
		"5.0: the result is in the next line that processes nothing": {
			trace: drop(),
			marks: []any{
				0.5, "Process nothing, lastVoteInfo: VOTER_LTPO[120, 120] curPackage: com.example.a, touchState: 2",
				584.0, "Process voter:VOTER_LTPO(pid:0), value:[30-30] skip: false", 584.1, "Process voter:VOTER_VIDEO(pid:5), value:[60-60] skip: false",
				592.0, "Process nothing, lastVoteInfo: VOTER_VIDEO[60, 60] curPackage: com.example.a, touchState: 2",
			},
			want: []string{"120 Hz 0–600 by VOTER_LTPO", "60 Hz 600–1200 lowered by VOTER_VIDEO at 584 over VOTER_LTPO[30-30]"},
		},
		"4.1: by priority, a count without a result": {
			trace: drop(),
			marks: []any{
				583.0, "Deliver voter:VOTER_IDLE(pid:0), status:1, value:[30-30]", 584.0, "Process voter:VOTER_THERMAL(pid:0), value:[0-60]",
				584.1, "Process voter:VOTER_XML(pid:0), value:[90-120]",
			},
			want: []string{"120 Hz 0–600", "60 Hz 600–1200 lowered by VOTER_THERMAL at 584 over VOTER_XML[90-120] over VOTER_IDLE[30-30]"},
		},
		"4.1: a first vote does not say what was before": {
			trace: drop(), marks: []any{50.0, "Process voter:VOTER_LTPO(pid:0), value:[120-120]"},
			want: []string{"120 Hz 0–600", "60 Hz 600–1200 lowered"},
		},
		"votes for another rate decide nothing": {
			trace: drop(), marks: []any{590.0, "VoteRes: VOTER_IDLE[90, 90]"},
			want: []string{"120 Hz 0–600", "60 Hz 600–1200 lowered"},
		},
		"the display takes its next higher rate": {
			trace: drop(), marks: []any{590.0, "VoteRes: VOTER_VIDEO[0, 50]"},
			want: []string{"120 Hz 0–600", "60 Hz 600–1200 lowered by VOTER_VIDEO at 590"},
		},
		"a vote that another replaces at once": {
			trace: drop(), marks: []any{570.0, "VoteRes: VOTER_IDLE[60, 60]", 595.0, "VoteRes: VOTER_TOUCH[120, 120]"},
			want: []string{"120 Hz 0–600", "60 Hz 600–1200 lowered by VOTER_IDLE at 570"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for i := 0; i < len(c.marks); i += 2 {
				c.trace.mark(c.marks[i].(float64), c.marks[i+1].(string))
			}
			must.EqualSlices(t, c.trace.rates(t), c.want)
		})
	}
}

func TestRefreshesOverTime(t *testing.T) {
	s := &screen{}
	s.frames(120, 120)
	s.frames(90, 90)
	s.frames(60, 60)
	s.frames(120, 12)
	must.EqualSlices(t, s.rates(t), []string{"120 Hz 0–1000", "90 Hz 1000–2000 lowered", "60 Hz 2000–3000 lowered", "120 Hz 3000–3100"})

	// A rate is lowered if the display had a higher one before, not if one follows.
	s = &screen{}
	s.frames(60, 30)
	s.frames(120, 60)
	must.EqualSlices(t, s.rates(t), []string{"60 Hz 0–500", "120 Hz 500–1000"})
	s = &screen{}
	s.frames(60, 30)
	s.frames(90, 45)
	s.frames(60, 30)
	s.frames(120, 60)
	s.frames(90, 45)
	must.EqualSlices(t, s.rates(t), []string{"60 Hz 0–500", "90 Hz 500–1000", "60 Hz 1000–1500 lowered", "120 Hz 1500–2000", "90 Hz 2000–2500 lowered"})

	s = &screen{}
	s.frames(72, 36)
	must.EqualSlices(t, s.rates(t), []string{"72 Hz 0–500"})

	// Of a rate that a single frame has, votes must say that the display had it.
	for _, vote := range []bool{false, true} {
		s = &screen{}
		s.frames(120, 12)
		s.frames(60, 1)
		s.frames(120, 12)
		want := []string{"120 Hz 0–217"}
		if vote {
			s.mark(95, "VoteRes: VOTER_IDLE[60, 60]")
			s.mark(105, "VoteRes: VOTER_TOUCH[120, 120]")
			want = []string{"120 Hz 0–100", "60 Hz 100–117 lowered by VOTER_IDLE at 95", "120 Hz 117–217 by VOTER_TOUCH at 105"}
		}
		must.EqualSlices(t, s.rates(t), want)
	}

	// The rate in a pause of more than a second is unknown if it is another one afterwards.
	s = &screen{}
	s.frames(120, 12)
	s.now = 5000
	s.frames(120, 12)
	s.now = 9000
	s.frames(60, 6)
	must.EqualSlices(t, s.rates(t), []string{"120 Hz 0–5100", "60 Hz 9000–9100 lowered"})

	// Votes above the highest rate set it each time, although its medians differ a little.
	s = &screen{}
	var want []string
	for i := range 3 {
		s.mark(s.now, "VoteRes: VOTER_TOUCH[120, 144]")
		s.frames(120+float64(i%2)/10, 60)
		s.mark(s.now-3, "VoteRes: VOTER_IDLE[60, 60]")
		s.frames(60, 30)
		at := 1000 * i
		want = append(want, fmt.Sprintf("120 Hz %d–%d by VOTER_TOUCH", at, at+500), fmt.Sprintf("60 Hz %d–%d lowered by VOTER_IDLE", at+500, at+1000))
	}
	var got []string
	for _, x := range s.rates(t) {
		before, _, _ := strings.Cut(x, " at ")
		got = append(got, before)
	}
	must.EqualSlices(t, got, want)

	// A vote for a rate that this panel has, unlike most, does not set a higher one.
	s = &screen{}
	s.frames(72, 36)
	s.mark(490, "VoteRes: VOTER_VIDEO[0, 72]")
	s.frames(90, 45)
	must.EqualSlices(t, s.rates(t), []string{"72 Hz 0–500", "90 Hz 500–1000"})

	// Two displays, each with a render process of its own. The votes are on the main one.
	s = &screen{}
	s.frames(120, 12)
	s.mark(95, "VoteRes: VOTER_THERMAL[0, 60]")
	s.frames(60, 12)
	s.now = 0
	s.framesOf(1500, 90, 9)
	s.framesOf(1500, 60, 6)
	must.EqualSlices(t, s.rates(t), []string{"120 Hz 0–100", "60 Hz 100–300 lowered by VOTER_THERMAL at 95", "90 Hz 0–100", "60 Hz 100–200 lowered"})
}

// A window keeps what was decided before it.
func TestRefreshesOfWindow(t *testing.T) {
	s := drop()
	s.mark(590, "VoteRes: VOTER_IDLE[60, 60]")
	s.rates(t)
	var b strings.Builder
	for _, l := range s.lines {
		b.WriteString(l.text + "\n")
	}
	timeline := timelineOf(t, b.String())
	timeline.Cut(trace.Time(100*trace.Second+800*trace.Millisecond), trace.Time(101*trace.Second))
	list := timeline.Refreshes()
	if len(list) != 1 || !list[0].Alone || list[0].Decision == nil || list[0].Decision.Result != (analyzer.Vote{Voter: "VOTER_IDLE", Min: 60, Max: 60}) {
		t.Errorf("got %+v", list)
	}

	// What the display had before the window does not count.
	s = &screen{}
	s.frames(120, 60)
	s.frames(60, 30)
	s.frames(90, 45)
	s.rates(t)
	b.Reset()
	for _, l := range s.lines {
		b.WriteString(l.text + "\n")
	}
	timeline = timelineOf(t, b.String())
	timeline.Cut(trace.Time(100*trace.Second+600*trace.Millisecond), trace.Time(102*trace.Second))
	if list = timeline.Refreshes(); len(list) != 2 || list[0].Lowered() || list[1].Lowered() {
		t.Errorf("got %+v", list)
	}
}
