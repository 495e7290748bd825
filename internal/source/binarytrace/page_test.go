package binarytrace

import (
	"encoding/binary"
	"slices"
	"testing"

	"ohframe/analyzer/trace"
)

// Every kind of entry of a Linux page. The times follow from ring_buffer.h: each delta
// adds to the time, an extend has 27 low bits and 32 high ones, an absolute time
// replaces all but the highest bits, and a discarded event counts its own length word.
func TestLinuxEvents(t *testing.T) {
	const base = 1 << 40
	for _, size := range []int{4, 8} {
		s := &sys{log: kinds.NewLog(), layout: defaultLayout}
		if size == 4 {
			s.layout = pageLayout{commitSize: 4, data: 12, dataSize: pageSize - 12}
		}
		page := binary.LittleEndian.AppendUint64(nil, base)
		page = append(page, make([]byte, size)...)
		word := func(values ...uint32) {
			for _, v := range values {
				page = binary.LittleEndian.AppendUint32(page, v)
			}
		}
		var want []event
		record := func(time trace.Time, words int) {
			from := len(page)
			word(slices.Repeat([]uint32{0x11223344}, words)...)
			want = append(want, event{time, int32(from), int32(len(page))})
		}
		word(2 | 5<<5) // two words, 5 ns later
		record(base+5, 2)
		word(30|7<<5, 3) // extend by 7 + 3<<27
		word(1 | 1<<5)
		record(base+5+7+3<<27+1, 1)
		word(29|10<<5, 12, 0xdead, 0xdead) // discarded, 10 ns: 12 bytes with the length
		word(28)                           // no time later
		record(base+5+7+3<<27+1+10, 28)
		word(0|2<<5, 4+30*4) // long, with its length
		record(base+5+7+3<<27+1+10+2, 30)
		word(0|1<<5, 4+6) // six bytes, padded to eight
		record(base+5+7+3<<27+1+10+2+1, 2)
		want[len(want)-1].to = want[len(want)-1].from + 8
		word(31|9<<5, 1<<14) // absolute: 9 + 1<<41
		word(1 | 4<<5)
		record(9+1<<41+4, 1)
		word(29) // the rest is empty
		word(1|1<<5, 0xdead)
		binary.LittleEndian.PutUint32(page[8:], uint32(len(page)-8-size))
		page = append(page, make([]byte, pageSize-len(page))...)
		got := s.events(nil, page, &piece{})
		for i := range want {
			if i < len(got) && got[i] != want[i] {
				t.Errorf("commit of %d bytes: event %d: %+v, want %+v", size, i, got[i], want[i])
			}
		}
		if len(got) != len(want) || len(s.log.Warnings()) > 0 {
			t.Errorf("commit of %d bytes: %d events, want %d; %q", size, len(got), len(want), s.log.Warnings())
		}
	}
}

// The text of header_page gives the layout, unless it makes no sense.
func TestLayout(t *testing.T) {
	const timestamp = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	for text, want := range map[string]pageLayout{
		timestamp + "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n": {8, 16, 4080},
		timestamp + "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n":                                                         {4, 12, 4084},
		timestamp + "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:16368;\tsigned:1;\n":                                                        {8, 16, 16368},
		timestamp + "\tfield: local_t commit;\toffset:8;\tsize:3;\tsigned:1;\n\tfield: char data;\toffset:11;\tsize:4084;\tsigned:1;\n":                                                         defaultLayout,
		timestamp + "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n":                                                                                                                 defaultLayout,
		"nonsense": defaultLayout,
		"":         defaultLayout,
	} {
		got := defaultLayout
		if got.parse([]byte(text)); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
