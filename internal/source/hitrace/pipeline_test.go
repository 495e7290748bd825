package hitrace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// mixed is a text of good and bad lines, some of them longer than a block.
func mixed() string {
	var b strings.Builder
	b.WriteString("# tracer: nop\n")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 {
		switch r.IntN(50) {
		case 0:
			fmt.Fprintf(&b, "%s\n", strings.Repeat("x", r.IntN(3000)))
		case 1:
			fmt.Fprintf(&b, " a-%d (1) [000] .... %d.000000: print: E|1\n", i, 90000+i)
		default:
			fmt.Fprintf(&b, " a-%d (1) [00%d] .... 1%d.%06d: print: B|1|H:%d|M62\r\n", i, r.IntN(8), i/1000, i%1000, i)
		}
	}
	b.WriteString(" last-1 (1) [000] .... 14.000000: print: E|1")
	return b.String()
}

// collect runs the pipeline and returns the events and totals as text. Every
// stage adds to it, to see that each comes in order.
func collect(t *testing.T, r io.Reader, o Options) string {
	t.Helper()
	var b strings.Builder
	seen := make([]string, o.WithDefaults().Workers)
	trace := make([][]int, len(seen)) // of the events, for each worker
	begun := 0
	totals := must.Get(Run(t.Context(), r, o, Sink{
		Begin: func() { begun++ },
		Track: func(worker int, batch *Batch) {
			for range batch.Events {
				trace[worker] = append(trace[worker], begun)
			}
		},
		Encode: func(worker int, block *Batch) {
			seen[worker] = ""
			for i := range block.Events {
				e := &block.Events[i]
				seen[worker] += fmt.Sprintln(trace[worker][i], e.Number, e.TID, e.Time, e.CPU, string(rune(e.Marker.Phase)), string(e.Marker.Name))
			}
			trace[worker] = trace[worker][len(block.Events):]
		},
		Write: func(worker int) error {
			b.WriteString(seen[worker])
			return nil
		},
	}))(t)
	fmt.Fprintln(&b, totals.Lines, totals.Events, totals.Problems.Counts(), totals.Problems.Ignored())
	return b.String()
}

// The outcome is that of one pass, whatever the number of workers, the size of
// the blocks and of what the source hands out.
func TestRunIsOnePass(t *testing.T) {
	testOnePass(t, mixed())
}

// So are the traces of an input, wherever in a block they begin.
func TestRunSplitsOnce(t *testing.T) {
	text := "# tracer: nop\n"
	line := func(at int) string {
		return fmt.Sprintf(" a-%d (1) [000] .... %d.%06d: print: B|1|H:x|M62\n", at, at/1000, at%1000)
	}
	want := map[int]int{} // the trace of each line of an event
	number := 1
	for trace, from := range []int{100_000, 103_500, 90_000, 107_000} {
		if trace > 0 {
			text += "# tracer: nop\n"
			number++
		}
		for i := range 1000 + 77*trace {
			text += line(from + i)
			number++
			want[number] = trace
		}
	}
	// Times that the third trace repeats are skipped; it continues as a trace of its own.
	text += "# tracer: nop\n" + line(80_000) + line(100_500) + line(81_000)
	want[number+2], want[number+4] = 4, 5
	got := map[int]int{}
	for event := range strings.Lines(testOnePass(t, text)) {
		var trace, number int
		var rest string
		if n, _ := fmt.Sscan(event, &trace, &number, &rest); n == 3 && strings.Contains(event, " B ") {
			got[number] = trace
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%d lines are of %v\nwant %d of %v", len(got), got, len(want), want)
	}
}

// testOnePass returns what collect does, once it is the same in all ways to read.
func testOnePass(t *testing.T, text string) string {
	t.Helper()
	const maxLine = 1000
	whole := collect(t, strings.NewReader(text), Options{Limits: trace.Limits{Line: maxLine}, Workers: 1, blockSize: 1 << 20})
	if n := strings.Count(whole, "\n"); n < 3800 {
		t.Fatalf("%d events, want 3800 at least", n)
	}
	for _, workers := range []int{1, 2, 8} {
		for _, size := range []int{1, 1500, 10_000, 1 << 20} {
			sources := map[string]io.Reader{"whole": strings.NewReader(text)}
			if size == 1500 {
				sources["halves"] = iotest.HalfReader(strings.NewReader(text))
				sources["bytes"] = iotest.OneByteReader(strings.NewReader(text))
				sources["eof"] = iotest.DataErrReader(strings.NewReader(text))
			}
			for name, source := range sources {
				if got := collect(t, source, Options{Limits: trace.Limits{Line: maxLine}, Workers: workers, blockSize: size}); got != whole {
					t.Errorf("%d workers, blocks of %d, %s: differs from one pass", workers, size, name)
				}
			}
		}
	}
	return whole
}

func TestRunErrors(t *testing.T) {
	text := strings.Repeat(" a-1 (1) [000] .... 1.000000: print: B|1|H:x|M62\n", 100)
	broken := errors.New("broken")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx    context.Context
		source io.Reader
		write  error
		want   error
	}{
		"write":     {t.Context(), strings.NewReader(text), broken, broken},
		"read":      {t.Context(), io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), nil, broken},
		"cancelled": {cancelled, strings.NewReader(text), nil, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			_, err := Run(test.ctx, test.source, Options{Workers: 3, blockSize: 200, Limits: trace.Limits{Line: 100}}, Sink{
				Track: func(int, *Batch) {},
				Write: func(int) error { out.WriteByte('.'); return test.write },
			})
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// A text that ends within a line is truncated if the rest is not understood: people cut off the last end of a line.
func TestCut(t *testing.T) {
	const whole = " a-1 (1) [000] .... 1.000000: print: E|1"
	for _, test := range []struct {
		text string
		want bool
	}{
		{whole + "\n a-1 (1) [000] .... 1.00", true},
		{whole + "\n a-1 (1) [000] .... 1.000001: print: S|1|H:a", true},
		{whole + "\n a-1", true},
		{whole + "\n a-1\n", false},
		{whole, false},
		{whole + "\n# tracer", false},
		{whole + "\n" + strings.Repeat("x", 2000), false}, // the limit, rather
		{"x\n" + whole, false},
	} {
		for _, size := range []int{30, 1000} {
			totals := must.Get(Run(t.Context(), strings.NewReader(test.text), Options{blockSize: size, Limits: trace.Limits{Line: 100}}))(t)
			must.Equal(t, totals.Cut, test.want, "%q in blocks of %d", test.text, size)
			must.Equal(t, len(totals.Warnings()) > 0 && totals.Warnings()[0].Code == trace.WarnDamaged, test.want, "%q: warned", test.text)
		}
	}
}
