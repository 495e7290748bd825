package faults

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/slow"
)

// Variable is the environment variable that says how many cases are wanted.
const Variable = "OHFRAME_FAULTS"

// wanted returns how often each kind of damage is done to each source.
func wanted(t *testing.T, pairs int) int {
	text := os.Getenv(Variable)
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", Variable, err)
	}
	return max(1, n/pairs)
}

func TestFaults(t *testing.T) {
	list := sources(t)
	rounds := wanted(t, len(list)*len(damages))
	var mutex sync.Mutex
	counts := map[string]*tally{}
	t.Run("all", func(t *testing.T) {
		for i, s := range list {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				for k := range damages {
					d := &damages[k]
					for n := range rounds {
						if os.Getenv(Variable) == "" && isLeftOut(s, k) {
							continue
						}
						t.Run(fmt.Sprintf("%s/%d", d.name, n), func(t *testing.T) {
							c := &testCase{broken: breakSource(s, d, list[(i+1+n)%len(list)], uint64(n)), damage: d, number: n}
							c.run(t)
							mutex.Lock()
							defer mutex.Unlock()
							if counts[d.name] == nil {
								counts[d.name] = &tally{}
							}
							counts[d.name].cases++
							counts[d.name].add(c.count)
						})
					}
				}
			})
		}
	})
	var all, single tally
	for _, d := range damages {
		c := counts[d.name]
		if c == nil {
			continue
		}
		t.Logf("%-36s %5d cases, %6d of %6d frames untouched", d.name, c.cases, c.untouched, c.frames)
		all.merge(*c)
		if d.single {
			single.merge(*c)
			if c.cases >= len(list) && c.share() < 0.8 {
				t.Errorf("%s: only %.1f %% of frames are untouched by a single line", d.name, 100*c.share())
			}
		}
	}
	t.Logf("%d cases", all.cases)
	if single.cases >= 5*len(list) && single.share() < 0.9 {
		t.Errorf("only %.1f %% of frames are untouched by a single line", 100*single.share())
	}
}

// A tenth of all cases is loaded into the engine, without a number of cases one of
// each third kind of damage, or of each ninth unless slow tests run.
func TestGate(t *testing.T) {
	enginetest.ForTest(t)
	list := sources(t)
	rounds, step := (wanted(t, len(list)*len(damages))+9)/10, slow.Of(9, 3)
	if os.Getenv(Variable) != "" {
		step = 1
	}
	for n := range rounds {
		for k := 0; k < len(damages); k += step {
			d := &damages[k]
			i := (k + 7*n) % len(list)
			t.Run(fmt.Sprintf("%s/%s/%d", list[i].name, d.name, n), func(t *testing.T) {
				t.Parallel()
				c := &testCase{broken: breakSource(list[i], d, list[(i+1)%len(list)], uint64(n)), damage: d, number: n}
				c.checkGate(t)
			})
		}
	}
}

// isLeftOut reports whether a kind of damage is not done to a source without a
// number of cases. Only slow tests do most kinds to each.
func isLeftOut(s *source, k int) bool {
	return len(s.text) > 1<<20 && k%4 != 0 || !slow.Enabled() && (uint64(k)+hash(s.name))%8 != 0
}

// tally counts cases.
type tally struct {
	cases int
	compared
}

func (t *tally) merge(u tally) {
	t.cases += u.cases
	t.add(u.compared)
}

// testCase is a damaged trace, and what is asked of it.
type testCase struct {
	*broken
	damage *damage
	number int
	count  compared
}

func (c *testCase) run(t *testing.T) {
	limit := 2*time.Minute + 100*c.took
	watch := time.AfterFunc(limit, func() { panic(fmt.Sprintf("%s: not done after %v", t.Name(), limit)) })
	defer watch.Stop()
	c.checkGiven(t)
	c.checkInferred(t)
	if t.Failed() {
		c.explain(t)
	}
}

// explain says what was done to the trace, and how to do it again.
func (c *testCase) explain(t *testing.T) {
	name := strings.Split(t.Name(), "/")
	for i := range name {
		name[i] = "^" + regexp.QuoteMeta(name[i]) + "$"
	}
	t.Logf("%s=%d go test ./internal/testing/faults -run '%s'\ndamage:\n%s",
		Variable, (c.number+1)*1000, strings.Join(name, "/"), strings.Join(c.notes, "\n"))
}

