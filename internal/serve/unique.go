package serve

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
)

// File is a trace that can be changed.
type File interface {
	io.ReaderAt
	io.WriterAt
}

// MakeUnique makes the slice that the view selects the only one of its start and duration, in a
// trace that ohframe converted: it ends a nanosecond earlier, and with it the view's interval. The
// UI finds a slice by these two alone. The slice of a frame on the Actual Timeline has the same ones
// as that on Frames, and so may that of a marker. A trace of others, and a compressed one, is left
// as it is: the UI then selects the first slice with the times.
func (v *View) MakeUnique(file File, size int64) error {
	if !v.Selected.Known() {
		return nil
	}
	own := *v // on the clock of its trace
	own.Selected = moved(v.Selected, -v.side.Moved)
	if v.side.Size > 0 {
		size = v.side.Size
	}
	s := search{View: &own, tracks: map[uint64]track{}, within: map[uint64][]end{}, closed: map[uint64][]end{}}
	ends, err := s.find(bufio.NewReaderSize(io.NewSectionReader(file, v.side.Offset, size), 1<<20))
	if err != nil || ends == nil {
		return err
	}
	for i, e := range ends { // the innermost first, so that each contains those before it
		at := protowire.AppendVarint(nil, uint64(own.Selected.End)-uint64(len(ends)-i))
		for len(at) < e.length { // a number may have more bytes than it needs
			at[len(at)-1] |= 0x80
			at = append(at, 0)
		}
		if _, err := file.WriteAt(at, v.side.Offset+e.offset); err != nil {
			return err
		}
	}
	v.Selected.End--
	return nil
}

// search looks for the slice of a view in the packets of a trace.
type search struct {
	*View
	tracks map[uint64]track
	// within are the slices that are open on tracks, from one that may be the view's on, closed
	// those in it that ended at its end.
	within, closed map[uint64][]end
}

// track is a track by its own id.
type track struct {
	parent uint64
	pid    int32
	name   string
}

// end is where a packet has the time at which a slice ends.
type end struct {
	offset int64
	length int
	// last is when the last slice in it began, or it did itself.
	last trace.Time
}

// Fields of Trace and TracePacket.
const (
	packetField     = 1
	timestampField  = 8
	trackEventField = 11
	descriptorField = 60
)

// largest is the size of a packet up to which it may be one of a track.
const largest = 1 << 20

// find returns the ends of the view's slice, and of those within it that end at the same time,
// the innermost first; nil if there is no such slice, or it is too short.
func (s *search) find(r *bufio.Reader) ([]end, error) {
	for offset := int64(0); ; {
		head, err := r.Peek(2 + 10)
		if len(head) == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return nil, err
		}
		field, kind, n := protowire.ConsumeTag(head)
		if n < 0 || field != packetField || kind != protowire.BytesType {
			return nil, nil
		}
		length, m := protowire.ConsumeVarint(head[n:])
		if m < 0 {
			return nil, nil
		}
		r.Discard(n + m)
		offset += int64(n + m)
		if length > largest {
			if _, err := r.Discard(int(length)); err != nil {
				return nil, nil
			}
			offset += int64(length)
			continue
		}
		packet, err := r.Peek(int(length))
		if err != nil {
			return nil, nil
		}
		if ends := s.packet(packet, offset); ends != nil {
			return ends, nil
		}
		r.Discard(int(length))
		offset += int64(length)
	}
}

// packet reads a packet. It returns the ends once the slice of the view ends.
func (s *search) packet(packet []byte, offset int64) []end {
	var at trace.Time
	var found end
	for b := packet; len(b) > 0; {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil
		}
		switch {
		case field == timestampField && kind == protowire.VarintType:
			value, m := protowire.ConsumeVarint(b[n:])
			if m < 0 {
				return nil
			}
			at, found = trace.Time(value), end{offset: offset + int64(len(packet)-len(b)+n), length: m}
		case field == descriptorField && kind == protowire.BytesType:
			content, _ := protowire.ConsumeBytes(b[n:])
			var d perfettopb.TrackDescriptor
			if proto.Unmarshal(content, &d) == nil {
				s.tracks[d.GetUuid()] = track{d.GetParentUuid(), d.GetProcess().GetPid(), d.GetName()}
			}
			return nil
		case field == trackEventField && kind == protowire.BytesType:
			content, _ := protowire.ConsumeBytes(b[n:])
			var e perfettopb.TrackEvent
			if proto.Unmarshal(content, &e) == nil {
				return s.event(&e, at, found)
			}
			return nil
		}
		m := protowire.ConsumeFieldValue(field, kind, b[n:])
		if m < 0 {
			return nil
		}
		b = b[n+m:]
	}
	return nil
}

func (s *search) event(e *perfettopb.TrackEvent, at trace.Time, found end) []end {
	id := e.GetTrackUuid()
	open := s.within[id]
	switch e.GetType() {
	case perfettopb.TrackEvent_TYPE_SLICE_BEGIN:
		if len(open) > 0 || at == s.Selected.Start && s.isOn(id) {
			for i := range open {
				open[i].last = at
			}
			s.within[id] = append(open, end{last: at})
		}
	case perfettopb.TrackEvent_TYPE_SLICE_END:
		if len(open) == 0 {
			break
		}
		last := open[len(open)-1]
		s.within[id] = open[:len(open)-1]
		if at == s.Selected.End {
			s.closed[id] = append(s.closed[id], end{found.offset, found.length, last.last})
		}
		if len(open) > 1 {
			break
		}
		ends := s.closed[id]
		delete(s.closed, id)
		if at != s.Selected.End {
			break
		}
		for i := range ends {
			// No slice may end before one in it begins.
			if ends[i].last.Add(trace.Duration(len(ends)-i)) > s.Selected.End {
				return nil
			}
		}
		return ends
	}
	return nil
}

// isOn reports whether a track is one of the view's slice: Frames of its process, or that of
// interactions.
func (s *search) isOn(id uint64) bool {
	t := s.tracks[id]
	if s.Interaction != 0 {
		return t.name == "Interactions"
	}
	if t.name != "Frames" && !strings.HasPrefix(t.name, "Frames (") {
		return false
	}
	for range 8 { // more than there are levels
		if t.pid != 0 {
			return t.pid == int32(s.Process)
		}
		t = s.tracks[t.parent]
	}
	return false
}
