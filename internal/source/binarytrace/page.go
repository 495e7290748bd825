package binarytrace

import (
	"bytes"
	"encoding/binary"

	"ohframe/analyzer/trace"
)

// pageSize is the size of a page of the kernel's ring buffer.
const pageSize = 4096

// A HongMeng page:
//
//	0   u64    time of its base, ns
//	8   u64    length of the entries
//	16  u8     processor
//	17         entries: u32 time from the base, u16 size of the record, the record,
//	           padded to 4 bytes; a size of 0 ends the page, what follows is garbage
const (
	hongmengHeader = 17
	entryHeader    = 6
)

// The flags of a Linux page's commit.
//
// Source: Linux, ring_buffer.c, RB_MISSED_EVENTS and RB_MISSED_STORED.
const (
	lossFlag       = 1 << 31 // events were lost before the page
	lossStoredFlag = 1 << 30 // their number follows the events
	lossFlags      = lossFlag | lossStoredFlag
	commitMask     = 1<<27 - 1
)

// pageLayout is the layout of a Linux page: a u64 time, the commit, the events.
type pageLayout struct {
	commitSize int // 8, or 4 on a 32-bit kernel
	data       int // offset of the events
	dataSize   int
}

var (
	defaultLayout = pageLayout{commitSize: 8, data: 16, dataSize: pageSize - 16}
	maxLayoutSize = 64 << 10 // pages of 64 KB exist
)

// parse reads the text of events/header_page. Where it makes no sense, the layout
// remains.
func (l *pageLayout) parse(text []byte) {
	var commit, data field
	for line := range bytes.Lines(text) {
		f, ok := parseField(bytes.TrimSpace(line))
		switch {
		case ok && f.name == "commit":
			commit = f
		case ok && f.name == "data":
			data = f
		}
	}
	if (commit.size == 4 || commit.size == 8) && commit.offset == 8 && data.offset == 8+commit.size &&
		data.size > 0 && data.offset+data.size <= maxLayoutSize {
		*l = pageLayout{commit.size, data.offset, data.size}
	}
}

func (l *pageLayout) size() int64 { return int64(l.data + l.dataSize) }

// commit returns the commit of a page.
func (l *pageLayout) commit(page []byte) uint64 {
	if l.commitSize == 4 {
		return uint64(binary.LittleEndian.Uint32(page[8:]))
	}
	return binary.LittleEndian.Uint64(page[8:])
}

// chunkSize is the number of bytes that are read at a time for the index.
const chunkSize = 1 << 20

// indexPages makes a piece of each page that has events.
func (r *Reader) indexPages(s *sys, sections []section) error {
	chunk := make([]byte, chunkSize)
	size := int64(pageSize)
	if !s.hongmeng {
		size = s.layout.size()
	}
	for _, section := range sections {
		for section.size > 0 {
			n := min(section.size, chunkSize/size*size)
			if err := readAt(r.in, chunk[:n], section.at); err != nil {
				return err
			}
			for from := int64(0); from < n; from += size {
				page := chunk[from:min(from+size, n)]
				p := piece{at: section.at + from, size: int32(len(page)), cpu: section.cpu}
				if s.hongmeng && s.indexHongMeng(page, &p) || !s.hongmeng && s.indexLinux(page, &p) {
					r.pieces = append(r.pieces, p)
				}
			}
			section.at += n
			section.size -= n
		}
	}
	return nil
}

// indexHongMeng completes the piece of a page and reports whether it has events.
func (s *sys) indexHongMeng(page []byte, p *piece) bool {
	if len(page) < hongmengHeader+entryHeader {
		return false // of a truncated file
	}
	length, entry := binary.LittleEndian.Uint64(page[8:]), page[hongmengHeader:]
	if length < entryHeader || binary.LittleEndian.Uint16(entry[4:]) == 0 {
		return false // the base of a page without events means nothing
	}
	first := binary.LittleEndian.Uint64(page) + uint64(binary.LittleEndian.Uint32(entry))
	if first > trace.MaxTime {
		s.log.Add(badTime)
		return false
	}
	p.first, p.cpu = trace.Time(first), uint16(page[16])
	return true
}

