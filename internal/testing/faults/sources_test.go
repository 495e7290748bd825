package faults

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/tracetest"
)

// source is a trace without damage.
type source struct {
	name     string
	lines    [][]byte
	events   map[int]hitrace.Event // by the index of the line
	markers  []int                 // lines with a marker that matters for frames
	timeline *analyzer.Timeline
}

func newSource(t testing.TB, name string, text []byte) *source {
	t.Helper()
	s := &source{name: name, lines: slices.Collect(bytes.Lines(text)), events: map[int]hitrace.Event{}}
	for _, e := range tracetest.Events(t, string(text)) {
		s.events[int(e.Number)-1] = e
		if e.Word != hitrace.Other {
			s.markers = append(s.markers, int(e.Number)-1)
		}
	}
	s.timeline = analyze(t, text, 1, analysis.FrameOptions{})
	return s
}

// timeAt returns the time of the first event from a line on, or of the last event.
func (s *source) timeAt(line int) (at trace.Time) {
	for i := range s.lines {
		if e, ok := s.events[i]; ok {
			if at = e.Time; i >= line {
				break
			}
		}
	}
	return at
}

func analyze(t testing.TB, text []byte, workers int, options analysis.FrameOptions) *analyzer.Timeline {
	t.Helper()
	timeline := must.Get(analysis.Run(context.Background(), bytes.NewReader(text), hitrace.Options{Workers: workers}, options, analysis.Options{}))(t).Timeline
	return timeline
}

var (
	sourcesOnce sync.Once
	sourcesList []*source
)

// sources returns the traces of tracetest.Paths, one of each spelling, and some with scenes, launches and layers.
func sources(t *testing.T) []*source {
	sourcesOnce.Do(func() { sourcesList = readSources(t) })
	return sourcesList
}

func readSources(t *testing.T) []*source {
	var list []*source
	for _, path := range tracetest.Paths(t) {
		name := strings.ReplaceAll(strings.TrimSuffix(tracetest.Name(path), ".ftrace"), "/", ":") // names of cases have slashes
		list = append(list, newSource(t, name, []byte(tracetest.Read(t, path))))
	}
	for i, era := range []string{"5.0.3", "5.1.0", "6.0", "harmonyos-6.1", "master"} {
		config := simulate.Everything()
		config.Seed, config.Era, config.ClockOffset = uint64(20+i), era, trace.Duration(i%3)*4000*trace.Second
		config.CutStart, config.CutEnd = i%2 == 1, i%4 == 1
		config.Kernel = simulate.Kernel([]string{"linux", "", "hongmeng"}[i%3])
		config.Text = simulate.Text{
			Header: simulate.HeaderNarrow, CRLF: i%4 == 2, Nanoseconds: i == 3,
			TGID: []simulate.TGID{simulate.TGIDNarrow, simulate.TGIDDashes, simulate.TGIDWide, simulate.TGIDAbsent}[i%4],
		}
		var text bytes.Buffer
		must.Get(simulate.Write(&text, config))(t)
		list = append(list, newSource(t, fmt.Sprintf("simulated-%s", era), text.Bytes()))
	}
	layers, frameworks := simulate.BadLayers()["drop newest"], simulate.Layered()
	layers.Kernel, layers.Duration, frameworks.Duration = simulate.KernelLinux, 400*trace.Millisecond, 300*trace.Millisecond
	for name, config := range map[string]simulate.Config{
		"interrupted": simulate.BadScenes()["interrupted"], "launches-at-once": simulate.BadScenes()["launches at once"], "layers": layers, "frameworks": frameworks,
	} {
		var text bytes.Buffer
		must.Get(simulate.Write(&text, config))(t)
		list = append(list, newSource(t, name, text.Bytes()))
	}
	slices.SortFunc(list, func(a, b *source) int { return strings.Compare(a.name, b.name) })
	return list
}
