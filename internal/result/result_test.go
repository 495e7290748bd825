package result

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"
	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/must"
)

// filler sets all exported fields to values that differ as far as enumerations permit.
type filler struct {
	n         int64
	frames    []*analyzer.Frame
	processes []*analyzer.Process
	layer     *analyzer.Layer    // that is being filled
	buffers   []*analyzer.Buffer // of a layer, once they exist
	// explaining is set while an explanation of an explanation is being filled.
	explaining bool
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int8: // DisplaySyncType
		v.SetInt(int64(analyzer.UnknownSync))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(f.n)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(uint64(1 + f.n%2))
		switch kind := v.Addr().Interface().(type) {
		case *analyzer.Kind:
			*kind = analyzer.RenderFrame
		case *analyzer.InteractionKind:
			*kind = analyzer.LaunchInteraction
		case *analyzer.Facts:
			*kind = analyzer.AllFacts
		}
	case reflect.Float64:
		v.SetFloat(float64(f.n) / 4)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", f.n%7))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				f.fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		switch v.Interface().(type) {
		case *analyzer.Frame:
			v.Set(reflect.ValueOf(f.frames[f.n%int64(len(f.frames))]))
		case *analyzer.Process:
			v.Set(reflect.ValueOf(f.processes[f.n%int64(len(f.processes))]))
		case *why.Explanation: // of an explanation, which has no further ones
			if !f.explaining {
				f.explaining = true
				v.Set(reflect.New(v.Type().Elem()))
				f.fill(v.Elem())
				f.explaining = false
			}
		case *analyzer.FrameTimeline, *analyzer.SurfaceFrame: // Perfetto traces are not converted
		case *analyzer.Buffer:
			if f.buffers != nil {
				v.Set(reflect.ValueOf(f.buffers[1]))
				return
			}
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		case *analyzer.Layer:
			if f.layer != nil { // of a buffer
				v.Set(reflect.ValueOf(f.layer))
				return
			}
			f.layer = &analyzer.Layer{}
			v.Set(reflect.ValueOf(f.layer))
			f.fill(v.Elem())
			f.layer = nil
		default:
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	default:
		panic(v.Kind())
	}
}

// explanation returns one of no frame, buffer or interaction, with those of its way to the display and of
// its pick-up.
func (f *filler) explanation() *why.Explanation {
	e := &why.Explanation{}
	f.fill(reflect.ValueOf(e).Elem())
	for _, x := range [...]*why.Explanation{e, e.Shown, e.PickUp, e.NotBegun} {
		x.Frame, x.Interaction, x.Buffer = nil, nil, nil
		x.Shares[1].UsualCalls = nil // unknown
		x.Calls = append(x.Calls, x.Calls[1])
		for i, parent := range []int32{-1, 0, 0} {
			x.Calls[i].Parent = parent
		}
	}
	return e
}

