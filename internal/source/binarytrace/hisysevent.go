package binarytrace

import "ohframe/internal/source/kernel"

// Numbers of fields of messages of hisysevent-plugin.
//
// Source: openharmony/developtools_profiler, hisysevent_plugin_result.proto.
const (
	eventLine    = 1 // of HisyseventInfo, repeated
	eventContent = 1 // a line of `hisysevent -rd`
)

// maxEventText is the maximum size of an event of the system in bytes. The plugin cuts lines at that.
const maxEventText = 256 << 10

// eventData counts what is wrong with the events of a segment of hisysevent-plugin, which is at an
// offset of the file, and keeps where they are.
func (r *Reader) eventData(data []byte, at int64, cut bool) {
	r.keepSegment(&r.reports, eventsOver, eventLine, data, at, cut, func(line []byte) {
		if text, ok := eventText(line); ok && len(text) > maxEventText {
			r.log.Add(longEvent)
		}
	})
}

// HasSystemEvents reports whether hisysevent-plugin wrote data.
func (r *Reader) HasSystemEvents() bool { return len(r.reports) > 0 }

// SystemEvents calls yield for each event of the system, in the order of the file: a line of
// `hisysevent -r`, which should be JSON. It is valid until yield returns. The error is that of the
// file.
func (r *Reader) SystemEvents(yield func([]byte)) error {
	return r.readSegments(r.reports, eventLine, func(line []byte) {
		if text, ok := eventText(line); ok && len(text) <= maxEventText {
			yield(text)
		}
	})
}

// eventText returns the text of a HisyseventLine.
func eventText(data []byte) (text []byte, ok bool) {
	var line kernel.Values
	if !line.Read(data) {
		return nil, false
	}
	return line.Texts[eventContent], true
}
