package result

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/unpack"
)

// computed are the fields that are not stored: those that are computed from others, refer to their
// owner, or are in lists of their own.
var computed = set(
	"analyzer.Timeline.Processes", "analyzer.Timeline.Frames", "analyzer.Timeline.Layers", "analyzer.Timeline.Interactions", "analyzer.Timeline.Requesters",
	// Timeline.ShowInteractions sets them.
	"analyzer.Interaction.First", "analyzer.Interaction.Last", "analyzer.Interaction.FirstShown", "analyzer.Interaction.LastShown",
	"analyzer.Interaction.SeenTo", "analyzer.Interaction.Estimated", "analyzer.Interaction.Frames", "analyzer.Interaction.Steady",
	"analyzer.Layer.Buffers", "analyzer.Buffer.Layer",
	"why.Causes.Frames", "why.Causes.Responses", "why.Causes.Hangs", "why.Causes.Buffers",
	"why.Explanation.Frame", "why.Explanation.Interaction", "why.Explanation.Buffer",
	"hitrace.Totals.Problems", "hitrace.Totals.SystemEvents", // the events are written as instants
)

// links are the fields of a frame that refer to other frames. They follow all frames.
var links = set("Transactions", "Render", "Applications", "Android")

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, name := range names {
		m[name] = true
	}
	return m
}

// ends are the values of enumerations and sets of bits that do not exist any more.
var ends = map[reflect.Type]uint64{
	reflect.TypeFor[analyzer.Kind]():            uint64(analyzer.RenderFrame) + 1,
	reflect.TypeFor[analyzer.Framework]():       uint64(analyzer.FrameworkCount),
	reflect.TypeFor[analyzer.Facts]():           uint64(analyzer.AllFacts) + 1,
	reflect.TypeFor[analyzer.Pace]():            uint64(analyzer.Late) + 1,
	reflect.TypeFor[analyzer.Fate]():            uint64(analyzer.Discarded) + 1,
	reflect.TypeFor[analyzer.StatsJank]():       uint64(analyzer.StatsDavey) << 1,
	reflect.TypeFor[analyzer.Answer]():          uint64(analyzer.Yes) + 1,
	reflect.TypeFor[analyzer.JankType]():        1 << 32, // Android may add some
	reflect.TypeFor[analyzer.PresentType]():     uint64(analyzer.PresentUnknown) + 1,
	reflect.TypeFor[analyzer.PredictionType]():  uint64(analyzer.PredictionUnknown) + 1,
	reflect.TypeFor[analyzer.JankSeverity]():    uint64(analyzer.SeverityFull) + 1,
	reflect.TypeFor[analyzer.ClockSource]():     uint64(analyzer.ClockGiven) + 1,
	reflect.TypeFor[analyzer.ClockChangeKind](): uint64(analyzer.ClockUnsteady) + 1,
	reflect.TypeFor[analyzer.Diagnostic]():      uint64(analyzer.RecordsOver) + 1,
	reflect.TypeFor[analyzer.Recorded]():        uint64(analyzer.RecordedCount),
	reflect.TypeFor[analyzer.Edge]():            uint64(analyzer.WindowEdge) + 1,
	reflect.TypeFor[analyzer.InteractionKind](): uint64(analyzer.LaunchInteraction) + 1,
	reflect.TypeFor[analyzer.Input]():           uint64(analyzer.LastDown) + 1,
	reflect.TypeFor[analyzer.Reasons]():         uint64(analyzer.ReasonsEnd),
	reflect.TypeFor[trace.WarningCode]():        uint64(trace.WarningCodes),
	reflect.TypeFor[why.Stage]():                uint64(why.StageCount),
	reflect.TypeFor[why.Wait]():                 uint64(why.WaitCount),
	reflect.TypeFor[why.Outcome]():              uint64(why.OutcomeCount),
	reflect.TypeFor[why.Confidence]():           4,
	reflect.TypeFor[why.Basis]():                uint64(why.Budget) + 1,
	reflect.TypeFor[why.Advice]():               uint64(why.AdviceCount),
	reflect.TypeFor[why.Missing]():              uint64(why.MissingCount),
	reflect.TypeFor[hitrace.Problem]():          256, // RestoreProblems leaves out others
}

