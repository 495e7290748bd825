package binarytrace

import (
	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/internal/diag"
	"ohframe/internal/source/kernel"
)

// maxSegments is the maximum number of segments of a plugin whose messages are read after the trace.
const maxSegments = 1 << 20

// keepSegment adds a segment of a plugin, which is at an offset of the file, to a list of them, and
// counts what is wrong with its messages: check is called for each field with a number. Segments
// beyond the limit are counted as over.
func (r *Reader) keepSegment(list *[]Section, over diag.Kind, number protowire.Number, data []byte, at int64, cut bool, check func(message []byte)) {
	if len(data) == 0 {
		return
	}
	if len(*list) == maxSegments {
		r.log.Add(over)
		return
	}
	*list = append(*list, Section{at, int64(len(data))})
	f := kernel.Fields{Rest: data, Cut: cut}
	eachMessage(&f, number, check)
	if f.Bad {
		r.log.Add(badMessage)
	}
}

// readSegments calls yield for each field with a number of the segments of a plugin, in the order of
// the file. It is valid until yield returns. The error is that of the file.
func (r *Reader) readSegments(list []Section, number protowire.Number, yield func(message []byte)) error {
	var data []byte
	for _, s := range list {
		data = append(data[:0], make([]byte, s.Size)...)
		if err := readAt(r.in, data, s.At); err != nil {
			return err
		}
		f := kernel.Fields{Rest: data, Cut: true}
		eachMessage(&f, number, yield)
	}
	return nil
}

// eachMessage calls yield for each complete message that is a field with a number.
func eachMessage(f *kernel.Fields, number protowire.Number, yield func(message []byte)) {
	for f.Next() {
		if f.Number == number && f.IsBytes && !f.CutShort {
			yield(f.Data)
		}
	}
}
