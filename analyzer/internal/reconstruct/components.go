package reconstruct

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// components is what a trace has of the components of applications.
type components struct {
	builds  []build
	changes []stateChange
}

type build struct {
	pid trace.PID
	analyzer.Build
}

type stateChange struct {
	pid trace.PID
	analyzer.StateChange
}

// beginBuild begins an item. Items are in one another, so that it is not pushed.
func (b *builder) beginBuild(t *thread, e *hitrace.Event) {
	if name, ok := b.intern(b.texts, hitrace.ParseComponent(e.Marker.Label()), e); ok {
		t.open.Keep(openSlice{word: e.Word, start: e.Time, component: name})
	}
}

func (b *builder) endBuild(t *thread, s *openSlice, e *hitrace.Event) {
	if e.Time < s.start || !b.mayKeep(&b.kept.builds, e) {
		return
	}
	b.components.builds = append(b.components.builds, build{t.pid, analyzer.Build{
		Component: s.component, Interval: analyzer.Interval{Start: s.start, End: e.Time}, Reused: s.word == hitrace.BuildRecycle,
	}})
}

func (b *builder) beginStateChange(t *thread, e *hitrace.Event) {
	change, ok := hitrace.ParseStateChange(e.Marker.Label())
	if !ok || !b.mayKeep(&b.kept.builds, e) {
		return
	}
	component, known := b.intern(b.texts, change.Component, e)
	variable, ok := b.intern(b.texts, change.Variable, e)
	if known && ok {
		b.components.changes = append(b.components.changes, stateChange{t.pid, analyzer.StateChange{Component: component, Variable: variable, At: e.Time, Nodes: change.Nodes}})
	}
}

func (*builder) beginMeasure(t *thread, _ *hitrace.Event) {
	if d := t.frame(); d != nil {
		d.frame.Measured++
	}
}

func (*builder) beginLayout(t *thread, _ *hitrace.Event) {
	if d := t.frame(); d != nil {
		d.frame.LaidOut++
	}
}

func (c *components) set(t *analyzer.Timeline, processes lives) {
	for _, x := range c.builds {
		if x.Process = processes.atTime(x.pid, x.Start); x.Process != nil {
			t.Builds = append(t.Builds, x.Build)
		}
	}
	for _, x := range c.changes {
		if x.Process = processes.atTime(x.pid, x.At); x.Process != nil {
			t.StateChanges = append(t.StateChanges, x.StateChange)
		}
	}
}
