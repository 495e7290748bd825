package pftrace

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// hostile are inputs that no device writes, n lines long.
var hostile = map[string]func(n int) io.Reader{
	"malformed lines": func(n int) io.Reader {
		return repeated(n, func(i int) string { return fmt.Sprintf("line %d is no line [000] at all\n", i) })
	},
	"long lines": func(n int) io.Reader {
		long := "app-1 (    1) [000] .... " + strings.Repeat("x", 1<<20) + "\n"
		return repeated(n, func(i int) string {
			if i%5000 == 2500 {
				return long
			}
			return madeLine(i, 1, 0, "print", "I|1|between")
		})
	},
	"one line": func(n int) io.Reader {
		return repeated(n, func(int) string { return strings.Repeat("[0] 1.1: x-", 10) })
	},
	"times backwards": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(n-i, 1, 0, "print", "I|1|back") })
	},
	"times at a stand": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(0, i%500, i%8, "print", "B|1|still") })
	},
	"processes": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1+i%100_000, 0, "print", fmt.Sprintf("I|%d|here", 1+i%100_000)) })
	},
	"processors": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, 1, i%1000, "sched_waking", "comm=sleeper pid=2 prio=120 target_cpu=000")
		})
	},
	"processors in turn": func(n int) io.Reader {
		long := "I|1|" + strings.Repeat("x", 1000)
		return repeated(n, func(i int) string { return madeLine(i, 1, i/300%1000, "print", long) })
	},
	"names": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, i%5000, 0, "sched_switch", fmt.Sprintf(
				"prev_comm=n%d prev_pid=%d prev_prio=120 prev_state=R ==> next_comm=n%d next_pid=%d next_prio=120", i, i%5000, i+1, (i+1)%5000))
		})
	},
	"open slices": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", "B|1|H:begun") })
	},
	"ends": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", []string{"E|1|", "F|1|H:x|1|M62"}[i%2]) })
	},
	"asynchronous slices": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", fmt.Sprintf("S|1|H:open|%d", i)) })
	},
	"functions": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, 1, 0, "sched_blocked_reason", fmt.Sprintf("pid=1 iowait=0 caller=function_%d+0x10/0x20", i))
		})
	},
	"text that repeats what follows it": func(n int) io.Reader {
		args := "driver=" + strings.Repeat(" timeline= context=", 50) + "x"
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "dma_fence_init", args) })
	},
	"frames":              func(n int) io.Reader { return frames(n, func(i int) int { return i }) },
	"frames of one vsync": func(n int) io.Reader { return frames(n, func(int) int { return 1 }) },
	"frames without end": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", receive(i)) })
	},
	"transactions outside frames": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", marsh(i, i)) })
	},
	"transactions alike": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			switch {
			case i == 0:
				return madeLine(i, 1, 0, "print", receive(1))
			case i == n/2:
				return madeLine(i, 2, 0, "print", receive(2))
			case i < n/2:
				return madeLine(i, 1, 0, "print", marsh(1, 1))
			}
			return madeLine(i, 2, 0, "print", "B|2|H:RSMainThread::ProcessCommandUni [1,1]")
		})
	},
	"transactions applied outside frames": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, 1, 0, "print", fmt.Sprintf("B|1|H:RSMainThread::ProcessCommandUni [1,%d] [2,%d]", i, i))
		})
	},
	"traces that follow one another": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			if i%2 == 0 {
				return "# tracer: nop\n"
			}
			return madeLine(i*2_000_000, i%5000, 0, "print", "B|1|H:begun")
		})
	},
	"traces with frames": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			at := i / 4 * 2_000_000
			return []string{
				"# tracer: nop\n",
				madeLine(at, 1, 0, "print", receive(i/4)),
				madeLine(at+1, 1, 0, "print", marsh(i/4, i/4)),
				madeLine(at+2, 1, 0, "print", "E|1|"),
			}[i%4]
		})
	},
	"traces that are not read": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			if i%2 == 0 {
				return "# tracer: nop\n"
			}
			return madeLine(n, 1, 0, "print", "B|1|H:begun") + madeLine(n-1, 1, 0, "print", "B|1|H:begun")
		})
	},
	"GPU work without frames": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, 1, 0, "print", fmt.Sprintf("%c|1|H:M: Frame queued|%d", "SF"[i%2], i/2))
		})
	},
	"GPU work without end": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", fmt.Sprintf("S|1|H:M: Frame queued|%d", i)) })
	},
	"commits": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, 1, 0, "print", []string{fmt.Sprintf("B|1|H:CommitLayers rate:60,now:%d,vsyncId:%d,size:1,", i+1, i), "E|1|"}[i%2])
		})
	},
	"commits to screens of their own": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			v := 1 + i/8%500
			return madeLine(i, 1, 0, "print", []string{
				receive(v), "B|1|H:RSMainThread::DoComposition: 1", "E|1|", "E|1|",
				fmt.Sprintf("B|1|H:CommitLayers screenId:%d, rate:60,now:%d,vsyncId:%d,size:1,", i, 16_000_000*v, v), "E|1|",
				fmt.Sprintf("B|1|H:CommitLayers screenId:%d, rate:60,now:%d,vsyncId:%d,size:1,", i+1, 16_000_000*v, v), "E|1|",
			}[i%8])
		})
	},
	"headers between damaged lines": func(n int) io.Reader {
		return repeated(n, func(i int) string { return []string{"# tracer: nop\n", "damaged\n"}[i%2] })
	},
	"main threads that are busy when the trace begins": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			tid := 1 + i%max(1, n/3)
			at := []int{0, 300_000, 600_000}[min(2, 3*i/n)]
			return madeLine(at, tid, 0, "print", []string{fmt.Sprintf("B|%d|H:x", tid), "E|1|", "E|1|"}[min(2, 3*i/n)])
		})
	},
	"fences": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, 1, 0, "print", []string{fmt.Sprintf("B|1|H:Waiting for PresentFence_%d %d", i, i), "E|1|"}[i%2])
		})
	},
	"periods": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, 1, 0, "print", fmt.Sprintf("B|1|H:GenerateVsyncCount:1, period:16666667, currRefreshRate:60, vsyncMode:0, now:%d", i+1))
		})
	},
	"scenes at once": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			if i < 2 {
				return madeLine(i, 1, 0, "print", []string{"B|1|H:RecordInputEvent: last_up=1000(ns)", "E|1|"}[i])
			}
			return madeLine(i, 1, 0, "print", fmt.Sprintf("S|1|H:SCENE_%d|0", i))
		})
	},
	"scenes": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			if i < 2 {
				return madeLine(i, 1, 0, "print", []string{"B|1|H:RecordInputEvent: last_up=1000(ns)", "E|1|"}[i])
			}
			return madeLine(i, 1, 0, "print", fmt.Sprintf("%c|1|H:SCENE|0", "SF"[i%2]))
		})
	},
	"nothing but zeros": func(n int) io.Reader {
		return repeated(n, func(i int) string { return strings.Repeat("\x00", 80) + "\n" })
	},
	"no text": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", "C|1|\xff\xfe\x00|1") })
	},
}

