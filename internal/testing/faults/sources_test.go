package faults

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/hitracetest"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/tracetest"
)

// source is a trace that is whole, and what is known of it.
type source struct {
	name  string
	text  []byte
	start []int // of each line, and the end of the last
	lines []line
	// telling are the lines of threads that frames are made on: those whose loss
	// may cost a frame.
	telling []int
	frames  []*footprint // of complete frames
	// timelines: with the offset inferred and with that offset given.
	inferred, given *analyzer.Timeline
	offset          trace.Duration
	// took is how long it takes to analyze the trace.
	took time.Duration
}

// line is a line of a source: its event, as far as it has one.
type line struct {
	hitrace.Event
	ok bool
}

// parse reads a line by itself.
func parse(text []byte) line {
	var l line
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if events, _, err := hitracetest.Read(bytes.NewReader(text), hitrace.Options{Workers: 1}); err == nil && len(events) > 0 {
		l.Event, l.ok = events[0], true
	}
	return l
}

// eventsOf reads all events of a text.
func eventsOf(t testing.TB, text []byte) []line {
	var list []line
	for _, e := range hitracetest.Events(t, string(text)) {
		list = append(list, line{e, true})
	}
	return list
}

func newSource(t testing.TB, name string, text []byte) *source {
	t.Helper()
	s := &source{name: name, text: text}
	at := 0
	for l := range bytes.Lines(text) {
		s.start = append(s.start, at)
		at += len(l)
	}
	s.start = append(s.start, at)
	s.lines = make([]line, len(s.start)-1)
	for _, l := range eventsOf(t, text) {
		s.lines[l.Number-1] = l
	}
	begin := time.Now()
	s.inferred = analyze(t, text, 1, analyzer.Options{})
	s.took = time.Since(begin)
	s.offset = s.inferred.Clock.Offset
	s.given = analyze(t, text, 1, analyzer.Options{ClockOffset: &s.offset})
	s.frames = footprints(s)
	threads := map[trace.TID]bool{}
	for i := range s.lines {
		if s.lines[i].Word != hitrace.Other {
			threads[s.lines[i].TID] = true
		}
	}
	for i := range s.lines {
		if l := &s.lines[i]; l.Kind == hitrace.MarkerEvent && l.ok && threads[l.TID] {
			s.telling = append(s.telling, i)
		}
	}
	return s
}

func (s *source) count() int { return len(s.lines) }

// line returns the bytes of a line with its line end.
func (s *source) line(i int) []byte { return s.text[s.start[i]:s.start[i+1]] }

func analyze(t testing.TB, text []byte, workers int, options analyzer.Options) *analyzer.Timeline {
	t.Helper()
	timeline, _, err := analyzer.Analyze(context.Background(), bytes.NewReader(text), hitrace.Options{Workers: workers}, options)
	if err != nil {
		t.Fatal(err)
	}
	return timeline
}

var waiting = regexp.MustCompile(`Waiting for Present ?Fence\S* \d+`)

var (
	sourcesOnce sync.Once
	sourcesList []*source
)

// sources returns the traces of tracetest.Paths and some of each spelling, made
// here.
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
	for i, era := range []string{"3.2", "4.0", "4.1", "5.0.3", "5.1.0", "6.0", "harmonyos-6.1", "master"} {
		config := simulate.Everything()
		config.Seed, config.Era, config.ClockOffset = uint64(20+i), era, trace.Duration(i%3)*4000*trace.Second
		config.CutStart, config.CutEnd = i%2 == 1, i%4 == 1
		config.Kernel = simulate.Kernel([]string{"linux", "", "hongmeng"}[i%3])
		config.Text = simulate.Text{
			Header: simulate.HeaderNarrow, CRLF: i%4 == 2, Nanoseconds: i == 3,
			TGID: []simulate.TGID{simulate.TGIDNarrow, simulate.TGIDDashes, simulate.TGIDWide, simulate.TGIDAbsent}[i%4],
		}
		var text bytes.Buffer
		if _, err := simulate.Write(&text, config); err != nil {
			t.Fatal(err)
		}
		list = append(list, newSource(t, fmt.Sprintf("simulated-%s", era), text.Bytes()))
	}
	// Where fences were signaled before the trace, those who wait for them count
	// differently.
	last := list[len(list)-1].text
	ahead := waiting.ReplaceAllFunc(last, func(m []byte) []byte {
		at := bytes.LastIndexByte(m, ' ') + 1
		n, err := strconv.Atoi(string(m[at:]))
		if err != nil {
			t.Fatal(err)
		}
		return strconv.AppendInt(bytes.Clone(m[:at]), int64(n+1000), 10)
	})
	return append(list, newSource(t, "fences-counted-differently", ahead))
}
