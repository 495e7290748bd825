package result_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/frametable"
	"ohframe/internal/quality"
	"ohframe/internal/report"
	"ohframe/internal/result"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
)

// contents returns the content of several traces.
func contents(t testing.TB) (list [][]byte) {
	waits := must.Get(os.ReadFile("../../testdata/why/waits.ftrace"))(t)
	capture := must.Get(os.ReadFile("../../testdata/captures/openharmony-5.0-browser.ftrace"))(t)
	texts := [][]byte{waits, capture, []byte("layer\n16666666\n100000000 110000000 105000000\n116666666 126666666 121666666\n")}
	for _, cause := range []simulate.Cause{simulate.CauseGC, simulate.CauseRenderBusy} {
		var text bytes.Buffer
		must.Get((simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: cause}).Generate(&text))(t)
		texts = append(texts, text.Bytes())
	}
	for _, text := range texts {
		in := must.Get(ohframe.Read(t.Context(), bytes.NewReader(text), ohframe.Options{Causes: true}))(t)
		r := &result.Stored{Timeline: in.Timeline, Causes: in.Causes, Warnings: in.Warnings}
		if in.Lines != nil {
			r.Lines = &hitrace.Totals{Lines: in.Lines.Total, Events: in.Lines.Events, Start: in.Timeline.Span.Start, End: in.Timeline.Span.End}
		}
		addFunctions(r)
		list = append(list, result.Encode(r))
	}
	return list
}

// addFunctions adds functions to the causes of late frames: three calls of each, one in the other.
func addFunctions(r *result.Stored) {
	c := r.Causes
	if c == nil {
		return
	}
	names := []why.Function{{Name: "entry::Feed::recompute", Module: "libentry.so"}, {Name: "+0x1f40", Module: "libentry.so"}, {Name: "qsort", Module: "libc.so"}}
	for _, f := range r.Timeline.Frames {
		e := c.Of(f)
		if e == nil || len(e.Shares) == 0 {
			continue
		}
		e.Calls = why.Calls{{Parent: -1, Samples: 8, Time: e.Lost}}
		for i, name := range names {
			e.Functions = append(e.Functions, why.FunctionTime{Function: name, Stage: e.Shares[0].Stage, Wait: e.Shares[0].Wait, Innermost: names[2], Samples: 8 - i, Of: 12, Time: e.Lost, Usual: e.Lost / 3, Sure: i == 0})
			e.Sampled = append(e.Sampled, why.FunctionTime{Function: name, Stage: e.Shares[0].Stage, Wait: why.Run, Samples: 8 - i, Time: e.Lost})
			e.Calls = append(e.Calls, why.Call{Function: name, Parent: int32(i), Samples: 8 - i, Time: e.Lost})
		}
		id := why.FunctionID{Process: f.Process, Kind: f.Kind, Stage: e.Shares[0].Stage, Wait: why.Run, Function: names[0]}
		c.Uses = append(c.Uses, why.FunctionUse{FunctionID: id, Late: why.FunctionSum{Samples: 8, Time: e.Lost}})
		c.Sampled = append(c.Sampled, why.SampledFrames{Process: f.Process, Kind: f.Kind, Late: 1, OnTime: 1})
	}
}

// Whatever the content, decoding it gives an error or a valid result in bounded memory. All
// commands can print it, and it is the same when it is written and read again.
func FuzzDecode(f *testing.F) {
	for _, content := range contents(f) {
		f.Add(content)
	}
	f.Fuzz(check)
}

// The same for content in which a few numbers are wrong.
func TestWrongNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, content := range contents(t) {
		for range slow.Of(50, 1000) {
			wrong := bytes.Clone(content)
			for range 1 + random.IntN(3) {
				wrong[random.IntN(len(wrong))] = byte(random.IntN(128))
			}
			check(t, wrong)
		}
	}
}