// full returns a result in which all fields are set. It is no valid one.
func full() *Stored {
	f := &filler{
		frames:    []*analyzer.Frame{{}, {}, {}},
		processes: []*analyzer.Process{{}, {}},
	}
	for _, p := range f.processes {
		f.fill(reflect.ValueOf(p).Elem())
	}
	r := &Stored{Timeline: &analyzer.Timeline{}, Lines: &hitrace.Totals{}, Causes: &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{}}}
	t := reflect.ValueOf(r.Timeline).Elem()
	for i := range t.NumField() {
		if name := t.Type().Field(i).Name; t.Field(i).CanSet() && name != "Frames" && name != "Processes" {
			f.fill(t.Field(i))
		}
	}
	for _, i := range r.Timeline.Interactions { // the rest follows from the frames
		i.First, i.Last, i.FirstShown, i.LastShown, i.SeenTo, i.Estimated, i.Frames, i.Steady = nil, nil, 0, 0, 0, false, nil, 0
	}
	r.Timeline.Builds[0].Process, r.Timeline.StateChanges[0].Process = f.processes[1], f.processes[1]
	r.Timeline.Interactions[0].Process, r.Timeline.Hangs[0].Process = f.processes[1], f.processes[1] // 0 is not written
	r.Timeline.Blocks[0].Process, r.Timeline.Summaries[0].Process = f.processes[1], f.processes[1]
	for i, l := range r.Timeline.Layers {
		l.Process = f.processes[1-i]
	}
	r.Timeline.Layers = append(r.Timeline.Layers, &analyzer.Layer{ID: 900},
		&analyzer.Layer{ID: 901, Process: &analyzer.Process{PID: trace.UnknownPID, NoPID: true, Name: "com.example.unseen"}})
	unknown := *r.Timeline.Interactions[0]
	unknown.Process = &analyzer.Process{PID: trace.UnknownPID, NoPID: true, Name: "com.example.unseen"}
	r.Timeline.Interactions = append(r.Timeline.Interactions, &unknown)
	r.Timeline.Frames, r.Timeline.Processes = f.frames, f.processes
	f.buffers = r.Timeline.Layers[1].Buffers // 0 is not written
	f.fill(reflect.ValueOf(r.Lines).Elem())
	r.Lines.SystemEvents = hitrace.SystemEvents{} // they are written as instants, not in the result
	r.Lines.Problems = hitrace.RestoreProblems([]hitrace.Count{{Problem: hitrace.BadCookie, Total: 9, Lines: []int{4, 8}}}, 11, 12)
	for _, frame := range f.frames {
		f.fill(reflect.ValueOf(frame).Elem())
		frame.Facts, frame.Deadline = analyzer.MainLate|analyzer.DeadlineInferred, frame.Actual.End-1
		e := f.explanation()
		e.Frame, e.Lost = frame, frame.Overrun()
		r.Causes.Frames[frame] = e
	}
	f.frames[0].Process, f.frames[1].Process = f.processes[0], f.processes[1]
	c := reflect.ValueOf(r.Causes).Elem()
	for i := range c.NumField() {
		if name := c.Type().Field(i).Name; name != "Frames" && name != "Responses" && name != "Hangs" && name != "Buffers" {
			f.fill(c.Field(i))
		}
	}
	response, hang, late := f.explanation(), f.explanation(), f.explanation()
	response.Interaction, late.Buffer = r.Timeline.Interactions[1], f.buffers[1] // 0 is not written
	r.Causes.Responses = map[*analyzer.Interaction]*why.Explanation{response.Interaction: response}
	r.Causes.Hangs = map[analyzer.Hang]*why.Explanation{r.Timeline.Hangs[1]: hang}
	r.Causes.Buffers = map[*analyzer.Buffer]*why.Explanation{late.Buffer: late}
	f.fill(reflect.ValueOf(&r.Warnings).Elem())
	return r
}

// encode returns the content of a result, before it is deflated.
func encode(r *Stored) []byte {
	var b bytes.Buffer
	r.encode(&b)
	return b.Bytes()
}

// Every exported field of the model is stored: a new field that is not fails here.
func TestEveryField(t *testing.T) {
	want := full()
	got := must.Get(decode(bytes.NewReader(encode(want)), trace.Limits{}))(t)
	explained := func(r *Stored) (list []*why.Explanation) {
		for _, f := range r.Timeline.Frames {
			list = append(list, r.Causes.Frames[f])
		}
		r.Causes.Frames = nil
		return list
	}
	responses := func(r *Stored) (list []*why.Explanation) {
		for _, i := range r.Timeline.Interactions {
			list = append(list, r.Causes.Responses[i])
		}
		r.Causes.Responses = nil
		return list
	}
	hangs := func(r *Stored) (list []*why.Explanation) {
		for _, h := range r.Timeline.Hangs {
			list = append(list, r.Causes.OfHang(h))
		}
		r.Causes.Hangs = nil
		return list
	}
	late := func(r *Stored) (list []*why.Explanation) {
		for _, l := range r.Timeline.Layers {
			for _, b := range l.Buffers {
				list = append(list, r.Causes.Buffers[b])
			}
		}
		r.Causes.Buffers = nil
		return list
	}
	gotLate, wantLate := late(got), late(want)
	gotExplained, wantExplained := explained(got), explained(want)
	gotResponses, wantResponses := responses(got), responses(want)
	gotHangs, wantHangs := hangs(got), hangs(want)
	for name, pair := range map[string][2]any{
		"lines": {got.Lines, want.Lines}, "causes": {got.Causes, want.Causes}, "warnings": {got.Warnings, want.Warnings},
		"explanations": {gotExplained, wantExplained}, "responses": {gotResponses, wantResponses}, "hangs": {gotHangs, wantHangs}, "late buffers": {gotLate, wantLate}, "timeline": {got.Timeline, want.Timeline},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", name, pair[0], pair[1])
		}
	}
	for i, l := range got.Timeline.Layers {
		for j, b := range l.Buffers {
			if w := want.Timeline.Layers[i].Buffers[j]; !reflect.DeepEqual(b, w) {
				t.Errorf("buffer %d of layer %d: got\n%+v\nwant\n%+v", j, i, b, w)
			}
		}
	}
	for i, f := range got.Timeline.Frames {
		if w := want.Timeline.Frames[i]; !reflect.DeepEqual(f, w) {
			t.Errorf("frame %d: got\n%+v\nwant\n%+v", i, f, w)
		}
	}
}

