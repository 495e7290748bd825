package binarytrace

import (
	"bytes"
	"encoding/binary"
	"iter"
	"strconv"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
)

// sysMagic is the beginning of a raw kernel trace: 0xDF49 as a little-endian number.
const sysMagic = "\x49\xdf"

const (
	sysHeaderSize     = 12
	sectionHeaderSize = 8
	// fileTypeHongMeng is the byte at 2 of a file whose pages are of the HongMeng
	// kernel. In others they are Linux's.
	fileTypeHongMeng = 1
)

// Types of sections.
const (
	sectionFormats    = 1
	sectionCmdlines   = 2
	sectionTGIDs      = 3
	sectionRaw        = 4 // the processor's number is added on Linux
	sectionRawLast    = 29
	sectionHeaderPage = 30
	sectionPrintk     = 31
	sectionKallsyms   = 32
	sectionBaseInfo   = 33
	sectionLast       = sectionBaseInfo
)

// maxText is the maximum size of all sections of text of a type. Formats have some
// 100 KB.
const maxText = 16 << 20

// sys is the source of a raw kernel trace.
type sys struct {
	log      *diag.DamageLog
	hongmeng bool
	layout   pageLayout // of Linux pages
	formats  [1 << 16]*format
	names    names
	printk   map[uint64]string // strings by address
	text     []byte            // of a marker
	values   kernel.Values
}

// section is where a section of pages is.
type section struct {
	at, size int64
	cpu      uint16 // of Linux pages
}

func (r *Reader) openSys(size int64) error {
	header := make([]byte, sysHeaderSize)
	if size < sysHeaderSize {
		return noEvents("a raw kernel trace that is cut within its header", "copy the file again")
	}
	if err := readAt(r.in, header, 0); err != nil {
		return err
	}
	s := &sys{log: r.log, hongmeng: header[2] == fileTypeHongMeng, layout: defaultLayout}
	s.names.limit = r.options.Limits.Threads
	r.source = s
	pages, texts, err := r.sections(size)
	if err != nil {
		return err
	}
	s.parseFormats(texts[sectionFormats])
	s.names.parseComms(texts[sectionCmdlines])
	s.names.parseTGIDs(texts[sectionTGIDs])
	r.clock.setBaseInfo(texts[sectionBaseInfo])
	s.printk = parsePrintk(texts[sectionPrintk])
	if text := texts[sectionHeaderPage]; len(text) > 0 {
		s.layout.parse(text)
	}
	r.log.AddMany(namesOver, s.names.over)
	if err := r.indexPages(s, pages); err != nil {
		return err
	}
	switch {
	case len(texts[sectionFormats]) == 0 && len(r.pieces) > 0:
		return noEvents("a raw kernel trace without the formats of its events", "hitrace writes them at the start of the file; record again, or copy the whole file")
	case len(r.pieces) == 0:
		return noEvents("a raw kernel trace without events", "was tracing on, with tags such as graphic, ace and sched?")
	}
	return nil
}

// sections walks over all sections. It returns those with pages, and the text of the
// others by type.
func (r *Reader) sections(size int64) (pages []section, texts [sectionLast + 1][]byte, err error) {
	header := make([]byte, sectionHeaderSize)
	for at := int64(sysHeaderSize); at < size; {
		if size-at < sectionHeaderSize {
			r.log.AddMany(trailing, int(size-at))
			break
		}
		if err := readAt(r.in, header, at); err != nil {
			return nil, texts, err
		}
		at += sectionHeaderSize
		// The three bytes after the type are padding with anything in it.
		kind, length := header[0], int64(binary.LittleEndian.Uint32(header[4:]))
		if length > size-at {
			r.log.Add(truncated)
			length = size - at
		}
		isRaw := sectionRaw <= kind && kind <= sectionRawLast
		if isRaw && length == 0 && r.looksLikePage(at, size) {
			// The length is written when the section is complete.
			r.log.Add(recovered)
			length = size - at
		}
		switch {
		case isRaw:
			pages = append(pages, section{at, length, uint16(kind - sectionRaw)})
		case kind == 0 || kind > sectionLast:
			r.log.Add(unknownSection)
		default:
			text := texts[kind]
			if left := maxText - int64(len(text)); length > left {
				r.log.Add(textTooLong)
				texts[kind], err = r.appendText(text, at, left)
			} else {
				texts[kind], err = r.appendText(text, at, length)
			}
			if err != nil {
				return nil, texts, err
			}
		}
		at += length
	}
	return pages, texts, nil
}

// appendText appends the text of a section and a line end.
func (r *Reader) appendText(text []byte, at, length int64) ([]byte, error) {
	section := make([]byte, length)
	err := readAt(r.in, section, at)
	return append(append(text, section...), '\n'), err
}