func check(t *testing.T, content []byte) {
	bound := trace.Limits{Frames: 1 << 12, States: 1 << 14}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := result.Decode(result.Wrap(content), bound, unpack.NewInflation(bound))
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20+1000*uint64(len(content)) {
		t.Errorf("%d MiB for %d bytes", used>>20, len(content))
	}
	if err != nil {
		return
	}
	printAll(t, r)
	again := result.Encode(r)
	back := must.Get(result.Decode(result.Wrap(again), bound, unpack.NewInflation(bound)))(t)
	if !bytes.Equal(result.Encode(back), again) {
		t.Error("the result differs when it is written and read again")
	}
}

// printAll prints a result in all formats.
func printAll(t *testing.T, r *result.Stored) {
	o := causes.Options{All: true}
	q := quality.Of(r.Timeline, r.Lines, r.Causes)
	write := func(err error) {
		must.NoError(t, err)
	}
	if r.Causes != nil {
		in := &causes.Input{Name: "trace", Causes: r.Causes, Start: r.Timeline.Origin(), Processes: causes.Processes(r.Timeline, r.Causes, o), Layers: causes.Layers(r.Timeline, r.Causes, o), Quality: q}
		for _, format := range causes.Formats {
			write(causes.Write(io.Discard, in, format, o, text.Style{}))
		}
		for _, f := range r.Timeline.Frames {
			if r.Causes.Of(f) != nil && f.VsyncID != 0 {
				o := causes.Options{Vsync: f.VsyncID}
				in.Processes = causes.Processes(r.Timeline, r.Causes, o)
				for _, format := range causes.Formats {
					write(causes.Write(io.Discard, in, format, o, text.Style{}))
				}
				break
			}
		}
	}
	in := []report.Input{{Name: "trace", Stats: stats.Compute(r.Timeline, stats.Options{}), Timeline: r.Timeline, Causes: r.Causes, Quality: q}}
	for _, format := range report.Formats {
		write(report.Write(io.Discard, in, format, report.Options{}))
	}
	for _, format := range frametable.Formats {
		write(frametable.Write(io.Discard, []frametable.Input{{Name: "trace", Timeline: r.Timeline, Causes: r.Causes}}, frametable.Options{Format: format, Kinds: frametable.Kinds}))
	}
}

// Causes that no analysis finds are damage.
func TestImpossibleCauses(t *testing.T) {
	bound := trace.Limits{Frames: 1 << 12, States: 1 << 14}
	content := contents(t)[0]
	for name, damage := range map[string]func(*why.Explanation, *why.Share){
		"share":   func(_ *why.Explanation, s *why.Share) { s.Share = -1 },
		"as long": func(_ *why.Explanation, s *why.Share) { s.AsLong = s.Compared + 1 },
		"shares":  func(e *why.Explanation, _ *why.Share) { e.Shares = slices.Repeat(e.Shares, 2) },
		"shown late": func(e *why.Explanation, s *why.Share) {
			e.Shown = &why.Explanation{Lost: s.Share - 1, Shares: e.Shares[:1]}
		},
		"gain":           func(_ *why.Explanation, s *why.Share) { s.Gain = -1 },
		"value":          func(_ *why.Explanation, s *why.Share) { s.Value = -1 },
		"usual":          func(_ *why.Explanation, s *why.Share) { s.Usual = -1 },
		"no culprit":     func(_ *why.Explanation, s *why.Share) { s.Culprit, s.Several = nil, &why.Several{Threads: 2} },
		"period before":  func(e *why.Explanation, _ *why.Share) { e.PeriodBefore = -1 },
		"slowdown":       func(e *why.Explanation, _ *why.Share) { e.Slowdown = -1 },
		"no period":      func(e *why.Explanation, _ *why.Share) { e.PeriodBefore, e.Frame.Period = 1, 0 },
		"no earlier one": func(_ *why.Explanation, s *why.Share) { s.Wait, s.Earlier = why.EarlierFrame, nil },
	} {
		r := must.Get(result.Decode(result.Wrap(content), bound, unpack.NewInflation(bound)))(t)
		for _, e := range r.Causes.Frames {
			if len(e.Shares) > 0 {
				damage(e, &e.Shares[0])
			}
		}
		if _, err := result.Decode(result.Wrap(result.Encode(r)), bound, unpack.NewInflation(bound)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