// small returns a valid result with a late frame.
func small() *Stored {
	feed := why.Function{Name: "Feed::recompute", Module: "libentry.so"}
	p := &analyzer.Process{PID: 7, Name: "app", Threads: []analyzer.Thread{{TID: 7, Name: "app"}}}
	f := &analyzer.Frame{
		Process: p, TID: 7, VsyncID: 3, Actual: analyzer.Interval{Start: 100, End: 220}, Deadline: 200,
		Facts: analyzer.MainLate | analyzer.Empty,
	}
	i := &analyzer.Interaction{ID: 1, Scene: "APP_TAB_SWITCH", Process: p, Begin: 90, Observed: analyzer.Interval{Start: 90, End: 300}}
	l := &analyzer.Layer{ID: 1, Name: "video", Queue: 5, Process: p, Cadences: []analyzer.Cadence{{Every: 40, Buffers: 1, Shown: 1}}}
	l.Buffers = []*analyzer.Buffer{
		{Layer: l, Sequence: 3, TID: 9, Queued: 100, Acquired: 120, Present: 200, Fate: analyzer.Shown},
		{Layer: l, Sequence: 4, TID: 9, Queued: 120, Fate: analyzer.Discarded},
		{Layer: l, Sequence: 1, TID: 7, Queued: 140, Acquired: 160, Present: 240, Fate: analyzer.Shown, Pace: analyzer.Even, Interval: 40, Frame: f},
	}
	return &Stored{
		Timeline: &analyzer.Timeline{
			Processes: []*analyzer.Process{p}, Frames: []*analyzer.Frame{f}, Span: analyzer.Interval{Start: 1, End: 900}, Interactions: []*analyzer.Interaction{i},
			Layers: []*analyzer.Layer{l},
		},
		Causes: &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{f: {
			Frame: f, Start: 100, End: 220, Lost: 20, Outcome: why.OneCause, Parts: []why.Part{{Stage: why.StageBuild, Wait: why.Run, Time: 120}},
			Shares:    []why.Share{{Share: 20, Value: 30, Usual: 10}},
			Functions: []why.FunctionTime{{Function: feed, Stage: why.StageBuild, Wait: why.Run, Innermost: why.Function{Name: "qsort", Module: "libc.so"}, Samples: 5, Of: 6, Time: 25, Usual: 3, Sure: true}},
			Sampled:   []why.FunctionTime{{Function: feed, Stage: why.StageBuild, Wait: why.Run, Samples: 5, Time: 25}},
			Calls:     why.Calls{{Parent: -1, Samples: 5, Time: 25}, {Function: feed, Samples: 5, Time: 25}},
		}}, Responses: map[*analyzer.Interaction]*why.Explanation{i: {Interaction: i, Start: 90, End: 95, Steps: []why.Step{
			{Name: why.StepHandling, Start: 90, Time: 5, Work: []why.Work{{TID: 7, Start: 91, End: 95, Idle: 1, Waits: []why.WaitTime{{Wait: why.Run, Value: 3}}}}},
		}}},
			Uses: []why.FunctionUse{{
				FunctionID: why.FunctionID{Process: p, Stage: why.StageBuild, Wait: why.Run, Function: feed},
				Late:       why.FunctionSum{Samples: 5, Time: 25}, OnTime: why.FunctionSum{Samples: 6, Time: 9},
			}},
			Sampled: []why.SampledFrames{{Process: p, Late: 1, OnTime: 3}},
		},
		Lines: &hitrace.Totals{Lines: 5},
	}
}

