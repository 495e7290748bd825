package exporter

import (
	"strings"
	"testing"

	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/hitracetest"
)

// markerTables are what Perfetto should make of a trace's markers.
type markerTables struct {
	slices    rows // on threads, with instants: ts, dur, name, depth, tid, parent's ts and name
	async     rows // ts, dur, name, track, pid
	counters  rows // ts, value, name, pid
	unmatched int  // ends without a begin
	markers   int
}

// begun is a slice that has begun.
type begun struct {
	at     int64
	name   string
	depth  int
	parent *begun
	pid    int64
	track  string
	ended  int64 // -1 if never
	tid    int64
}

func (s *begun) duration() int64 {
	if s.ended < 0 {
		return -1
	}
	return s.ended - s.at
}

// threadStack is the slices that are open on a thread, and the instants on top:
// they nest in each other where they are of the same time.
type threadStack struct {
	open     []*begun
	instants []*begun
}

func (s *threadStack) top(at int64) *begun {
	if n := len(s.instants); n > 0 && s.instants[n-1].at == at {
		return s.instants[n-1]
	}
	s.instants = nil
	if n := len(s.open); n > 0 {
		return s.open[n-1]
	}
	return nil
}

// asyncKey is what tells one asynchronous slice from another: the name of it,
// or of its track, and the cookie.
type asyncKey struct {
	pid     int64
	onTrack bool
	name    string
	cookie  int64
}

// asyncState is what is open under one key. On named tracks slices nest. Of
// other slices Perfetto shows only one at a time: a second begin does not count.
type asyncState struct {
	count int
	open  []*begun
}

// begin takes note of a slice's begin and reports whether it is shown.
func (s *asyncState) begin(b *begun, nests bool) bool {
	s.count++
	if len(s.open) > 0 && !nests {
		return false
	}
	s.open = append(s.open, b)
	return true
}

// end takes note of an end and reports whether it has a begin.
func (s *asyncState) end(at int64) bool {
	if s.count == 0 {
		return false
	}
	s.count--
	if n := len(s.open); n > 0 {
		s.open[n-1].ended = at
		s.open = s.open[:n-1]
	}
	return true
}

// markersOf derives the tables from the text: a stack for each thread.
func markersOf(t *testing.T, text string) markerTables {
	t.Helper()
	var (
		tables  markerTables
		sliced  []*begun
		ordered []*begun
		stacks  = map[int64]*threadStack{}
		process = map[int64]int64{}
		open    = map[asyncKey]*asyncState{}
	)
	for _, e := range hitracetest.Events(t, text) {
		m := &e.Marker
		if m.Phase == hitrace.NotAMarker {
			continue
		}
		tables.markers++
		at, tid := int64(e.Time), int64(e.TID)
		// The line's column is right; the payload's number may be a container's.
		if _, known := process[tid]; e.PID >= 0 {
			process[tid] = int64(e.PID)
		} else if !known && m.PID >= 0 {
			process[tid] = int64(m.PID)
		}
		pid := process[tid]
		stack := stacks[tid]
		if stack == nil {
			stack = &threadStack{}
			stacks[tid] = stack
		}
		name := string(m.Name)
		// Android's grammar has no bars but in the names of slices on threads.
		field, track := strings.ReplaceAll(name, "|", "¦"), strings.ReplaceAll(string(m.Track), "|", "¦")
		switch m.Phase {
		case hitrace.Begin:
			if name == "" {
				name = "[empty slice name]"
			}
			stack.instants = nil
			s := &begun{at: at, name: name, depth: len(stack.open), parent: stack.top(at), tid: tid, ended: -1}
			stack.open = append(stack.open, s)
			sliced = append(sliced, s)
		case hitrace.End:
			n := len(stack.open)
			if n == 0 {
				tables.unmatched++
				continue
			}
			stack.instants = nil
			stack.open[n-1].ended = at
			stack.open = stack.open[:n-1]
		case hitrace.Instant:
			parent := stack.top(at)
			s := &begun{at: at, name: field, depth: len(stack.open) + len(stack.instants), parent: parent, tid: tid, ended: at}
			stack.instants = append(stack.instants, s)
			sliced = append(sliced, s)
		case hitrace.Counter:
			tables.counters.add(at, float64(m.Value), field, pid)
		case hitrace.TrackInstant:
			ordered = append(ordered, &begun{at: at, name: field, track: track, pid: pid, ended: at})
		case hitrace.AsyncBegin, hitrace.TrackBegin, hitrace.AsyncEnd, hitrace.TrackEnd:
			onTrack := m.Phase == hitrace.TrackBegin || m.Phase == hitrace.TrackEnd
			if !onTrack {
				track = field
			}
			k := asyncKey{pid, onTrack, track, m.Value}
			if open[k] == nil {
				open[k] = &asyncState{}
			}
			if m.Phase == hitrace.AsyncEnd || m.Phase == hitrace.TrackEnd {
				if !open[k].end(at) {
					tables.unmatched++
				}
				continue
			}
			if s := (&begun{at: at, name: field, track: track, pid: pid, ended: -1}); open[k].begin(s, onTrack) {
				ordered = append(ordered, s)
			}
		}
	}
	for _, s := range sliced {
		var parentAt, parentName any
		if s.parent != nil {
			parentAt, parentName = s.parent.at, s.parent.name
		}
		tables.slices.add(s.at, s.duration(), s.name, s.depth, s.tid, parentAt, parentName)
	}
	for _, s := range ordered {
		tables.async.add(s.at, s.duration(), s.name, s.track, s.pid)
	}
	return tables
}
