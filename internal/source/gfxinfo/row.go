package gfxinfo

import (
	"bytes"
	"math"
	"strconv"

	"ohframe/analyzer/trace"
)

// column is a column that is read. Those from intendedVsync to frameCompleted are in
// the order in which a frame reaches them.
type column uint8

const (
	flags column = iota
	frameTimelineVsyncID
	frameDeadline
	frameInterval
	frameStartTime // read only to detect swapped columns
	intendedVsync
	vsync
	handleInputStart
	animationStart
	performTraversalsStart
	drawStart
	syncQueued
	syncStart
	issueDrawCommandsStart
	swapBuffers
	frameCompleted
	gpuCompleted
	displayPresentTime
	dequeueBufferDuration
	queueBufferDuration
	columns // number of columns
)

var columnNames = [columns]string{
	flags: "Flags", frameTimelineVsyncID: "FrameTimelineVsyncId", frameDeadline: "FrameDeadline", frameInterval: "FrameInterval",
	frameStartTime: "FrameStartTime",
	intendedVsync:  "IntendedVsync", vsync: "Vsync", handleInputStart: "HandleInputStart", animationStart: "AnimationStart",
	performTraversalsStart: "PerformTraversalsStart", drawStart: "DrawStart", syncQueued: "SyncQueued", syncStart: "SyncStart",
	issueDrawCommandsStart: "IssueDrawCommandsStart", swapBuffers: "SwapBuffers", frameCompleted: "FrameCompleted",
	gpuCompleted: "GpuCompleted", displayPresentTime: "DisplayPresentTime",
	dequeueBufferDuration: "DequeueBufferDuration", queueBufferDuration: "QueueBufferDuration",
}

// header has the position of each column in a row, or -1.
type header struct {
	at [columns]int
}

// parseHeader parses the header of a table and reports whether it has the columns
// that every frame needs.
func parseHeader(line []byte) (h header, ok bool) {
	for c := range h.at {
		h.at[c] = -1
	}
	i := 0
	for name := range bytes.SplitSeq(line, []byte{','}) {
		for c, known := range columnNames {
			if h.at[c] < 0 && string(bytes.TrimSpace(name)) == known {
				h.at[c] = i
			}
		}
		i++
	}
	return h, h.has(intendedVsync) && h.has(frameCompleted)
}

// isHeader reports whether the line is the header of a table, even without a marker
// before it.
func isHeader(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("Flags,")) {
		return false
	}
	_, ok := parseHeader(line)
	return ok
}

// isRow reports whether the line can be a row, possibly malformed, of a table
// without markers.
func isRow(line []byte) bool {
	return len(line) > 0 && line[0] >= '0' && line[0] <= '9' && bytes.IndexByte(line, ',') >= 0
}

func (h *header) has(c column) bool { return h.at[c] >= 0 }

// row has the values of a row; 0 is unknown.
type row [columns]int64

// unset is the value of a time that was never set, like 0.
const unset = math.MaxInt64

// parseRow parses a row. It reports whether the values are numbers and include
// those that every frame needs.
func (h *header) parseRow(line []byte) (r row, ok bool) {
	i, found := 0, 0
	for field := range bytes.SplitSeq(line, []byte{','}) {
		field = bytes.TrimSpace(field)
		for c, at := range h.at {
			if at != i || len(field) == 0 {
				continue
			}
			n, err := strconv.ParseInt(string(field), 10, 64)
			if err != nil {
				return r, false
			}
			if n == unset {
				n = 0
			}
			r[c] = n
			if column(c) == intendedVsync || column(c) == frameCompleted {
				found++
			}
		}
		i++
	}
	return r, found == 2
}

// finished reports whether the row has the begin and the end of a frame.
func (r *row) finished() bool {
	return r[intendedVsync] > 0 && r[frameCompleted] > r[intendedVsync] && r[frameCompleted] < trace.MaxTime
}

func (r *row) time(c column) trace.Time { return trace.Time(max(0, min(r[c], trace.MaxTime))) }

// between returns the time from one stage to a later one as hwui counts it: without
// the time for which the UI thread waited for the previous frame. It is 0 if either
// is unknown.
func (r *row) between(from, to column) trace.Duration {
	start, end := r.time(from), r.time(to)
	if start == 0 || end == 0 {
		return 0
	}
	took := end.Sub(start)
	if queued, sync := r.time(syncQueued), r.time(syncStart); from < syncQueued && to > syncQueued && queued.Known() {
		took -= max(0, sync.Sub(queued))
	}
	return max(0, took)
}
