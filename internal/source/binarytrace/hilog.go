package binarytrace

import (
	"math"

	"ohframe/internal/source/kernel"
)

// Numbers of fields of messages of hilog-plugin.
//
// Source: openharmony/developtools_profiler, hilog_plugin_result.proto.
const (
	logLine = 1 // of HilogInfo, repeated

	lineDetail  = 1
	lineContext = 2

	logSeconds = 1
	logNanos   = 2
	logPID     = 3
	logTID     = 4
	logLevel   = 5
	logTag     = 6
)

// maxLogText is the maximum size of a message or a tag of hilog in bytes. hilog cuts messages at that.
const maxLogText = 4 << 10

// LogMessage is a message of hilog.
type LogMessage struct {
	Unix     int64 // nanoseconds since 1970
	PID, TID int32
	Level    byte // D, I, W, E or F
	// Tag and Text need not be UTF-8.
	Tag, Text []byte
}

// logData counts what is wrong with the messages of a segment of hilog-plugin, which is at an
// offset of the file, and keeps where they are.
func (r *Reader) logData(data []byte, at int64, cut bool) {
	r.keepSegment(&r.logs, logsOver, logLine, data, at, cut, func(line []byte) {
		switch _, long, ok := logMessage(line); {
		case !ok:
			r.log.Add(badLog)
		case long:
			r.log.Add(longLog)
		}
	})
}

// HasLog reports whether hilog-plugin wrote data.
func (r *Reader) HasLog() bool { return len(r.logs) > 0 }

// Log calls yield for each message of hilog, in the order of the file. Tag and Text are valid
// until yield returns. The error is that of the file.
func (r *Reader) Log(yield func(*LogMessage)) error {
	return r.readSegments(r.logs, logLine, func(line []byte) {
		if m, _, ok := logMessage(line); ok {
			yield(&m)
		}
	})
}

// logMessage reads a HilogLine. long says that it was cut to the limit, ok that its time and
// level are understood.
func logMessage(data []byte) (m LogMessage, long, ok bool) {
	var line, detail kernel.Values
	if !line.Read(data) || !detail.Read(line.Texts[lineDetail]) {
		return m, false, false
	}
	seconds, nanos := detail.Numbers[logSeconds], detail.Numbers[logNanos]
	pid, tid := detail.Numbers[logPID], detail.Numbers[logTID]
	if seconds == 0 || seconds >= maxUnix/1e9 || nanos >= 1e9 || pid > math.MaxInt32 || tid > math.MaxInt32 {
		return m, false, false
	}
	m = LogMessage{
		Unix: int64(seconds*1e9 + nanos), PID: int32(pid), TID: int32(tid),
		Tag: detail.Texts[logTag], Text: line.Texts[lineContext],
	}
	switch level := detail.Numbers[logLevel]; level {
	case 'D', 'I', 'W', 'E', 'F':
		m.Level = byte(level)
	case 3, 4, 5, 6, 7: // hilog's own numbers
		m.Level = "DIWEF"[level-3]
	default:
		return m, false, false
	}
	if len(m.Tag) > maxLogText || len(m.Text) > maxLogText {
		m.Tag, m.Text, long = m.Tag[:min(len(m.Tag), maxLogText)], m.Text[:min(len(m.Text), maxLogText)], true
	}
	return m, long, true
}
