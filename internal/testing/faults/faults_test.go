package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// Variable is the environment variable with the number of cases.
const Variable = "OHFRAME_FAULTS"

// rounds returns how often each kind of damage is done to each source: 0 if no number of
// cases is set, and each kind is done to some sources.
func rounds(t *testing.T, pairs int) int {
	text := os.Getenv(Variable)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", Variable, err)
	}
	return max(1, n/pairs)
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// testCase is a damaged trace.
type testCase struct {
	source *source
	damage *damage
	number int
	text   []byte
	offset trace.Duration // of the clocks of the source
}

func newCase(list []*source, i, k, n int) *testCase {
	s, d := list[i], &damages[k]
	h := &hand{rand.New(rand.NewPCG(uint64(n), hash(s.name+"/"+d.name))), s, list[(i+1+n)%len(list)]}
	return &testCase{source: s, damage: d, number: n, text: d.do(h), offset: s.timeline.Clock.Offset}
}

func TestFaults(t *testing.T) {
	list := sources(t)
	n := rounds(t, len(list)*len(damages))
	for i, s := range list {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for k, d := range damages {
				if n == 0 && (k+i)%slow.Of(4, 1) > 0 {
					continue
				}
				for round := range max(1, n) {
					t.Run(fmt.Sprintf("%s/%d", d.name, round), func(t *testing.T) { newCase(list, i, k, round).check(t) })
				}
			}
		})
	}
}

// TestGate loads a tenth of the cases into the engine, or every ninth kind of damage, or
// every third if slow tests run.
func TestGate(t *testing.T) {
	enginetest.ForTest(t)
	list := sources(t)
	n, step := (rounds(t, len(list)*len(damages))+9)/10, 1
	if n == 0 {
		n, step = 1, slow.Of(9, 3)
	}
	for round := range n {
		for k := 0; k < len(damages); k += step {
			i := (k + 7*round) % len(list)
			t.Run(fmt.Sprintf("%s/%s/%d", list[i].name, damages[k].name, round), func(t *testing.T) {
				t.Parallel()
				newCase(list, i, k, round).checkGate(t)
			})
		}
	}
}

func (c *testCase) check(t *testing.T) {
	watch := time.AfterFunc(5*time.Minute, func() { panic(t.Name() + ": not done after 5 minutes") })
	defer watch.Stop()
	options := pftrace.Options{Analyzer: analysis.FrameOptions{ClockOffset: &c.offset}, AllEvents: true, Analysis: analysis.Options{Causes: true}, Version: "v0.0-test"}
	output, summary := convert(t, c.text, options, 1)
	if again, _ := convert(t, c.text, options, 3); !bytes.Equal(output, again) {
		t.Error("three workers make another trace than one")
	}
	checkSummary(t, summary)
	checkOutput(t, output, summary.Timeline)
	c.checkTimeline(t, summary.Timeline)

	inferred := analyze(t, c.text, 1, analysis.FrameOptions{})
	if again := analyze(t, c.text, 3, analysis.FrameOptions{}); again.String() != inferred.String() {
		t.Error("three workers make another timeline than one")
	}
	if shift := (inferred.Clock.Offset - c.offset).Abs(); c.damage.single && shift > trace.Millisecond {
		t.Errorf("a single line changes the clock offset from %v to %v", c.offset, inferred.Clock.Offset)
	}
	must.NoError(t, errors.Join(summary.Timeline.Validate(), inferred.Validate(), summary.Causes.Validate(summary.Timeline)))
	if t.Failed() {
		t.Logf("repeat it with %s=%d; the damage begins at line %d", Variable, (c.number+1)*1000, c.firstDamaged()+1)
	}
}

// firstDamaged returns the index of the first line that is not as it was.
func (c *testCase) firstDamaged() int {
	i := 0
	for line := range bytes.Lines(c.text) {
		if i == len(c.source.lines) || !bytes.Equal(bytes.TrimRight(line, "\r\n"), bytes.TrimRight(c.source.lines[i], "\r\n")) {
			break
		}
		i++
	}
	return i
}

const (
	// before is how long before the damage a frame must have ended to remain as it was:
	// longer than anything else that belongs to a frame lasts.
	before = 150 * trace.Millisecond
	// maxChanged is how many frames a single line can change: a frame, those before and
	// after it on its thread, and the frames that these are linked to.
	maxChanged = 12
)