// indexLinux completes the piece of a page and reports whether it has events.
func (s *sys) indexLinux(page []byte, p *piece) bool {
	l := &s.layout
	if len(page) < l.data {
		return false // of a truncated file
	}
	commit := l.commit(page)
	s.log.AddMany(lostEvents, l.lost(page))
	if commit&commitMask == 0 {
		return false
	}
	first := binary.LittleEndian.Uint64(page)
	if first > trace.MaxTime {
		s.log.Add(badTime)
		return false
	}
	p.first = trace.Time(first)
	return true
}

// lost returns the number of events that were lost before a page; 1 if it is unknown.
func (l *pageLayout) lost(page []byte) int {
	commit := l.commit(page)
	if commit&lossFlag == 0 {
		return 0
	}
	n, at := uint64(1), l.data+int(commit&commitMask)
	if commit&lossStoredFlag != 0 && at+l.commitSize <= len(page) {
		if n = uint64(binary.LittleEndian.Uint32(page[at:])); l.commitSize == 8 {
			n = binary.LittleEndian.Uint64(page[at:])
		}
	}
	return int(min(n, 1<<40))
}

// lost implements source. A HongMeng page does not say so.
func (s *sys) lost(page []byte) int {
	if s.hongmeng {
		return 0
	}
	return s.layout.lost(page)
}

// events implements source.
func (s *sys) events(list []event, page []byte, p *piece) []event {
	if s.hongmeng {
		return s.hongmengEvents(list, page)
	}
	return s.linuxEvents(list, page)
}

func (s *sys) hongmengEvents(list []event, page []byte) []event {
	base, length := binary.LittleEndian.Uint64(page), binary.LittleEndian.Uint64(page[8:])
	if length > pageSize-hongmengHeader {
		s.log.Add(badPage)
		length = pageSize - hongmengHeader
	}
	end := min(hongmengHeader+int(length), len(page))
	for at := hongmengHeader; at+entryHeader <= end; {
		size := int(binary.LittleEndian.Uint16(page[at+4:]))
		if size == 0 {
			break
		}
		from := at + entryHeader
		if from+size > len(page) {
			if len(page) == pageSize { // otherwise the file is truncated, which was counted
				s.log.Add(badPage)
			}
			break
		}
		time := base + uint64(binary.LittleEndian.Uint32(page[at:]))
		if time > trace.MaxTime {
			s.log.Add(badTime)
		} else {
			list = append(list, event{trace.Time(time), int32(from), int32(from + size)})
		}
		at = from + (size+3)&^3
	}
	return list
}

// Values of the field type_len of a Linux event. Smaller ones are the length of the
// record in words, or 0 if the length follows.
//
// Source: Linux, include/linux/ring_buffer.h.
const (
	typePadding    = 29
	typeTimeExtend = 30
	typeTimeStamp  = 31
	timeDeltaBits  = 27
)

func (s *sys) linuxEvents(list []event, page []byte) []event {
	time := binary.LittleEndian.Uint64(page)
	end, bad := s.layout.data+int(s.layout.commit(page)&commitMask), false
	if end > len(page) {
		bad = int64(len(page)) == s.layout.size() // otherwise the file is truncated, which was counted
		end = len(page)
	}
	for at := s.layout.data; at+4 <= end; {
		head := binary.LittleEndian.Uint32(page[at:])
		kind, delta := head&(1<<5-1), uint64(head>>5)
		if kind == typePadding && delta == 0 {
			break
		}
		var word uint32
		if kind == 0 || kind >= typePadding {
			if at+8 > end {
				bad = true
				break
			}
			word = binary.LittleEndian.Uint32(page[at+4:])
		}
		from, to := at+4, 0
		switch kind {
		case typeTimeExtend:
			time += delta + uint64(word)<<timeDeltaBits
			at += 8
			continue
		case typeTimeStamp: // the kernel stores 59 bits, of 18 years
			time = delta + uint64(word)<<timeDeltaBits
			at += 8
			continue
		case 0, typePadding:
			from, to = at+8, at+4+int(min(word, pageSize*16)+3)&^3
		default:
			to = from + int(kind)*4
		}
		time += delta
		if to > end || to < from {
			bad = true
			break
		}
		if kind != typePadding {
			if time > trace.MaxTime {
				s.log.Add(badTime)
			} else {
				list = append(list, event{trace.Time(time), int32(from), int32(to)})
			}
		}
		at = to
	}
	if bad {
		s.log.Add(badPage)
	}
	return list
}