// wrap returns a packet's field with content that was changed.
func wrap(version, schema uint64, content []byte) []byte {
	var deflated bytes.Buffer
	z, _ := flate.NewWriter(&deflated, 1)
	z.Write(content)
	z.Close()
	b := protowire.AppendVarint(protowire.AppendTag(nil, resultVersion, protowire.VarintType), version)
	b = protowire.AppendFixed64(protowire.AppendTag(b, resultSchema, protowire.Fixed64Type), schema)
	return protowire.AppendBytes(protowire.AppendTag(b, resultDeflated, protowire.BytesType), deflated.Bytes())
}

func TestDecode(t *testing.T) {
	good := encode(small())
	gap, empty, even, uneven := small(), small(), small(), small()
	uneven.Causes.Frames[uneven.Timeline.Frames[0]].Parts[0].Time *= 2
	for _, r := range gap.Causes.Responses {
		r.Steps = append(r.Steps, why.Step{Name: why.StepVsync, Start: 96, Time: 3})
	}
	for _, r := range empty.Causes.Responses {
		r.Steps = nil
	}
	even.Causes.Buffers = map[*analyzer.Buffer]*why.Explanation{even.Timeline.Layers[0].Buffers[2]: {}}
	warned := func(n int, text string) *Stored {
		r := small()
		for range n {
			r.Warnings = append(r.Warnings, trace.Warning{Text: text})
		}
		return r
	}
	long := small()
	long.Timeline.Processes[0].Name = strings.Repeat("x", 100)
	many := small()
	for range 10 {
		f := *many.Timeline.Frames[0]
		f.Actual, f.Facts, f.Deadline = analyzer.Interval{Start: 900, End: 900}, analyzer.Empty, 0
		many.Timeline.Frames = append(many.Timeline.Frames, &f)
	}
	damaged := func(err error) bool { return err == errDamaged }
	over := func(limit string) func(error) bool {
		return func(err error) bool {
			var over *unpack.LimitError
			return errors.As(err, &over) && over.Limit == limit
		}
	}
	none := func(err error) bool { return err == nil }
	other := func(err error) bool { return err == ErrVersion }
	wrapped := func(r *Stored) []byte { return wrap(version, schema(), encode(r)) }
	for _, c := range []struct {
		name   string
		field  []byte
		limits trace.Limits
		want   func(error) bool
	}{
		{"good", wrapped(small()), trace.Limits{}, none},
		{"parts of a damaged frame", wrapped(uneven), trace.Limits{}, none},
		{"a newer version", wrap(version+1, schema(), good), trace.Limits{}, other},
		{"another schema", wrap(version, schema()+1, good), trace.Limits{}, other},
		{"empty", nil, trace.Limits{}, damaged},
		{"no field", []byte{0}, trace.Limits{}, damaged},
		{"cut", wrap(version, schema(), good[:len(good)-1]), trace.Limits{}, damaged},
		{"twice", wrap(version, schema(), append(bytes.Clone(good), good...)), trace.Limits{}, damaged},
		{"not deflated", wrapped(small())[:20], trace.Limits{}, damaged},
		{"no content", wrap(version, schema(), nil), trace.Limits{}, damaged},
		{"an empty warning", wrapped(warned(1, "")), trace.Limits{}, damaged},
		{"an empty response", wrapped(empty), trace.Limits{}, damaged},
		{"steps with a gap", wrapped(gap), trace.Limits{}, damaged},
		{"an explanation of a buffer that is not late", wrapped(even), trace.Limits{}, damaged},
		{"some warnings", wrapped(warned(maxWarnings, "w")), trace.Limits{}, none},
		{"many warnings", wrapped(warned(maxWarnings+1, "w")), trace.Limits{}, damaged},
		{"many facts", wrapped(small()), trace.Limits{States: 1}, over("states")},
		{"as many facts as layers", wrapped(small()), trace.Limits{States: 12}, over("states")},
		{"a long text", wrapped(long), trace.Limits{Line: 99}, over("line")},
		{"many frames", wrapped(many), trace.Limits{Frames: 10}, over("frames")},
	} {
		r, err := Decode(c.field, c.limits, unpack.NewInflation(trace.Limits{}))
		if !c.want(err) || (r == nil) != (err != nil) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Values that later code relies on are checked.
func TestImpossible(t *testing.T) {
	for name, change := range map[string]func(*Stored, *analyzer.Frame, *why.Explanation){
		"a cause without a share": func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.Shares = nil },
		"a knock-on of no frame":  func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.Outcome = why.KnockOn },
		"picked up by no frame":   func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.PickUp = &why.Explanation{} },
		"explanations within one another": func(_ *Stored, f *analyzer.Frame, e *why.Explanation) {
			f.Render = f
			for range 100 {
				e.PickUp = &why.Explanation{}
				e = e.PickUp
			}
		},
		"an outcome of a buffer": func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.Outcome = why.QueuedLate },
		"a time before the boot": func(_ *Stored, f *analyzer.Frame, _ *why.Explanation) { f.Vsync = -1 },
		"a time after all":       func(_ *Stored, f *analyzer.Frame, _ *why.Explanation) { f.Vsync = trace.MaxTime + 1 },
		"an unknown wait":        func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.Shares[0].Wait = 200 },
		"a negative process id":  func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) { r.Timeline.Processes[0].PID = -5 },
		"frames not in order": func(r *Stored, f *analyzer.Frame, _ *why.Explanation) {
			r.Timeline.Frames = append(r.Timeline.Frames, &analyzer.Frame{Process: f.Process, Actual: analyzer.Interval{Start: 50, End: 60}})
		},
		"a frame that ends early": func(_ *Stored, f *analyzer.Frame, _ *why.Explanation) { f.Actual.End = 90 },
		"late without a deadline": func(_ *Stored, f *analyzer.Frame, _ *why.Explanation) { f.Deadline = 0 },
		"an infinite drift": func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) {
			r.Timeline.Clock.Drift = 1 / float64(r.Lines.Lost)
		},
		"a layer out of order":    func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) { r.Timeline.Layers[0].ID = 0 },
		"a fate that is not":      func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) { r.Timeline.Layers[0].Buffers[0].Fate = 3 },
		"a pace that is not":      func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) { r.Timeline.Layers[0].Buffers[0].Pace = 5 },
		"a framework that is not": func(_ *Stored, f *analyzer.Frame, _ *why.Explanation) { f.Framework = 200 },
		"a negative interval":     func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) { r.Timeline.Layers[0].Buffers[2].Interval = -1 },
		"a negative thread":       func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) { r.Timeline.Layers[0].Buffers[2].TID = -1 },
		"a buffer shown early":    func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) { r.Timeline.Layers[0].Buffers[2].Present = 150 },
		"an unknown display sync": func(_ *Stored, f *analyzer.Frame, _ *why.Explanation) {
			f.DisplaySyncs = []analyzer.DisplaySync{{Type: analyzer.UnknownSync + 1}}
		},
		"a call of a later call":     func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.Calls[1].Parent = 1 },
		"two roots of calls":         func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.Calls[1].Parent = -1 },
		"a first call with a caller": func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.Calls[0].Parent = 0 },
		"a negative time of a call":  func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.Calls[1].Time = -1 },
		"negative samples":           func(_ *Stored, _ *analyzer.Frame, e *why.Explanation) { e.Functions[0].Samples = -1 },
		"a negative time of a use":   func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) { r.Causes.Uses[0].Late.Time = -1 },
		"a negative count of lines":  func(r *Stored, _ *analyzer.Frame, _ *why.Explanation) { r.Lines.Lines = -1 },
	} {
		r := small()
		f := r.Timeline.Frames[0]
		change(r, f, r.Causes.Frames[f])
		if _, err := Decode(wrap(version, schema(), encode(r)), trace.Limits{}, unpack.NewInflation(trace.Limits{})); err != errDamaged {
			t.Errorf("%s: %v", name, err)
		}
	}
}