// checks are what is assumed of values, as far as no Validate checks it.
var checks = map[reflect.Type]func(any) bool{
	reflect.TypeFor[analyzer.Process]():     func(v any) bool { return v.(*analyzer.Process).PID >= 0 },
	reflect.TypeFor[analyzer.Interaction](): func(v any) bool { return v.(*analyzer.Interaction).Process != nil },
	reflect.TypeFor[analyzer.Summary]():     func(v any) bool { return known(v.(*analyzer.Summary).Process) },
	reflect.TypeFor[analyzer.StateChange](): func(v any) bool { return known(v.(*analyzer.StateChange).Process) },
	reflect.TypeFor[analyzer.Buffer]():      func(v any) bool { return v.(*analyzer.Buffer).Interval >= 0 },
	reflect.TypeFor[why.SampledFrames]():    func(v any) bool { return known(v.(*why.SampledFrames).Process) },
	reflect.TypeFor[why.FunctionID]():       func(v any) bool { return known(v.(*why.FunctionID).Process) },
	reflect.TypeFor[why.FunctionSum]():      func(v any) bool { return v.(*why.FunctionSum).Time >= 0 },
	reflect.TypeFor[why.FunctionTime](): func(v any) bool {
		f := v.(*why.FunctionTime)
		return f.Time >= 0 && f.Usual >= 0
	},
	reflect.TypeFor[why.Call]():  func(v any) bool { return v.(*why.Call).Time >= 0 },
	reflect.TypeFor[why.Cores](): func(v any) bool { return len(v.(*why.Cores).CPUs) > 0 },
	reflect.TypeFor[why.Share](): func(v any) bool {
		s := v.(*why.Share)
		return min(s.Share, s.Gain, s.Value, s.Usual) >= 0 && s.AsLong >= 0 && s.AsLong <= s.Compared && (s.Wait != why.EarlierFrame || s.Earlier != nil) &&
			(s.Task == nil || min(s.Task.Delay, s.Task.Usual) >= 0 && s.Task.Calls >= 0) && (s.Several == nil || s.Several.Threads == 0 || s.Culprit != nil || s.Several.Culprit != nil)
	},
	reflect.TypeFor[why.WaitTime]():    func(v any) bool { w := v.(*why.WaitTime); return min(w.Value, w.SliceTime, w.OtherTime) >= 0 },
	reflect.TypeFor[why.NamedSlices](): func(v any) bool { return v.(*why.NamedSlices).Value >= 0 },
	reflect.TypeFor[trace.Warning]():   func(v any) bool { return v.(*trace.Warning).Text != "" },
	reflect.TypeFor[why.Explanation](): func(v any) bool {
		for i, call := range v.(*why.Explanation).Calls {
			if call.Parent >= int32(i) || call.Parent < -1 || (call.Parent < 0) != (i == 0) {
				return false
			}
		}
		return true
	},
}

func known(p *analyzer.Process) bool { return p != nil && p.PID != trace.UnknownPID }

// maxWarnings is above the number of warnings of any input.
const maxWarnings = 1000

// walks are those of the types that content needs, made once.
var walks = sync.OnceValue(func() map[reflect.Type]walk {
	m := map[reflect.Type]walk{}
	for _, t := range roots {
		m[t] = plan(t)
	}
	return m
})

// frameLinks is the walk of the links of a frame, and frameFacts that of the rest.
var (
	frameType  = reflect.TypeFor[analyzer.Frame]()
	frameFacts = sync.OnceValue(func() walk { return fields(frameType, func(name string) bool { return !links[name] }) })
	frameLinks = sync.OnceValue(func() walk { return fields(frameType, func(name string) bool { return links[name] }) })
)

