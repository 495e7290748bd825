package ohframe_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"ohframe"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/perffile"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/simulate/rawfile"
	"ohframe/internal/testing/slow"
)

// scriptTrace is a trace of a device that had slept, in which thread 12 runs for 10 ms of every 20.
func scriptTrace(o rawfile.HtraceOptions) []byte {
	const start = 100e9
	var events []rawfile.Event
	for i := range int64(20) {
		at := int64(start) + i*10e6
		prev, next := "prev_comm=app prev_pid=12 prev_prio=120 prev_state=S", "next_comm=swapper next_pid=0 next_prio=120"
		if i%2 == 0 {
			prev, next = "prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R", "next_comm=app next_pid=12 next_prio=120"
		}
		events = append(events, rawfile.Event{Comm: "app", TID: 12, PID: 10, Time: at, Name: "sched_switch", Args: prev + " ==> " + next})
	}
	o.Offset = 40e9
	file, _ := rawfile.Htrace(events, o)
	return file
}

// scriptPlugins are the segments of arkts-plugin with a profile, whose clock is 40 s behind.
func scriptPlugins() []rawfile.Plugin {
	s := &perffile.Script{TID: 12, StartTime: 60_000_000, Nodes: append(perffile.ScriptRoot(4), perffile.ScriptCall(4, "build", "entry/src/main/ets/pages/Index.ets", 20))}
	for i := range 10 { // in the first half of each 20 ms
		s.Samples = append(s.Samples, 4)
		s.TimeDeltas = append(s.TimeDeltas, 20_000)
		if i == 0 {
			s.TimeDeltas[0] = 5_000
		}
	}
	return []rawfile.Plugin{
		{Name: "arkts-plugin_config", Data: perffile.Message(1, 10, 6, 1, 7, 1000)},
		{Name: "arkts-plugin", Data: perffile.Message(1, `{"id":3,"result":{}}`)},
		{Name: "arkts-plugin", Data: perffile.Message(1, s.Answer())},
	}
}

func readSampled(t *testing.T, file []byte, o ohframe.Options) *ohframe.Trace {
	t.Helper()
	got := must.Get(ohframe.Read(context.Background(), bytes.NewReader(file), o))(t)
	return got
}

// The profile of ArkTS in a trace of hiprofiler is on the clock of the trace, without a flag.
func TestScriptSamples(t *testing.T) {
	for _, padded := range []bool{false, true} {
		got := readSampled(t, scriptTrace(rawfile.HtraceOptions{Padded: padded, Plugins: scriptPlugins()}), ohframe.Options{})
		r := got.Samples
		if r == nil || len(r.Samples) != 10 || r.Alignment.Source != sample.Stated || r.Alignment.HitRate() != 1 {
			t.Fatalf("%+v, warnings %q", r, diag.Texts(got.Warnings))
		}
		for i, s := range r.Samples {
			// The two clocks in the file were read 3.21 µs apart.
			want := trace.Time(100_005_000_000 + int64(i)*20_000_000 - 3210)
			if s.Time != want || s.PID != 10 || s.TID != 12 || s.Period != 1_000_000 {
				t.Errorf("sample %d: %+v, want time %d", i, s, want)
			}
		}
		f := r.Profile.Frames[r.Profile.Stacks[r.Samples[0].Stack].Frame]
		if name := r.Profile.Functions[f.Function].Name; name != "build" || f.Line != 20 || r.Profile.Modules[f.Module].Path != "entry/src/main/ets/pages/Index.ets" {
			t.Errorf("%s %+v", name, f)
		}
		if len(got.Warnings) != 0 {
			t.Errorf("%q", diag.Texts(got.Warnings))
		}
	}
}

// Other data of the plugin is no recording, and hiperf's recording comes first.
func TestScriptsBesideOthers(t *testing.T) {
	heap := []rawfile.Plugin{{Name: "arkts-plugin", Data: perffile.Message(1, `{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"{}"}}`)}}
	got := readSampled(t, scriptTrace(rawfile.HtraceOptions{Plugins: heap}), ohframe.Options{})
	if got.Samples != nil || len(got.Warnings) != 0 {
		t.Errorf("%+v, warnings %q", got.Samples, diag.Texts(got.Warnings))
	}
	recording := &perffile.File{
		Events:  []perffile.Event{{Fields: perffile.SampleFields, Flags: perffile.Frequency | perffile.UseClockID, Clock: 1, Rate: 1000, IDs: []uint64{7}}},
		Records: [][]byte{perffile.Comm(10, 12, "app", false)},
	}
	for i := range uint64(6) {
		recording.Records = append(recording.Records, perffile.Sample(false, 7, 0x1000, 10, 12, 60_005_000_000+i*20_000_000, 0, 1, nil))
	}
	got = readSampled(t, scriptTrace(rawfile.HtraceOptions{Plugins: scriptPlugins(), Recording: recording.Bytes()}), ohframe.Options{})
	if got.Samples == nil || len(got.Samples.Samples) != 6 {
		t.Fatalf("%+v, warnings %q", got.Samples, diag.Texts(got.Warnings))
	}
	if want := "samples: 10 samples of ArkTS not used: hiperf has samples of the same time"; !slices.Contains(diag.Texts(got.Warnings), want) {
		t.Errorf("%q", diag.Texts(got.Warnings))
	}
}

