package gfxinfo

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Line is a line of a summary.
type Line uint8

// The lines, in the order in which gfxinfo prints them. Percentiles are in
// milliseconds, all others are numbers of frames. Earlier versions have fewer.
const (
	TotalFrames Line = iota
	JankyFrames
	JankyFramesLegacy
	Percentile50
	Percentile90
	Percentile95
	Percentile99
	MissedVsync
	HighInputLatency
	SlowUIThread
	SlowBitmapUploads
	SlowIssueDrawCommands
	MissedDeadline
	MissedDeadlineLegacy
	linesCount // how many there are
)

var lineNames = [linesCount]string{
	"Total frames rendered", "Janky frames", "Janky frames (legacy)",
	"50th percentile", "90th percentile", "95th percentile", "99th percentile",
	"Number Missed Vsync", "Number High input latency", "Number Slow UI thread", "Number Slow bitmap uploads",
	"Number Slow issue draw commands", "Number Frame deadline missed", "Number Frame deadline missed (legacy)",
}

// Lines returns all lines, in their order.
func Lines() []Line {
	list := make([]Line, linesCount)
	for i := range list {
		list[i] = Line(i)
	}
	return list
}

// String returns what stands before the colon.
func (l Line) String() string { return lineNames[l] }

// Summary is what gfxinfo says of many frames at once: printed in a dump, or
// computed from its rows.
type Summary struct {
	values [linesCount]int
	known  [linesCount]bool
	// Histogram has all buckets, or none if there is no such line.
	Histogram []Bucket
}

// Value returns the number of a line, and whether there is such a line.
func (s *Summary) Value(l Line) (int, bool) { return s.values[l], s.known[l] }

func (s *Summary) set(l Line, n int) { s.values[l], s.known[l] = n, true }

func (s *Summary) add(l Line, n int) { s.set(l, s.values[l]+n) }

// String returns the summary as gfxinfo prints it.
func (s *Summary) String() string {
	var b strings.Builder
	for _, l := range Lines() {
		n, ok := s.Value(l)
		switch {
		case !ok:
		case l == JankyFrames || l == JankyFramesLegacy:
			share := float32(0) // of single precision, as hwui's
			if total := s.values[TotalFrames]; total > 0 {
				share = float32(n) / float32(total) * 100
			}
			fmt.Fprintf(&b, "%s: %d (%.2f%%)\n", l, n, share)
		case l >= Percentile50 && l <= Percentile99:
			fmt.Fprintf(&b, "%s: %dms\n", l, n)
		default:
			fmt.Fprintf(&b, "%s: %d\n", l, n)
		}
	}
	if len(s.Histogram) > 0 {
		b.WriteString("HISTOGRAM:")
		for _, bucket := range s.Histogram {
			fmt.Fprintf(&b, " %dms=%d", bucket.Milliseconds, bucket.Frames)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// parseLine takes a line of a dump and reports whether it is one of a summary.
func (s *Summary) parseLine(line []byte) bool {
	name, rest, ok := bytes.Cut(line, []byte{':'})
	if !ok {
		return false
	}
	if string(name) == "HISTOGRAM" {
		s.Histogram = parseHistogram(rest)
		return true
	}
	for l, known := range lineNames {
		if string(name) != known {
			continue
		}
		rest = bytes.TrimSpace(rest)
		digits := bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if digits >= 0 {
			rest = rest[:digits]
		}
		n, err := strconv.Atoi(string(rest))
		if err != nil {
			return false
		}
		s.set(Line(l), n)
		return true
	}
	return false
}

// parseHistogram returns the buckets of a line "5ms=978 6ms=458 …".
func parseHistogram(line []byte) []Bucket {
	var list []Bucket
	for field := range bytes.FieldsSeq(line) {
		name, count, _ := bytes.Cut(field, []byte("ms="))
		ms, err1 := strconv.Atoi(string(name))
		frames, err2 := strconv.Atoi(string(count))
		if err1 == nil && err2 == nil && len(list) < bucketsCount {
			list = append(list, Bucket{ms, frames})
		}
	}
	return list
}