var roots = []reflect.Type{
	reflect.TypeFor[analyzer.Timeline](), reflect.TypeFor[analyzer.Process](), frameType, reflect.TypeFor[analyzer.Layer](),
	reflect.TypeFor[analyzer.Requester](),
	reflect.TypeFor[analyzer.Buffer](), reflect.TypeFor[analyzer.Interaction](), reflect.TypeFor[why.Causes](),
	reflect.TypeFor[why.Explanation](),
	reflect.TypeFor[hitrace.Totals](), reflect.TypeFor[hitrace.Count](), reflect.TypeFor[trace.Warning](),
}

// schema identifies what is stored: the fields, and the meaning of the numbers of stages, waits and the
// like. All of that may change from one version of ohframe to another.
var schema = sync.OnceValue(func() uint64 {
	var s strings.Builder
	seen := map[reflect.Type]bool{}
	var describe func(t reflect.Type)
	describe = func(t reflect.Type) {
		fmt.Fprintln(&s, t)
		if seen[t] {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			describe(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				if f := t.Field(i); f.IsExported() && !computed[t.String()+"."+f.Name] {
					fmt.Fprint(&s, f.Name, " ")
					describe(f.Type)
				}
			}
		case reflect.Uint8:
			for i := range ends[t] {
				if _, ok := reflect.Zero(t).Interface().(fmt.Stringer); ok && t != reflect.TypeFor[hitrace.Problem]() {
					fmt.Fprintln(&s, reflect.ValueOf(i).Convert(t))
				}
			}
		default:
			fmt.Fprintln(&s, ends[t])
		}
	}
	for _, t := range roots {
		describe(t)
	}
	return xxh3.HashString(s.String())
})

// value writes or reads a value of one of the roots.
func value[T any](c *codec, v *T) {
	walks()[reflect.TypeFor[T]()](c, reflect.ValueOf(v).Elem())
	c.flush(false)
}

// elements writes or reads a list of elements that others refer to.
func elements[T any](c *codec, list *[]*T, numbers map[*T]int, each func(*T)) {
	n := c.number(len(*list))
	for i := 0; i < n && (c.writing || c.spend()); i++ {
		if !c.writing {
			*list = append(*list, new(T))
		}
		v := (*list)[i]
		each(v)
		numbers[v] = len(numbers)
	}
}

// content writes or reads all of a result.
func (c *codec) content(r *Stored) {
	c.lines(r)
	warnings := c.number(len(r.Warnings))
	if warnings > maxWarnings {
		c.fail()
	}
	for i := 0; i < warnings && c.err == nil; i++ {
		if !c.writing {
			r.Warnings = append(r.Warnings, trace.Warning{})
		}
		value(c, &r.Warnings[i])
	}
	t := c.timeline
	elements(c, &t.Processes, c.processes, func(p *analyzer.Process) { value(c, p) })
	elements(c, &t.Interactions, c.interactions, func(i *analyzer.Interaction) { value(c, i) })
	value(c, t)
	c.origin()
	c.allFrames()
	if c.err != nil {
		return
	}
	elements(c, &t.Layers, map[*analyzer.Layer]int{}, func(l *analyzer.Layer) {
		c.current = 0
		value(c, l)
		elements(c, &l.Buffers, c.buffers, func(b *analyzer.Buffer) {
			value(c, b)
			b.Layer, c.list = l, append(c.list, b)
			if b.Render != nil {
				c.current = c.frames[b.Render]
			}
		})
	})
	elements(c, &t.Requesters, map[*analyzer.Requester]int{}, func(r *analyzer.Requester) {
		c.current = 0
		value(c, r)
	})
	if c.present(r.Causes != nil) {
		c.causes(r)
	}
}

// present writes or reads whether something follows.
func (c *codec) present(yes bool) bool {
	n := 0
	if yes {
		n = 1
	}
	return c.index(n, 2) == 1
}