// scripted returns the samples of a thread as a profile of ArkTS. Between them, in the gaps in which the thread
// waits, the profiler takes samples without a function. Own functions are of a source file.
func scripted(rec *sample.Recording, tid int32) *perffile.Script {
	p := rec.Profile
	out := &perffile.Script{TID: int(tid), Nodes: perffile.ScriptRoot()}
	ids := map[int32]int{sample.Unknown: 1}
	var id func(stack int32) int
	id = func(stack int32) int {
		if n, ok := ids[stack]; ok {
			return n
		}
		caller := id(p.Stacks[stack].Parent)
		n := len(out.Nodes) + 1
		ids[stack] = n
		f := p.Frames[p.Stacks[stack].Frame]
		url := p.Modules[f.Module].Path
		if p.Modules[f.Module].Own() {
			url = "entry/src/main/ets/" + p.Modules[f.Module].Name() + ".ets"
		}
		out.Nodes = append(out.Nodes, perffile.ScriptCall(n, p.Functions[f.Function].Name, url, int(f.Function)+1))
		out.Nodes[caller-1].Children = append(out.Nodes[caller-1].Children, n)
		return n
	}
	last := int64(0)
	for _, s := range rec.Samples {
		if s.TID != tid {
			continue
		}
		at := int64(s.Time) / 1000
		if last == 0 {
			out.StartTime, last = at, at
		}
		for ; at-last > 1500; last += 1000 {
			out.Samples, out.TimeDeltas = append(out.Samples, 2), append(out.TimeDeltas, 1000)
		}
		out.Samples, out.TimeDeltas = append(out.Samples, id(s.Stack)), append(out.TimeDeltas, at-last)
		last = at
	}
	out.EndTime = last
	return out
}

// A late frame whose thread was profiled by ArkTS has the function that it was generated with.
func TestScriptCauses(t *testing.T) {
	slow.SkipRace(t)
	frames, right, wrong := 0, 0, 0
	for i, cause := range simulate.Causes() {
		for seed := range slow.Of(1, 6) {
			s := simulate.Scene{Kernel: simulate.KernelHongMeng, RefreshHz: 60, Cause: simulate.Cause(cause), Seed: uint64(i + 40*seed)}
			var text, perf bytes.Buffer
			truth := must.Get(s.GenerateWithSamples(&text, &perf, simulate.Recording{Seed: uint64(i), Clock: simulate.ClockMonotonic}))(t)
			hot := map[int64]*simulate.CauseTruth{}
			var tid trace.TID
			for _, c := range truth.Causes {
				if h := c.Hot; h != nil && c.Late && !c.Cause.ShowsLate() && c.PickUp == "" && !h.Waits && h.All >= 10 && h.TID == c.TID && (tid == 0 || tid == c.TID) {
					hot[c.Vsync], tid = c, c.TID
				}
			}
			if tid == 0 {
				continue
			}
			rec := must.Get(analysis.ReadSamples(bytes.NewReader(perf.Bytes()), int64(perf.Len()), perfdata.Options{}))(t)
			events := must.Get(rawfile.Parse(text.Bytes()))(t)
			file, _ := rawfile.Htrace(events, rawfile.HtraceOptions{
				Offset: int64(truth.Recording.Offset), Plugins: []rawfile.Plugin{{Name: "arkts-plugin", Data: perffile.Message(1, scripted(rec, int32(tid)).Answer())}},
			})
			got := readSampled(t, file, ohframe.Options{Causes: true})
			if got.Samples == nil {
				t.Fatalf("%s: %q", cause, diag.Texts(got.Warnings))
			}
			for f := range got.Timeline.Complete() {
				c := hot[f.VsyncID]
				if c == nil || c.TID != f.TID {
					continue
				}
				frames++
				e := got.Causes.Of(f)
				switch named := e.FunctionOf(e.Cause()); {
				case named == nil:
				case named.Name == c.Hot.Function:
					right++
				default:
					wrong++
				}
			}
		}
	}
	t.Logf("%d of %d, %d wrong", right, frames, wrong)
	if frames < 10 || right*20 < frames*19 || wrong > 0 {
		t.Errorf("the right function is named for %d of %d frames, a wrong one for %d", right, frames, wrong)
	}
}
