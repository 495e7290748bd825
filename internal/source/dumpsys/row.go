package dumpsys

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

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
	oldestInputEvent
	columns // number of columns
)

var columnNames = [columns]string{
	flags: "Flags", frameTimelineVsyncID: "FrameTimelineVsyncId", frameDeadline: "FrameDeadline", frameInterval: "FrameInterval",
	intendedVsync: "IntendedVsync", vsync: "Vsync", handleInputStart: "HandleInputStart", animationStart: "AnimationStart",
	performTraversalsStart: "PerformTraversalsStart", drawStart: "DrawStart", syncQueued: "SyncQueued", syncStart: "SyncStart",
	issueDrawCommandsStart: "IssueDrawCommandsStart", swapBuffers: "SwapBuffers", frameCompleted: "FrameCompleted",
	gpuCompleted: "GpuCompleted", displayPresentTime: "DisplayPresentTime",
	dequeueBufferDuration: "DequeueBufferDuration", queueBufferDuration: "QueueBufferDuration",
	oldestInputEvent: "OldestInputEvent",
}

// notFrames are the flags SurfaceCanvas, which JankTracker exempts from jank, and
// SkippedFrame: such a frame was not drawn, and the FrameCompleted of its row is that of
// an earlier frame. Rows with other flags are frames.
//
// Source: AOSP, hwui's FrameInfo.h, FrameInfoFlags.
const notFrames = 4 | 8

// header has the position of each column in a row, or -1.
type header [columns]int

// parseHeader parses the header of a table.
func parseHeader(line []byte) *header {
	names := strings.Split(strings.ReplaceAll(string(line), " ", ""), ",")
	h := &header{}
	for c, name := range columnNames {
		h[c] = slices.Index(names, name)
	}
	// All versions print the start before the interval. In Android 12 to 14 the names are
	// in the opposite order: FrameInfoNames in hwui's FrameInfo.cpp differed from enum
	// FrameInfoIndex in FrameInfo.h.
	if h[frameInterval] >= 0 {
		h[frameInterval] = max(h[frameInterval], slices.Index(names, "FrameStartTime"))
	}
	return h
}

func (h *header) has(c column) bool { return h[c] >= 0 }

// usable reports whether the table has the columns that every frame needs.
func (h *header) usable() bool { return h.has(intendedVsync) && h.has(frameCompleted) }

// isHeader reports whether the line is the header of a table, even without a marker
// before it.
func isHeader(line []byte) bool {
	return bytes.HasPrefix(line, []byte("Flags,")) && parseHeader(line).usable()
}

// isRow reports whether the line can be a row, possibly malformed, of a table
// without markers.
func isRow(line []byte) bool {
	return len(line) > 0 && line[0] >= '0' && line[0] <= '9' && bytes.IndexByte(line, ',') >= 0
}

// row has the values of a row; 0 is unknown.
type row [columns]int64

// unset is the value of a time that was never set, like 0.
const unset = math.MaxInt64

// parseRow parses a row. It reports whether the values are numbers and include
// those that every frame needs.
func (h *header) parseRow(line []byte) (r row, ok bool) {
	fields := bytes.Split(line, []byte{','})
	for c, at := range h {
		if at < 0 || at >= len(fields) || len(bytes.TrimSpace(fields[at])) == 0 {
			if column(c) == intendedVsync || column(c) == frameCompleted {
				return r, false
			}
			continue
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(fields[at])), 10, 64)
		if err != nil {
			return r, false
		}
		if n != unset {
			r[c] = n
		}
	}
	return r, true
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