func (c *codec) lines(r *Stored) {
	if !c.present(r.Lines != nil) {
		return
	}
	if !c.writing {
		r.Lines = &hitrace.Totals{}
	}
	counts := r.Lines.Problems.Counts()
	ignored, logged := r.Lines.Problems.Ignored(), r.Lines.Problems.Logged()
	value(c, r.Lines)
	n := c.number(len(counts))
	for i := 0; i < n && (c.writing || c.spend()); i++ {
		if !c.writing {
			counts = append(counts, hitrace.Count{})
		}
		value(c, &counts[i])
	}
	if ignored, logged = c.number(ignored), c.number(logged); !c.writing {
		r.Lines.Problems = hitrace.RestoreProblems(counts, ignored, logged)
	}
}

// origin writes or reads where the timeline began before it was cut.
func (c *codec) origin() {
	t := c.timeline
	origin := t.Origin()
	if !c.present(origin.Known()) {
		return
	}
	if origin = c.time(origin); c.writing || c.err != nil || origin >= t.Span.Start {
		return
	}
	start := t.Span.Start // that is what Cut did
	t.Span.Start = origin
	t.Cut(start, trace.MaxTime)
}

func (c *codec) allFrames() {
	t := c.timeline
	n := c.number(len(t.Frames))
	if !c.writing && n > c.limits.Frames {
		c.failed(&unpack.LimitError{Limit: "frames", What: "the result in the trace has more frames than are read"})
	}
	for i := 0; i < n && c.err == nil; i++ {
		if !c.writing {
			t.Frames = append(t.Frames, &analyzer.Frame{})
		}
		f := t.Frames[i]
		frameFacts()(c, reflect.ValueOf(f).Elem())
		if f.Process == nil {
			c.fail()
		}
		c.base, c.frames[f] = f.Actual.Start, i
		c.flush(false)
	}
	for i, f := range t.Frames {
		c.at(i)
		frameLinks()(c, reflect.ValueOf(f).Elem())
		c.flush(false)
	}
}

// at sets the frame that is written or read next.
func (c *codec) at(i int) { c.current, c.base = i, c.timeline.Frames[i].Actual.Start }

func (c *codec) causes(r *Stored) {
	if !c.writing {
		r.Causes = &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{}}
	}
	w := r.Causes
	value(c, w)
	table(c, &w.Frames, c.timeline.Frames, func(i int, f *analyzer.Frame, e *why.Explanation) {
		e.Frame = f
		c.at(i)
	})
	c.current = 0
	table(c, &w.Responses, c.timeline.Interactions, func(_ int, i *analyzer.Interaction, response *why.Explanation) {
		response.Interaction, c.base = i, i.From()
	})
	table(c, &w.Hangs, c.timeline.Hangs, func(_ int, h analyzer.Hang, _ *why.Explanation) { c.base = h.Start })
	table(c, &w.Buffers, c.list, func(_ int, b *analyzer.Buffer, late *why.Explanation) {
		late.Buffer, c.base, c.current = b, b.Present, 0
		if b.Render != nil {
			c.current = c.frames[b.Render]
		}
	})
}

// table writes or reads the values of a map, in the order of a list of the keys, each after the distance
// of its key to that before. Begin is called before the fields of a value.
func table[K comparable, V any](c *codec, m *map[K]*V, keys []K, begin func(i int, key K, v *V)) {
	n := c.number(len(*m))
	next := 0
	for range n {
		i := next
		for c.writing && (*m)[keys[i]] == nil {
			i++
		}
		if i = next + c.number(i-next); i < next || i >= len(keys) || !c.writing && !c.spend() {
			c.fail()
			return
		}
		key := keys[i]
		if !c.writing {
			if *m == nil {
				*m = map[K]*V{}
			}
			(*m)[key] = new(V)
		}
		begin(i, key, (*m)[key])
		value(c, (*m)[key])
		next = i + 1
	}
}
