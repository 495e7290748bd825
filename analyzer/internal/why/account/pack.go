package account

import (
	"encoding/binary"
	"iter"
	"slices"

	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// Most frames are on time, and of those only the cells, the functions and the processors are
// needed later. They are packed:
//
//	twice the number of cells, plus one if the frame was sampled
//	number of bytes of functions, functions, if it was
//	stage, wait + clocked, key, calls if the key is not 0, time, cycles if clocked is not 0, clocked time if it is 2
//	…
//	processor, time
//	…
const (
	firstChunk = 4 << 10 // of a short trace; each of the next ones is twice as large
	chunkSize  = 64 << 10
)

// How much of the time of a packed cell is clocked.
const (
	clockedNone = iota * 0x40
	clockedAll
	clockedPart
	clockedMask = clockedAll | clockedPart
)

// open returns the details of an account, for adding to them.
func (b *Book) open(a *Account) *details {
	if d := a.details; d != nil && d.cells != nil {
		return d
	}
	n := len(b.spare)
	switch d := a.details; {
	case d == nil && n > 0:
		a.details, b.spare = b.spare[n-1], b.spare[:n-1]
	case d == nil:
		a.details = &details{}
	case d.cells == nil && n > 0:
		d.filling, b.spare = b.spare[n-1].filling, b.spare[:n-1]
	}
	return a.details
}

// closeAccount ends the filling of an account.
func (b *Book) closeAccount(a *Account) {
	if a.closed {
		return
	}
	a.closed = true
	if a.GPUEnd.Known() && a.draw == nil {
		id := newID(why.StageDraw, why.WaitGPU, 0)
		d := b.open(a)
		d.add(id, a.GPUEnd.Sub(a.End), 0)
		d.addPiece(piece{start: a.End, end: a.GPUEnd, id: id})
	}
	d := a.details
	if d == nil {
		return
	}
	if d.part || d.late {
		// Kept without the room that they have grown into.
		if f := &d.filling; f.cells != nil {
			kept := filling{slices.Clone(f.cells), nil, slices.Clone(f.waits), slices.Clone(f.pieces), slices.Clone(f.ran), 0}
			b.spare = append(b.spare, &details{filling: f.emptied()})
			*f = kept
		}
		return
	}
	a.packed, a.details = b.pack(d), nil
	if d.times != nil {
		b.spareTimes = append(b.spareTimes, d.times)
	}
	*d = details{filling: d.emptied()}
	b.spare = append(b.spare, d)
}

// pack returns the cells and the processors in few bytes.
func (b *Book) pack(d *details) []byte {
	const most = 2 + 5*binary.MaxVarintLen64 // bytes of a cell
	var functions []byte
	if d.times != nil {
		b.packing = d.times.Packed(b.packing[:0])
		functions = b.packing
	}
	if need := (len(d.cells)+len(d.ran)+1)*most + len(functions); cap(b.chunk)-len(b.chunk) < need {
		b.chunk = make([]byte, 0, max(firstChunk, min(2*cap(b.chunk), chunkSize), need))
	}
	p := b.chunk[len(b.chunk):]
	if functions == nil {
		p = binary.AppendUvarint(p, uint64(len(d.cells))<<1)
	} else {
		p = binary.AppendUvarint(p, uint64(len(d.cells))<<1|1)
		p = binary.AppendUvarint(p, uint64(len(functions)))
		p = append(p, functions...)
	}
	for i := range d.cells {
		c := &d.cells[i]
		clocked := byte(clockedNone)
		switch {
		case c.Clocked == c.Time && c.Time > 0:
			clocked = clockedAll
		case c.Clocked > 0:
			clocked = clockedPart
		}
		p = append(p, byte(c.Stage), byte(c.Wait)|clocked)
		p = binary.AppendUvarint(p, uint64(c.Key))
		if c.Key != 0 {
			p = binary.AppendUvarint(p, uint64(c.Calls))
		}
		p = binary.AppendUvarint(p, uint64(c.Time))
		if clocked != clockedNone {
			p = binary.AppendUvarint(p, uint64(c.Cycles))
		}
		if clocked == clockedPart {
			p = binary.AppendUvarint(p, uint64(c.Clocked))
		}
	}
	for _, r := range d.ran {
		p = append(p, r.cpu)
		p = binary.AppendUvarint(p, uint64(r.time))
	}
	b.chunk = b.chunk[:len(b.chunk)+len(p)]
	return p[:len(p):len(p)]
}

// cells returns what pack has packed.
func cells(packed []byte) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		rest := threads.Unpack(packed)
		unpack(&rest, yield)
	}
}

// ran returns the processors that pack has packed.
func ran(packed []byte) iter.Seq[cpuTime] {
	return func(yield func(cpuTime) bool) {
		rest := threads.Unpack(packed)
		for unpack(&rest, func(Cell) bool { return true }); !rest.Empty(); {
			if !yield(cpuTime{rest.Byte(), trace.Duration(rest.Uint())}) {
				return
			}
		}
	}
}

// unpack goes through the cells.
func unpack(p *threads.Packed, yield func(Cell) bool) {
	if p.Empty() {
		return
	}
	_, n := functionBytes(p)
	for range n {
		stage, wait := why.Stage(p.Byte()), p.Byte()
		c := Cell{ID: newID(stage, why.Wait(wait&^clockedMask), threads.NameKey(p.Uint()))}
		if c.Key != 0 {
			c.Calls = uint32(p.Uint())
		}
		c.Time = trace.Duration(p.Uint())
		if wait&clockedMask != clockedNone {
			c.Cycles, c.Clocked = int64(p.Uint()), c.Time
		}
		if wait&clockedMask == clockedPart {
			c.Clocked = trace.Duration(p.Uint())
		}
		if !yield(c) {
			return
		}
	}
}

// functionBytes goes through the head. It returns the bytes of functions, nil of a frame that was
// not sampled, and the number of cells.
func functionBytes(p *threads.Packed) (functions []byte, cells uint64) {
	head := p.Uint()
	if head&1 != 0 {
		functions = p.Part(p.Uint())
	}
	return functions, head >> 1
}
