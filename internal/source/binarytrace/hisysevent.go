package binarytrace

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
	if len(data) == 0 {
		return
	}
	if len(r.reports) == maxLogs {
		r.log.Add(eventsOver)
		return
	}
	r.reports = append(r.reports, Section{at, int64(len(data))})
	f := fields{rest: data, cut: cut}
	for f.next() {
		if text, ok := eventText(&f); ok && len(text) > maxEventText {
			r.log.Add(longEvent)
		}
	}
	if f.bad {
		r.log.Add(badMessage)
	}
}

// HasSystemEvents reports whether hisysevent-plugin wrote data.
func (r *Reader) HasSystemEvents() bool { return len(r.reports) > 0 }

// SystemEvents calls yield for each event of the system, in the order of the file: a line of
// `hisysevent -r`, which should be JSON. It is valid until yield returns. The error is that of the
// file.
func (r *Reader) SystemEvents(yield func([]byte)) error {
	var data []byte
	for _, s := range r.reports {
		data = append(data[:0], make([]byte, s.Size)...)
		if err := readAt(r.in, data, s.At); err != nil {
			return err
		}
		for f := (fields{rest: data, cut: true}); f.next(); {
			if text, ok := eventText(&f); ok && len(text) <= maxEventText {
				yield(text)
			}
		}
	}
	return nil
}

// eventText returns the text of a field that is an event.
func eventText(f *fields) (text []byte, ok bool) {
	if f.number != eventLine || !f.isBytes || f.cutShort {
		return nil, false
	}
	var line message
	if !line.read(f.data, eventContent) {
		return nil, false
	}
	return line.texts[eventContent], true
}