// checkTimeline compares the frames with those of the source.
func (c *testCase) checkTimeline(t *testing.T, got *analyzer.Timeline) {
	t.Helper()
	found := map[string]bool{}
	for f := range got.Complete() {
		found[describe(f)] = true
	}
	first := c.firstDamaged()
	damaged := c.source.timeAt(first)
	for _, e := range tracetest.Events(t, string(c.text)) {
		if int(e.Number) > first { // its time may be damaged
			damaged = min(damaged, e.Time)
		}
	}
	var changed []string
	for f := range c.source.timeline.Complete() {
		if text := describe(f); !found[text] {
			changed = append(changed, text)
			if end := max(f.End(), f.Draw.End, f.Commit.End, f.Present); end.Add(before) < damaged && !c.damage.foreign {
				t.Errorf("damaged at %d, but an earlier frame is missing: %s", damaged, text)
			}
		}
	}
	if c.damage.single && len(changed) > maxChanged {
		t.Errorf("one line changes %d frames:\n%s", len(changed), strings.Join(changed, "\n"))
	}
}

// describe returns all facts of a frame but the name of its process.
func describe(f *analyzer.Frame) string {
	identity := func(f *analyzer.Frame) string {
		if f == nil {
			return "no frame"
		}
		return fmt.Sprintf("%s %d/%d at %d", f.Kind, f.Process.PID, f.TID, f.Actual.Start)
	}
	text := fmt.Sprint(identity(f), f.VsyncID, f.Vsync, f.Actual, f.Expected, f.Deadline, f.Period, f.Coalesced, f.Facts,
		f.Draw, f.GPU, f.Commit, f.CommitEstimated, f.Present, f.PresentEstimated, identity(f.Render))
	for _, s := range f.Transactions {
		text += fmt.Sprint(" sent ", s.Index, s.At, identity(s.AppliedBy))
	}
	for _, a := range f.Applications {
		text += " applied " + identity(a)
	}
	return text
}

func convert(t *testing.T, text []byte, options pftrace.Options, workers int) ([]byte, *pftrace.Summary) {
	t.Helper()
	options.Reader = hitrace.Options{Workers: workers}
	var out bytes.Buffer
	summary := must.Get(pftrace.Convert(context.Background(), bytes.NewReader(text), &out, options))(t)
	return out.Bytes(), summary
}

// checkSummary checks that every line is accounted for once.
func checkSummary(t *testing.T, s *pftrace.Summary) {
	t.Helper()
	if in := s.Totals; in.Lines != in.Events+in.Outside+in.Problems.Ignored()+in.Problems.Logged()+in.Problems.Lost() {
		t.Errorf("%d lines, but %d events, %d ignored, %d of hilog, %d lost", in.Lines, in.Events, in.Problems.Ignored(), in.Problems.Logged(), in.Problems.Lost())
	}
	if s.Totals.Events != s.Exported+s.Unmatched+s.Unencodable+s.LeftOut+s.Over.Total() {
		t.Errorf("%d events, but %d exported, %d unmatched, %d unencodable, %d over limits", s.Totals.Events, s.Exported, s.Unmatched, s.Unencodable, s.Over.Total())
	}
}

// checkOutput checks that a converted trace can be decoded to the last packet, and that it
// has the frames of its timeline.
func checkOutput(t *testing.T, output []byte, timeline *analyzer.Timeline) {
	t.Helper()
	must.NoError(t, proto.Unmarshal(output, &pb.Trace{}))
	back, stats, err := perfetto.Read(context.Background(), bytes.NewReader(output), perfetto.Options{})
	if err != nil || len(stats.Warnings()) > 0 {
		t.Errorf("read back: %v, %v", stats.Warnings(), err)
		return
	}
	keys := func(t *analyzer.Timeline) (list []string) {
		for _, f := range t.Frames {
			list = append(list, fmt.Sprintf("%s %d/%d %s truncated %t", f.Kind, f.Process.PID, f.TID, f.Actual, f.Facts.Has(analyzer.Truncated)))
		}
		return slices.Sorted(slices.Values(list))
	}
	if got, want := keys(back.Timeline), keys(timeline); !slices.Equal(got, want) {
		t.Errorf("frames read back:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// checkGate loads what the damaged trace was converted to into the engine. Where lines of
// the scheduler are lost, the thread that leaves a processor may not be the last one that
// came to it: no other error is due to the text.
func (c *testCase) checkGate(t *testing.T) {
	options := pftrace.Options{Analyzer: analysis.FrameOptions{ClockOffset: &c.offset}, AllEvents: true}
	output, _ := convert(t, c.text, options, 2)
	session := enginetest.Load(t, output)
	defer session.Close()
	table := must.Get(session.Gate())(t)
	for _, row := range table.Rows {
		if row[0] != "mismatched_sched_switch_tids" {
			t.Errorf("the trace processor reports %v", row)
		}
	}
}