// receive is the begin of a frame, of the given vsync.
func receive(vsync int) string {
	return fmt.Sprintf("B|1|H:ReceiveVsync name:app dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d", 16_000_000*vsync, 16_000_000*(vsync+1), vsync)
}

// marsh is the begin of a transaction, sent for the given vsync.
func marsh(index, vsync int) string {
	return fmt.Sprintf("B|1|H:MarshRSTransactionData cmdCount: 1, transactionFlag:[1,%d], tid:1, timestamp:%d", index, 16_000_000*vsync)
}

// frames are frames of four lines each, with a transaction.
func frames(n int, vsync func(i int) int) io.Reader {
	return repeated(n, func(i int) string {
		v := vsync(i / 4)
		return madeLine(i, 1, 0, "print", []string{receive(v), marsh(i/4, v), "E|1|", "E|1|"}[i%4])
	})
}

// madeLine returns the line of a thread whose process is it alone.
func madeLine(at, tid, cpu int, event, args string) string {
	return fmt.Sprintf("  app-%d (%5d) [%03d] .... %5d.%06d: %s: %s\n", tid, tid, cpu, 100+at/1e6, at%1e6, event, args)
}

// repeated is a source that makes n lines as they are read.
func repeated(n int, line func(i int) string) io.Reader {
	return hostiletest.Stream(n, hostiletest.Lines(line))
}

// Whatever is read, it is counted, what can be converted is, and Perfetto finds
// nothing wrong with it.
func TestHostileInputIsConverted(t *testing.T) {
	for name, lines := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := slow.Of(1000, 10_000)
			switch {
			case name == "processes":
				n *= 10
			case strings.HasPrefix(name, "traces"):
				n = 10_000 // more traces than there may be
			}
			text := must.Get(io.ReadAll(lines(n)))(t)
			good := madeLine(200_000, 7, 1, "print", "C|7|good|1")
			data, summary := convert(t, good+string(text)+"\n"+good, Options{})
			checkCounts(t, good+string(text)+"\n"+good, data, summary)
			if !slow.Enabled() {
				return // the engine needs most of the time
			}
			session := enginetest.Load(t, data)
			enginetest.CheckGate(t, session)
			got := query(t, session, "SELECT ts, value FROM counter JOIN track ON track.id = track_id WHERE track.name = 'good'")
			var want rows
			want.add(int64(100_200_000_000), 1.0)
			if !strings.HasPrefix(name, "traces") { // which end later than the second good line
				want.add(int64(100_200_000_000), 1.0)
			}
			compare(t, "good lines", got, want)
		})
	}
}

