package perfdata

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"slices"

	"ohframe/analyzer/sample"
	"ohframe/internal/diag"
	"ohframe/internal/source/kernel"
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
	recordCompressed = 81 // and 83
)

// Bits of the misc field of a record.
const (
	miscMode   = 7
	miscKernel = 1
	miscExec   = 1 << 13 // of a name: the process runs another program
)

// perf is the source of a perf.data file.
type perf struct {
	log     *diag.DamageLog
	tables  *tables
	memory  *memory
	symbols symbolTable
	modules map[string]int32 // of the kernel, with symbols, by name
	stacks  stackTable
	kernel  int32 // module

	in      io.ReaderAt
	size    int64
	attrs   []attr
	byID    map[uint64]int32
	data    *bufio.Reader
	left    uint64 // bytes of data
	cut     bool   // the data ends before its size
	early   []earlyRecord
	applied int    // of early
	latest  uint64 // time of the samples so far

	addresses []uint64
	frames    []int32
	fromIP    bool // the last stack is that of the instruction alone
	recent    []recentStack
}

// earlyRecord is a record with a time that is not a sample.
type earlyRecord struct {
	time uint64
	at   int64
	size uint16
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
		return nil, &Error{What: "perf data that is cut within its header", Hint: "copy the file again"}
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
		return nil, &Error{What: "perf data without samples: its data is outside the file", Hint: "copy the file again"}
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
	if p.attrs[0].idAll && p.attrs[0].sampleType&sampleTime != 0 {
		return p, p.readEarly(data)
	}
	return p, nil
}

// readEarly reads the records that are not samples, if all records have a time. A processor's
// buffer may be written to the file after a sample of another that it applies to.
func (p *perf) readEarly(data section) error {
	const most = maxMappings * 4
	at, left := int64(data.offset), data.size
	in := bufio.NewReaderSize(io.NewSectionReader(p.in, at, int64(left)), 256<<10)
	for {
		b, err := p.record(in, &left, false)
		if err != nil || b == nil {
			slices.SortStableFunc(p.early, func(a, b earlyRecord) int { return cmp.Compare(a.time, b.time) })
			return err
		}
		switch binary.LittleEndian.Uint32(b) {
		case recordMmap, recordMmap2, recordComm, recordFork:
			if len(p.early) == most {
				p.log.Add(mappingsOver)
				break
			}
			p.early = append(p.early, earlyRecord{p.recordTime(b), at, uint16(len(b))})
		}
		at = int64(data.offset + data.size - left)
	}
}

// recordTime returns the time at the end of a record that is not a sample.
func (p *perf) recordTime(b []byte) uint64 {
	end := len(b)
	for _, field := range [...]uint64{sampleIdentifier, sampleCPU, sampleStreamID, sampleID, sampleTime} {
		if p.attrs[0].sampleType&field != 0 {
			end -= 8
		}
	}
	if end < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(b[end:])
}

// record reads the next record and what follows an aux record. At the end, or at damage, it is nil.
// The damage is counted if count is set. The record is valid until the next call.
func (p *perf) record(in *bufio.Reader, left *uint64, count bool) ([]byte, error) {
	note := func(problem diag.Kind) ([]byte, error) {
		if *left = 0; count {
			p.log.Add(problem)
		}
		return nil, nil
	}
	damage := badRecord
	if p.cut {
		damage = truncated
	}
	if *left == 0 {
		return nil, nil
	}
	if *left < 8 {
		if p.cut { // already counted
			*left = 0
			return nil, nil
		}
		return note(damage)
	}
	head, err := in.Peek(8)
	if err != nil {
		return nil, unexpected(err)
	}
	size := uint64(binary.LittleEndian.Uint16(head[6:]))
	switch {
	case size < 8:
		return note(badRecord)
	case size > *left && p.cut:
		*left = 0
		return nil, nil
	case size > *left:
		return note(damage)
	}
	b, err := in.Peek(int(size))
	if err != nil {
		return nil, unexpected(err)
	}
	*left -= size
	if binary.LittleEndian.Uint32(b) == recordAux && size >= 16 {
		aux := binary.LittleEndian.Uint64(b[8:])
		if aux > *left {
			return note(damage)
		}
		*left -= aux
		return b[:8], p.discard(in, size+aux)
	}
	_, err = in.Discard(int(size)) // b remains in the buffer until the next read
	return b, err
}

func (p *perf) discard(in *bufio.Reader, n uint64) error {
	_, err := io.CopyN(io.Discard, in, int64(n))
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
		b, err := p.record(p.data, &p.left, true)
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
		case recordCompressed, recordCompressed + 2:
			p.log.Add(compressed)
		default:
			if p.early == nil {
				p.apply(kind, misc, b[8:])
			}
		}
	}
}

// applyEarly applies the records with a time that is not after that of the samples so far.
func (p *perf) applyEarly(time uint64) error {
	p.latest = max(p.latest, time)
	for ; p.applied < len(p.early) && p.early[p.applied].time <= p.latest; p.applied++ {
		e := &p.early[p.applied]
		b := make([]byte, e.size)
		if err := readAt(p.in, b, e.at); err != nil {
			return err
		}
		p.apply(binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:]), b[8:])
	}
	return nil
}

// apply applies a record that changes mappings or names.
func (p *perf) apply(kind uint32, misc uint16, b []byte) {
	c := cursor{rest: b}
	pid, tid := int32(c.u32()), int32(c.u32())
	switch kind {
	case recordComm:
		name := kernel.CString(c.rest)
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
		path := kernel.CString(c.rest)
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
