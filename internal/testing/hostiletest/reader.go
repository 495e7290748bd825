package hostiletest

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// Input is an input of any length that no device writes.
type Input struct {
	Name string
	// Head is the beginning of the input. With it alone there is a timeline.
	Head []byte
	// Append appends the i-th of the pieces after the head.
	Append func(b []byte, i int) []byte
	// Pieces is the number of pieces, if not that of the reader. An input with large
	// pieces has a number of its own.
	Pieces int
	// Warning is in the warnings that reading with small limits gives. If it is
	// empty, no limit is reached.
	Warning string
}

// Lines returns an Append function for pieces of text.
func Lines(piece func(i int) string) func([]byte, int) []byte {
	return func(b []byte, i int) []byte { return append(b, piece(i)...) }
}

// Stream returns a reader of n pieces, which are made as they are read.
func Stream(n int, piece func(b []byte, i int) []byte) io.Reader {
	return &stream{n: n, piece: piece}
}

type stream struct {
	n, next      int
	piece        func(b []byte, i int) []byte
	buffer, rest []byte
}

func (s *stream) Read(b []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.next == s.n {
			return 0, io.EOF
		}
		s.rest = s.buffer[:0]
		for len(s.rest) < 64<<10 && s.next < s.n {
			s.rest = s.piece(s.rest, s.next)
			s.next++
		}
		s.buffer = s.rest
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Reader is what reads one kind of input, and the inputs to check it with.
type Reader struct {
	// Read returns the timeline and the warnings.
	Read   func(ctx context.Context, r io.Reader, l trace.Limits) (*analyzer.Timeline, []string, error)
	Inputs []Input
	// Pieces is the number of pieces to read with Small limits, which must need at
	// most Heap bytes of heap. A tenth of them must exceed the limits.
	Pieces int
	Small  trace.Limits
	Heap   uint64
	// Frames and Processes are their maximum numbers with small limits.
	Frames, Processes int
}

// With default limits an input has more pieces than any limit, or many times as many
// large ones as with small limits.
const (
	manyPieces = 1_100_000
	manyTimes  = 15
	manyHeap   = 4 << 30
)

// Check reads each input with small limits. If slow tests run, it also compares
// times, and reads with default limits.
func (r Reader) Check(t *testing.T) {
	t.Run("memory", func(t *testing.T) { r.each(t, r.checkMemory) })
	t.Run("time", func(t *testing.T) { slow.Skip(t); r.each(t, r.checkTime) })
	t.Run("defaults", func(t *testing.T) { slow.Skip(t); r.each(t, r.checkDefaults) })
}

func (r Reader) each(t *testing.T, check func(t *testing.T, in Input)) {
	for _, in := range r.Inputs {
		t.Run(in.Name, func(t *testing.T) { check(t, in) })
	}
}

// read returns the valid timeline of an input and its warnings.
func (r Reader) read(t *testing.T, in Input, rest io.Reader, l trace.Limits) (*analyzer.Timeline, []string) {
	t.Helper()
	timeline, warnings := must.Get2(r.Read(t.Context(), io.MultiReader(bytes.NewReader(in.Head), rest), l))(t)
	return timeline, warnings
}

// checkMemory checks that memory stays within small limits, and that a warning
// reports what was left out.
func (r Reader) checkMemory(t *testing.T, in Input) {
	n := r.Pieces
	if in.Pieces > 0 {
		n = in.Pieces
	}
	CheckPeak(t, r.Heap, func() {
		timeline, warnings := r.read(t, in, Stream(slow.Of(n/10, n), in.Append), r.Small)
		if err := timeline.Validate(); err != nil {
			t.Error(err)
		}
		if len(timeline.Frames) > r.Frames || len(timeline.Processes) > r.Processes {
			t.Errorf("%d frames, %d processes", len(timeline.Frames), len(timeline.Processes))
		}
		text := strings.Join(warnings, "\n")
		if !strings.Contains(text, in.Warning) || in.Warning == "" && strings.Contains(text, "(limit: ") {
			t.Errorf("warnings %.2000q, want %q in them", text, in.Warning)
		}
		if len(text) > 1000 || strings.Contains(text, "\x1b") {
			t.Errorf("warnings for a terminal: %.2000q", text)
		}
	})
}

func (r Reader) checkTime(t *testing.T, in Input) {
	n := r.Pieces / 4
	if in.Pieces > 0 {
		n = in.Pieces / 4
	}
	CheckLinear(t, n, func(n int) func() {
		input := must.Get(io.ReadAll(Stream(n, in.Append)))(t)
		return func() { r.read(t, in, bytes.NewReader(input), trace.Limits{}) }
	})
}

func (r Reader) checkDefaults(t *testing.T, in Input) {
	n := manyPieces
	if in.Pieces > 0 {
		n = manyTimes * in.Pieces
	}
	CheckPeak(t, manyHeap, func() { r.read(t, in, Stream(n, in.Append), trace.Limits{}) })
}