// Memory is bounded, with the default limits and with small ones. Frames, open
// slices, threads and names are kept until the end of the input.
func TestHostileInputTakesLittleMemory(t *testing.T) {
	slow.Skip(t)
	small := trace.Limits{Threads: 1000, Strings: 1000, Nesting: 100, Async: 1000, Frames: 1000, Records: 1000}
	for _, test := range []struct {
		name    string
		limits  trace.Limits
		workers int
		heap    uint64
	}{{"default limits", trace.Limits{}, 2, 40 << 20}, {"small limits", small, 1, 20 << 20}} {
		for name, lines := range hostile {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				hostiletest.CheckPeak(t, test.heap, func() {
					if _, err := Convert(t.Context(), lines(50_000), io.Discard, Options{
						Reader: hitrace.Options{Workers: test.workers, Limits: test.limits}, Analyzer: analysis.FrameOptions{Limits: test.limits},
					}); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// Eight times the lines cost about eight times as much: 64 times would be quadratic.
// Quadratic work in a block of lines costs more per byte than lines that are not hostile.
func TestHostileInputTakesLinearTime(t *testing.T) {
	slow.Skip(t)
	const few = 5_000
	converting := func(r io.Reader) (run func(), bytesRead int) {
		source := must.Get(io.ReadAll(r))(t)
		return func() {
			must.Get(Convert(t.Context(), bytes.NewReader(source), io.Discard, Options{Reader: hitrace.Options{Workers: 1}}))(t)
		}, len(source)
	}
	usual, usualBytes := converting(repeated(8*few, func(i int) string { return madeLine(i, 1, 0, "print", "I|1|a line like any other") }))
	for name, lines := range hostile {
		t.Run(name, func(t *testing.T) {
			hostiletest.CheckLinear(t, 2*few, func(n int) func() {
				run, _ := converting(lines(n))
				return run
			})
			run, length := converting(lines(8 * few))
			hostiletest.CompareCosts(t, usual, run, 40*float64(length)/float64(usualBytes))
		})
	}
}

// Whatever exceeds a limit is left out and counted. The rest does not change.
func TestLimits(t *testing.T) {
	const n = 1000
	diagnosed := func(what analyzer.Diagnostic) func(s *Summary) int {
		return func(s *Summary) int { return s.Timeline.Diagnostics.Total(what) }
	}
	for _, test := range []struct {
		lines  string
		limits trace.Limits
		what   string
		over   func(s *Summary) int
		want   int
	}{
		{"asynchronous slices", trace.Limits{Async: 100}, "async", func(s *Summary) int { return s.Over.Async }, n - 100},
		{"open slices", trace.Limits{Nesting: 100}, "nesting", func(s *Summary) int { return s.Over.Nesting }, n - 100},
		{"open slices", trace.Limits{Nesting: 1000}, "Perfetto's nesting", func(s *Summary) int { return s.Over.Nesting }, n - 512},
		{"times at a stand", trace.Limits{Threads: 100}, "threads", func(s *Summary) int { return s.Over.Threads }, n * 4 / 5},
		{"times at a stand", trace.Limits{Threads: 100}, "threads' frames", diagnosed(analyzer.ThreadsOver), n * 4 / 5},
		{"processes", trace.Limits{Threads: 100}, "names", diagnosed(analyzer.NamesOver), n - 100},
		{"frames", trace.Limits{Frames: 100}, "frames", diagnosed(analyzer.FramesOver), n/4 - 100},
		{"frames", trace.Limits{Records: 100}, "transactions", diagnosed(analyzer.RecordsOver), n/4 - 100},
		{"transactions applied outside frames", trace.Limits{Records: 100}, "applied", diagnosed(analyzer.RecordsOver), n - 50},
		{"GPU work without frames", trace.Limits{Records: 100}, "GPU work", diagnosed(analyzer.RecordsOver), n/2 - 100},
		{"GPU work without end", trace.Limits{Records: 100}, "open GPU work", diagnosed(analyzer.RecordsOver), n - 100},
		{"commits", trace.Limits{Records: 100}, "commits", diagnosed(analyzer.RecordsOver), n/2 - 100},
		{"fences", trace.Limits{Records: 100}, "fences", diagnosed(analyzer.RecordsOver), n/2 - 100},
		{"fences", trace.Limits{Strings: 100}, "names of fences", diagnosed(analyzer.StringsOver), n/2 - 100},
		{"traces with frames", trace.Limits{Traces: 10}, "traces", func(s *Summary) int {
			for _, c := range s.Totals.Problems.Counts() {
				if c.Problem == hitrace.TraceOver {
					return c.Total
				}
			}
			return 0
		}, (n/4 - 10) * 3},
		{"periods", trace.Limits{Records: 100}, "periods", diagnosed(analyzer.RecordsOver), n - 100},
	} {
		text := must.Get(io.ReadAll(hostile[test.lines](n)))(t)
		data, summary := convert(t, string(text), Options{
			Reader: hitrace.Options{Limits: test.limits}, Analyzer: analysis.FrameOptions{Limits: test.limits},
		})
		checkCounts(t, string(text), data, summary)
		must.Equal(t, test.over(summary), test.want, "%s: over the limit", test.what)
		must.NoError(t, summary.Timeline.Validate(), "%s", test.what)
		_, summary = convert(t, string(text), Options{})
		if got := test.over(summary); got != 0 && test.limits.Nesting != 1000 && test.want != n-100 {
			t.Errorf("%s: %d over the limits that hold where nothing is said", test.what, got)
		}
	}
}
