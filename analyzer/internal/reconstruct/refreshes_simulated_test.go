package reconstruct_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// TestSimulatedRefreshes compares refresh rates, and whose votes decided them, with what the simulation knows.
// Without votes, no rate has a voter.
func TestSimulatedRefreshes(t *testing.T) {
	eras, seeds := simulate.Eras(), 12
	if slow.Enabled() {
		seeds = 300
	}
	said := 0
	for seed := range seeds {
		config := simulate.Voted(eras[seed%len(eras)], uint64(seed))
		for _, votes := range []bool{true, false} {
			config.Rates = slices.Clone(config.Rates)
			for i := range config.Rates {
				if !votes {
					config.Rates[i].Votes, config.Rates[i].Uncounted = nil, nil
				}
			}
			t.Run(fmt.Sprintf("%s/%d/%t", config.Era, seed, votes), func(t *testing.T) {
				var text bytes.Buffer
				truth := must.Get(simulate.Write(&text, config))(t)
				said += checkRefreshes(t, timelineOf(t, text.String()), truth, votes)
			})
		}
	}
	if said < seeds {
		t.Errorf("only %d rates have a voter", said)
	}
}

// checkRefreshes returns the number of rates with a voter.
func checkRefreshes(t *testing.T, timeline *analyzer.Timeline, truth *simulate.Truth, votes bool) (said int) {
	var want []trace.Time // of the first frames of rates
	var rates []int
	for _, f := range truth.Frames {
		if f.Kind != simulate.RenderFrame || f.Period == 0 || !f.ExpectedStart.Known() {
			continue
		}
		hz := int(trace.Second+f.Period/2) / int(f.Period)
		if n := len(rates); n == 0 || rates[n-1] != hz {
			want, rates = append(want, f.ExpectedStart), append(rates, hz)
		}
	}
	list := timeline.Refreshes()
	if len(list) != len(want) {
		t.Fatalf("got %d rates, want %d", len(list), len(want))
	}
	for i, r := range list {
		highest := slices.Max(rates[:i+1])
		if r.Start.Sub(want[i]).Abs() > trace.Microsecond || int(r.Rate()+0.5) != rates[i] || r.Lowered() != (rates[i] < highest) {
			t.Errorf("got %.1f Hz at %d, lowered %t, want %d Hz at %d of %d", r.Rate(), r.Start, r.Lowered(), rates[i], want[i], highest)
		}
		d := r.Decision
		if d == nil {
			continue
		}
		said++
		n := slices.IndexFunc(truth.Rates, func(x simulate.RateTruth) bool { return x.From.Sub(want[i]).Abs() < trace.Microsecond })
		if n < 0 { // it began before the trace
			n = max(0, len(truth.Rates)-len(want)+i)
		}
		if !votes || n < 0 {
			t.Fatalf("%s decided %.0f Hz, but there are no votes", d.Result.Voter, r.Rate())
		}
		x := truth.Rates[n]
		must.Equal(t, d.Result.Voter, "VOTER_"+x.Voter)
		if !d.Earlier && d.At != x.Decided || d.Earlier && x.Seen {
			t.Errorf("%s decided %.0f Hz at %d, earlier %t, want %d, seen %t", d.Result.Voter, r.Rate(), d.At, d.Earlier, x.Decided, x.Seen)
		}
		if !d.Earlier && d.Touched != x.Touched {
			t.Errorf("last touch at %d, want %d", d.Touched, x.Touched)
		}
		var over []string
		for _, v := range r.Overruled() {
			over = append(over, v.Voter)
		}
		var wanted []string
		for _, v := range x.Over {
			wanted = append(wanted, "VOTER_"+v)
		}
		slices.SortFunc(wanted, cmp.Compare)
		slices.Sort(over)
		if d.Counted && !slices.Equal(over, wanted) {
			t.Errorf("%.0f Hz: overruled %q, want %q", r.Rate(), over, wanted)
		}
	}
	for i, x := range truth.Rates {
		n := slices.IndexFunc(list, func(r *analyzer.Refresh) bool { return x.From.Sub(r.Start).Abs() < trace.Microsecond })
		if votes && x.Seen && n >= 0 && list[n].Decision == nil {
			t.Errorf("rate %d, %d Hz: no voter", i, x.Hz)
		}
	}
	return said
}
