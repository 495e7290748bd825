package perfdata

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"

	"ohframe/analyzer/sample"
	"ohframe/internal/diag"
)

const perfMagic = "PERFILE2"

// Types of records.
const (
	recordMmap       = 1
	recordLost       = 2
	recordComm       = 3
	recordFork       = 7
	recordSample     = 9
	recordMmap2      = 10
	recordLostSample = 13
	recordAux        = 71 // followed by data that its size does not include
)

// Bits of the misc field of a record.
const (
	miscMode   = 7
	miscKernel = 1
	miscExec   = 1 << 13 // of a name: the process runs another program
)

// perf is the source of a perf.data file.
type perf struct {
	log     *log
	tables  *tables
	memory  *memory
	symbols symbolTable
	modules map[string]int32 // of the kernel, with symbols, by name
	stacks  stackTable
	kernel  int32 // module

	in    io.ReaderAt
	size  int64
	attrs []attr
	byID  map[uint64]int32
	data  *bufio.Reader
	left  uint64 // bytes of data
	cut   bool   // the data ends before its size

	addresses []uint64
	frames    []int32
	fromIP    bool // the last stack is that of the instruction alone
	recent    []recentStack
}

func openPerf(in io.ReaderAt, size int64, t *tables) (*perf, error) {
	var head [headerSize]byte
	if size >= 16 {
		if err := readAt(in, head[:16], 0); err != nil {
			return nil, err
		}
		if binary.LittleEndian.Uint64(head[8:]) == 16 {
			return nil, &Error{What: "perf data for a pipe", Hint: "record to a file: -o perf.data", Err: ErrUnsupported}
		}
	}
	if size < headerSize {
		return nil, &Error{What: "perf data that is cut within its header", Hint: "copy the file again", Err: diag.ErrDamaged}
	}
	if err := readAt(in, head[:], 0); err != nil {
		return nil, err
	}
	p := &perf{
		log: t.log, tables: t, memory: newMemory(t.log, t.limit), in: in, size: size,
		symbols: symbolTable{files: map[int32]*symbolFile{}}, modules: map[string]int32{},
		stacks: stackTable{map[stackKey]uint64{}, indexBits}, recent: make([]recentStack, 1<<recentBits), byID: map[uint64]int32{},
	}
	p.kernel = t.module([]byte(kernelPath), true)
	c := cursor{rest: head[16:]}
	attrSize := c.u64()
	attrs := section{c.u64(), c.u64()}
	data := section{c.u64(), c.u64()}
	if err := p.readAttrs(attrs, attrSize); err != nil {
		return nil, err
	}
	if data.offset > uint64(size) {
		return nil, &Error{What: "perf data without samples: its data is outside the file", Hint: "copy the file again", Err: diag.ErrDamaged}
	}
	switch rest := uint64(size) - data.offset; {
	case data.size == 0 && rest > 0: // the size is written last
		p.log.Add(recovered)
		data.size = rest
	case data.size > rest:
		p.log.Add(truncated)
		data.size, p.cut = rest, true
	default:
		if err := p.readFeatures(head[72:], data.offset+data.size); err != nil {
			return nil, err
		}
	}
	p.left = data.size
	p.data = bufio.NewReaderSize(io.NewSectionReader(in, int64(data.offset), int64(data.size)), 256<<10)
	return p, nil
}

// record reads the next record and what follows an aux record. At the end, or at damage, it is nil.
// The record is valid until the next call.
func (p *perf) record() ([]byte, error) {
	note := func(problem problem) ([]byte, error) {
		p.left = 0
		p.log.Add(problem)
		return nil, nil
	}
	damage := badRecord
	if p.cut {
		damage = truncated
	}
	if p.left == 0 {
		return nil, nil
	}
	if p.left < 8 {
		if p.cut { // already counted
			p.left = 0
			return nil, nil
		}
		return note(damage)
	}
	head, err := p.data.Peek(8)
	if err != nil {
		return nil, unexpected(err)
	}
	size := uint64(binary.LittleEndian.Uint16(head[6:]))
	switch {
	case size < 8:
		return note(badRecord)
	case size > p.left && p.cut:
		p.left = 0
		return nil, nil
	case size > p.left:
		return note(damage)
	}
	b, err := p.data.Peek(int(size))
	if err != nil {
		return nil, unexpected(err)
	}
	p.left -= size
	if binary.LittleEndian.Uint32(b) == recordAux && size >= 16 {
		aux := binary.LittleEndian.Uint64(b[8:])
		if aux > p.left {
			return note(damage)
		}
		p.left -= aux
		return b[:8], p.discard(size + aux)
	}
	_, err = p.data.Discard(int(size)) // b remains in the buffer until the next read
	return b, err
}

func (p *perf) discard(n uint64) error {
	_, err := io.CopyN(io.Discard, p.data, int64(n))
	return unexpected(err)
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// next implements source.
func (p *perf) next(s *sample.Sample) error {
	for {
		b, err := p.record()
		if err != nil {
			return err
		}
		if b == nil {
			return io.EOF
		}
		kind, misc := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:])
		switch kind {
		case recordSample:
			ok, err := p.sample(s, b[8:], misc)
			if ok || err != nil {
				return err
			}
		case recordLost, recordLostSample:
			c := cursor{rest: b[8:]}
			if kind == recordLost {
				c.u64() // the id of the event
			}
			lost := min(c.u64(), 1<<40)
			p.tables.profile.Lost += lost
			p.log.AddMany(lostSamples, int(lost))
		default:
			p.apply(kind, misc, b[8:])
		}
		if p.log.Err() != nil {
			return p.log.Err()
		}
	}
}

// apply applies a record that changes mappings or names.
func (p *perf) apply(kind uint32, misc uint16, b []byte) {
	c := cursor{rest: b}
	pid, tid := int32(c.u32()), int32(c.u32())
	switch kind {
	case recordComm:
		name := cString(c.rest)
		if misc&miscExec != 0 {
			if s := p.memory.space(pid); s != nil {
				p.memory.drop(s)
			}
		}
		if !c.short {
			p.tables.thread(pid, tid, name)
		}
	case recordFork: // pid, the parent's pid
		if parent := tid; parent != pid && !c.short {
			p.memory.fork(parent, pid)
		}
	case recordMmap, recordMmap2:
		start, length, offset := c.u64(), c.u64(), c.u64()
		if kind == recordMmap2 {
			const rest = 4 + 4 + 8 + 8 + 4 + 4 // device, inode, protection, flags
			c.take(rest)
		}
		if c.short {
			return
		}
		path := cString(c.rest)
		m := mapping{start: start, end: start + min(length, math.MaxUint64-start), offset: offset}
		if misc&miscMode == miscKernel {
			if isKernel(path) && path[0] == '[' { // all of memory, or the kernel's own code
				return
			}
			if i, ok := p.modules[moduleName(path)]; ok {
				m.module = i
			} else {
				m.module = p.tables.module(path, true)
			}
			p.memory.add(p.memory.modules, m)
			p.memory.forget(p.memory.kernel)
			return
		}
		s := p.memory.space(pid)
		if s == nil {
			p.log.Add(threadsOver)
			return
		}
		m.module = p.tables.module(path, false)
		p.memory.add(s, m)
	}
}