// checkGiven converts with a known offset of the clocks.
func (c *testCase) checkGiven(t *testing.T) {
	options := exporter.Options{Analyzer: analyzer.Options{ClockOffset: &c.offset}, Events: exporter.AllEvents, Version: "v0.0-test"}
	options.Compress, options.AndroidCompat = c.number%3 == 1, c.number%3 == 2
	output, summary := convert(t, c.text, options, 1)
	again, _ := convert(t, c.text, options, 3)
	if !bytes.Equal(output, again) {
		t.Error("three workers make another trace than one")
	}
	checkSummary(t, summary)
	checkOutput(t, output, summary.Timeline)
	if err := summary.Timeline.Validate(); err != nil {
		t.Error(err)
	}
	if c.damage.foreign && restarted(summary.Totals) {
		c.hits.unread = c.hits.first
	}
	c.compareWith(t, c.given, summary.Timeline)
}

// restarted reports whether lines are not read because their times are behind
// those of a trace that was read: what is pasted in is taken for another trace,
// and what comes after it for one that has begun before.
func restarted(totals *hitrace.Totals) bool {
	return slices.ContainsFunc(totals.Problems.Counts(), func(c hitrace.Count) bool { return c.Problem == hitrace.ClockRestart })
}

func (c *testCase) compareWith(t *testing.T, want, got *analyzer.Timeline) {
	count, differences := c.compare(want, got)
	c.count.add(count)
	for _, d := range differences[:min(3, len(differences))] {
		t.Errorf("%d untouched frames differ, among them %s", len(differences), d)
	}
}

// maxShift is how far lost and damaged lines may move the offset that is
// inferred.
const maxShift = trace.Millisecond

// checkInferred analyzes with the offset of the clocks as the damaged trace has it.
func (c *testCase) checkInferred(t *testing.T) {
	got := analyze(t, c.text, 1, analyzer.Options{})
	if again := analyze(t, c.text, 3, analyzer.Options{}); again.String() != got.String() {
		t.Error("three workers make another timeline than one")
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	// Of traces that follow one another, each has an offset of its own.
	if slices.ContainsFunc(got.Parts, func(p analyzer.Part) bool { return p.Clock.Offset != got.Clock.Offset }) {
		return
	}
	want, shift := c.inferred, (got.Clock.Offset - c.offset).Abs()
	if shift > maxShift {
		if c.damage.single {
			t.Errorf("a single line moves the clock offset from %v to %v", c.offset, got.Clock.Offset)
		}
		return
	}
	if shift != 0 {
		want = analyze(t, c.source.text, 1, analyzer.Options{ClockOffset: &got.Clock.Offset})
	}
	c.compareWith(t, want, got)
}

func convert(t *testing.T, text []byte, options exporter.Options, workers int) ([]byte, *exporter.Summary) {
	t.Helper()
	options.Reader = hitrace.Options{Workers: workers}
	var out bytes.Buffer
	summary, err := exporter.Convert(context.Background(), bytes.NewReader(text), &out, options)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), summary
}

// checkSummary checks that every line is accounted for once.
func checkSummary(t *testing.T, s *exporter.Summary) {
	t.Helper()
	if in := s.Totals; in.Lines != in.Events+in.Outside+in.Problems.Ignored()+in.Problems.Logged()+in.Problems.Lost() {
		t.Errorf("%d lines, but %d events, %d ignored, %d of hilog, %d lost", in.Lines, in.Events, in.Problems.Ignored(), in.Problems.Logged(), in.Problems.Lost())
	}
	if s.Totals.Events != s.Exported+s.Unmatched+s.Unencodable+s.LeftOut+s.Over.Total() {
		t.Errorf("%d events, but %d exported, %d unmatched, %d unencodable, %d over limits", s.Totals.Events, s.Exported, s.Unmatched, s.Unencodable, s.Over.Total())
	}
}

func frameKey(f *analyzer.Frame) string {
	return fmt.Sprintf("%s %d/%d %s truncated %t", f.Kind, f.Process.PID, f.TID, f.Actual, f.Facts.Has(analyzer.Truncated))
}

// checkOutput checks that a converted trace can be decoded to the last packet, and that it
// has the frames of its timeline.
func checkOutput(t *testing.T, output []byte, timeline *analyzer.Timeline) {
	t.Helper()
	if err := proto.Unmarshal(output, &pb.Trace{}); err != nil {
		t.Error(err)
	}
	var want, got []string
	for _, f := range timeline.Frames {
		want = append(want, frameKey(f))
	}
	back, _, err := perfetto.Read(context.Background(), bytes.NewReader(output), perfetto.Options{Strict: true})
	if err != nil {
		t.Error(err)
		return
	}
	for _, f := range back.Timeline.Frames {
		got = append(got, frameKey(f))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("frames read back:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