// looksLikePage reports whether a page is at an offset, and not the header of a
// section: the length of its content and its time are plausible.
func (r *Reader) looksLikePage(at, size int64) bool {
	var head [16]byte
	if size-at < pageSize || readAt(r.in, head[:], at) != nil {
		return false
	}
	time, length := binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:])
	return time > uint64(trace.Second) && time < trace.MaxTime && 0 < length&^lossFlags && length&^lossFlags <= pageSize
}

// head implements source.
func (s *sys) head(h *head, record []byte) bool {
	if len(record) < 2 {
		s.log.Add(shortRecord)
		return false
	}
	f := s.formats[binary.LittleEndian.Uint16(record)]
	if f == nil {
		s.log.Add(unknownID)
		return false
	}
	if !f.complete(record) {
		s.log.Add(shortRecord)
		return false
	}
	h.tid = int32(binary.LittleEndian.Uint32(record[pidAt:]))
	if h.tid < 0 {
		s.log.Add(badThread)
		return false
	}
	h.comm, h.tgid = s.names.of(h.tid)
	h.flags, h.preempt, h.title, h.marker, h.args = record[flagsAt], record[preemptAt], &f.title, f.marker, record
	switch {
	case !f.marker:
	case f.text.name != "":
		text, _ := f.text.bytes(record)
		h.text = kernel.CString(text)
	default:
		s.text = s.AppendArgs(s.text[:0], record, 0, &s.values)
		h.text = s.text
	}
	return true
}

// names is the names and processes of threads.
type names struct {
	threads     hitrace.Threads[thread]
	limit, over int
}

// thread is what is known of a thread: its name, or nil, and its process, or -1.
type thread struct {
	comm []byte
	tgid int32
}

// of returns the name and the process of a thread.
func (n *names) of(tid int32) (comm []byte, tgid int32) {
	if t := n.threads.Get(trace.TID(tid)); t != nil {
		return t.comm, t.tgid
	}
	return nil, -1
}

// entry returns what is known of a thread, to be changed. It returns another one for a thread beyond the limit,
// and counts it.
func (n *names) entry(tid int32) *thread {
	t := n.threads.Get(trace.TID(tid))
	if t != nil {
		return t
	}
	t = &thread{tgid: -1}
	if n.threads.Len() >= n.limit {
		n.over++
	} else {
		n.threads.Put(trace.TID(tid), t)
	}
	return t
}

// pairs returns the keys and values of lines that have a separator between them.
func pairs(text []byte, separator string) iter.Seq2[string, []byte] {
	return func(yield func(key string, value []byte) bool) {
		for line := range bytes.Lines(text) {
			key, value, _ := bytes.Cut(line, []byte(separator))
			if !yield(string(bytes.TrimSpace(key)), bytes.TrimSpace(value)) {
				return
			}
		}
	}
}

// parseComms reads lines "TID COMM". A later line overrides an earlier one.
func (n *names) parseComms(text []byte) {
	for id, name := range pairs(text, " ") {
		if tid, ok := parseID(id); ok {
			n.setComm(tid, kernel.CString(name))
		}
	}
}

func (n *names) setComm(tid int32, name []byte) {
	if len(name) > 0 {
		n.entry(tid).comm = name
	}
}

// parseTGIDs reads lines "TID TGID".
func (n *names) parseTGIDs(text []byte) {
	for id, group := range pairs(text, " ") {
		tid, ok := parseID(id)
		tgid, ok2 := parseID(string(group))
		if ok && ok2 {
			n.entry(tid).tgid = tgid
		}
	}
}

func parseID(text string) (int32, bool) {
	id, err := strconv.ParseInt(text, 10, 32)
	return int32(id), err == nil && id >= 0
}

// setBaseInfo reads lines "KEY: VALUE". Systems from 6.0 on write two clocks, in
// milliseconds.
func (c *Clock) setBaseInfo(text []byte) {
	for key, value := range pairs(text, ":") {
		ms, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || ms <= 0 || ms > maxUnix/1_000_000 {
			continue
		}
		switch key {
		case "UNIX_TIME_MS":
			c.Unix = ms * 1e6
		case "BOOT_TIME_MS":
			if ms *= 1e6; ms <= trace.MaxTime {
				c.Boot = trace.Time(ms)
			}
		}
	}
}

// maxPrintk is the maximum number of strings of printk_formats.
const maxPrintk = 1 << 16

// parsePrintk reads lines `0xADDRESS : "TEXT"`.
func parsePrintk(text []byte) map[uint64]string {
	table := map[uint64]string{}
	for address, quoted := range pairs(text, ":") {
		if at, err := strconv.ParseUint(address, 0, 64); err == nil && len(table) < maxPrintk {
			table[at] = string(bytes.Trim(quoted, `"`))
		}
	}
	return table
}
