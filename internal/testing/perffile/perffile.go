// Package perffile writes files of hiperf and Linux perf for tests: events, records and features
// in, bytes out. It shares no code with the reader. It writes what it is asked to, valid or not.
package perffile

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"slices"
)

// Fields of samples, and flags of events, as in Linux's perf_event.h.
const (
	IP, TID, Time, Addr, Read, Callchain, ID, CPU, Period, StreamID, Raw = 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024

	Identifier = 1 << 16
	Servers    = 1 << 31 // of hiperf

	Frequency  = 1 << 10
	SampleIDs  = 1 << 18
	UseClockID = 1 << 25

	// Kernel and User come before addresses of the kernel and of a process in a stack.
	Kernel = ^uint64(127)
	User   = ^uint64(511)
)

// An Event is what samples are taken of.
type Event struct {
	Fields, Flags, Rate uint64
	ReadFormat          uint64
	Clock               int32
	IDs                 []uint64
	Name                string
}

// A File is a perf.data file. Records are as Record and its relatives make them.
type File struct {
	Events   []Event
	Records  [][]byte
	Features map[int][]byte
}

func join(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if text, ok := v.(string); ok {
			v = append([]byte(text), 0)
		}
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// Bytes returns the file.
func (f *File) Bytes() []byte {
	var b bytes.Buffer
	_ = f.Write(&b) // a buffer has no errors
	return b.Bytes()
}

// Write writes the file: header, ids, events, records, features, as hiperf orders them.
func (f *File) Write(w io.Writer) error {
	const header, attr = 104, 136
	var ids, attrs []byte
	for _, e := range f.Events {
		a := make([]byte, attr)
		le := binary.LittleEndian
		le.PutUint32(a[4:], attr-16)
		le.PutUint64(a[16:], e.Rate)
		le.PutUint64(a[24:], e.Fields)
		le.PutUint64(a[32:], e.ReadFormat)
		le.PutUint64(a[40:], e.Flags)
		le.PutUint32(a[92:], uint32(e.Clock))
		le.PutUint64(a[attr-16:], uint64(header+len(ids)))
		le.PutUint64(a[attr-8:], uint64(8*len(e.IDs)))
		ids = append(ids, join(e.IDs)...)
		attrs = append(attrs, a...)
	}
	data := 0
	for _, r := range f.Records {
		data += len(r)
	}
	at := uint64(header + len(ids) + len(attrs) + data)
	numbers := slices.Sorted(maps.Keys(f.Features))
	var present [32]byte
	var table, bodies []byte
	at += uint64(16 * len(numbers))
	for _, n := range numbers {
		present[n/8] |= 1 << (n % 8)
		table = append(table, join(at, uint64(len(f.Features[n])))...)
		at += uint64(len(f.Features[n]))
		bodies = append(bodies, f.Features[n]...)
	}
	head := join([]byte("PERFILE2"), uint64(header), uint64(attr),
		uint64(header+len(ids)), uint64(len(attrs)), uint64(header+len(ids)+len(attrs)), uint64(data), uint64(0), uint64(0), present)
	for part := range slices.Values(slices.Concat([][]byte{head, ids, attrs}, f.Records, [][]byte{table, bodies})) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Record returns a record.
func Record(kind uint32, misc uint16, body []byte) []byte {
	return append(join(kind, misc, uint16(8+len(body))), body...)
}

// padded returns text with zeros up to a multiple of 8 bytes.
func padded(text string) []byte {
	return append([]byte(text), make([]byte, 8-len(text)%8)...)
}

// Mmap2 maps part of a file into a process. trailer is what follows in files whose records have
// times.
func Mmap2(pid int32, start, size, offset uint64, path string, trailer ...uint64) []byte {
	return Record(10, 2, join(pid, pid, start, size, offset, uint32(1), uint32(2), uint64(3), uint64(4), uint32(5), uint32(2), padded(path), trailer))
}

// KernelMmap maps a part of the kernel.
func KernelMmap(start, size uint64, path string) []byte {
	return Record(1, 1, join(int32(0), int32(0), start, size, uint64(0), padded(path)))
}

// Comm names a thread; exec says that its process runs another program from here on.
func Comm(pid, tid int32, name string, exec bool, trailer ...uint64) []byte {
	misc := uint16(2)
	if exec {
		misc |= 1 << 13
	}
	return Record(3, misc, join(pid, tid, padded(name), trailer))
}

// Fork starts a process.
func Fork(pid, parent int32) []byte {
	return Record(7, 0, join(pid, parent, pid, parent, uint64(0)))
}

// Lost counts lost samples.
func Lost(n uint64) []byte { return Record(2, 0, join(uint64(0), n)) }

// Sample has the fields that hiperf records, the values in the order of the record.
func Sample(kernel bool, id, ip uint64, pid, tid int32, time uint64, cpu uint32, period uint64, chain []uint64, tail ...any) []byte {
	misc := uint16(2)
	if kernel {
		misc = 1
	}
	rest, le := join(tail...), binary.LittleEndian
	size := 72 + 8*len(chain) + len(rest)
	b := le.AppendUint16(le.AppendUint16(le.AppendUint32(make([]byte, 0, size), 9), misc), uint16(size))
	b = le.AppendUint64(le.AppendUint64(b, id), ip)
	b = le.AppendUint32(le.AppendUint32(b, uint32(pid)), uint32(tid))
	b = le.AppendUint64(le.AppendUint64(b, time), id)
	b = le.AppendUint64(le.AppendUint64(b, uint64(cpu)), period)
	b = le.AppendUint64(b, uint64(len(chain)))
	for _, ip := range chain {
		b = le.AppendUint64(b, ip)
	}
	return append(b, rest...)
}

// SampleFields are the fields of Sample.
const SampleFields = Identifier | IP | TID | Time | ID | CPU | Period | Callchain

// A Symbol is a function of a file.
type Symbol struct {
	Address uint64
	Size    uint32
	Name    string
}

// Sym returns a function; size 0 means up to the next one.
func Sym(address uint64, size uint32, name string) Symbol { return Symbol{address, size, name} }

// Symbols is a file with symbols.
type Symbols struct {
	Path          string
	Type          uint32
	Vaddr, Offset uint64
	BuildID       string
	Symbols       []Symbol
}

// Text returns a text after its length.
func Text(s string) []byte { return join(uint32(len(s)+1), s) }

// SymbolTable is feature 192.
func SymbolTable(files ...Symbols) []byte {
	b := join(uint32(len(files)))
	for _, f := range files {
		b = slices.Concat(b, Text(f.Path), join(f.Type, f.Vaddr, f.Offset), Text(f.BuildID), join(uint32(len(f.Symbols))))
		for _, s := range f.Symbols {
			b = slices.Concat(b, join(s.Address, s.Size), Text(s.Name))
		}
	}
	return b
}

// simpleperfField is the number of the field that only files of a type have.
var simpleperfField = map[uint32]int{0: 9, 1: 7, 2: 6, 3: 5, 4: 9}

// SimpleperfFiles is feature 132 of simpleperf. The types are its own, and build ids are left out.
func SimpleperfFiles(files ...Symbols) []byte {
	var b []byte
	for _, f := range files {
		m := Message(1, f.Path, 2, int(f.Type), 3, int(f.Vaddr), simpleperfField[f.Type], Message(1, int(f.Offset)))
		for _, s := range f.Symbols {
			m = append(m, Message(4, Message(1, int(s.Address), 2, int(s.Size), 3, s.Name))...)
		}
		b = slices.Concat(b, join(uint32(len(m))), m)
	}
	return b
}

// SimpleperfOldFiles is feature 128 of simpleperf, with the same.
func SimpleperfOldFiles(files ...Symbols) []byte {
	var b []byte
	for _, f := range files {
		m := join(f.Path, f.Type, f.Vaddr, uint32(len(f.Symbols)))
		for _, s := range f.Symbols {
			m = slices.Concat(m, join(s.Address, s.Size, s.Name))
		}
		if f.Type == 3 { // a dex file, with an offset
			m = append(m, join(uint32(1), uint64(99))...)
		} else {
			m = append(m, join(f.Offset)...)
		}
		b = slices.Concat(b, join(uint32(len(m))), m)
	}
	return b
}

// A Call is a call of a table of stacks.
type Call struct {
	Index, Caller uint32
	Address       uint64 // of 40 bits
	Kernel        bool
}

// StackTable is feature 197 with indexes of 23 bits, or feature 196 of old files with 20.
func StackTable(pid int32, indexBits int, calls ...Call) []byte {
	b := join(uint32(1), pid, uint32(1<<22), uint32(len(calls)))
	for _, c := range calls {
		v := c.Address | uint64(c.Caller)<<40
		if c.Kernel {
			v |= 1 << (40 + indexBits)
		}
		b = append(b, join(c.Index, v)...)
	}
	return b
}

// StackID is what a sample has in place of its stack.
func StackID(index uint32, calls uint64, indexBits int) uint64 {
	return uint64(index) | calls<<indexBits
}

// EventNames is feature 12.
func EventNames(events ...Event) []byte {
	b := join(uint32(len(events)), uint32(120))
	for _, e := range events {
		b = slices.Concat(b, make([]byte, 120), join(uint32(len(e.IDs))), Text(e.Name), join(e.IDs))
	}
	return b
}

// Repeated is a file of n copies of records after a beginning, without memory for each.
type Repeated struct {
	Head, Records []byte
	N             int
}

// Size returns the length of the file.
func (r *Repeated) Size() int64 { return int64(len(r.Head) + r.N*len(r.Records)) }

// ReadAt reads the file.
func (r *Repeated) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) && at < r.Size() {
		from := r.Head
		if at < int64(len(r.Head)) {
			from = from[at:]
		} else {
			from = r.Records[(at-int64(len(r.Head)))%int64(len(r.Records)):]
		}
		c := copy(b[n:], from)
		n, at = n+c, at+int64(c)
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}
