package threads

import (
	"encoding/binary"
	"iter"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// leafStore has the leaves of all waits, packed:
//
//	number of leaves
//	time since the end of the leaf before, length, TID, PID, wait + what follows, key, reason, label,
//	function, interrupt, other thread, its time
//	…
type leafStore struct {
	chunks [][]byte // each of leafChunk bytes at most
}

const (
	leafChunk      = 1 << 16
	firstLeafChunk = 1 << 12 // of a short trace; each of the next ones is twice as large
	hasReason      = 0x80
	hasArgument    = 0x40
	hasCause       = 0x20 // why it waited
	hasAll         = hasReason | hasArgument | hasCause
	// mostOfLeaf is above the packed size of a leaf.
	mostOfLeaf = 12 * binary.MaxVarintLen64
)

const _ = uint(hasCause - why.WaitCount) // there are bits for all waits

// addLeaves stores the leaves of a wait, maxOccupants at most. It returns their place, which is not 0.
func (s *leafStore) addLeaves(leaves []Leaf) uint32 {
	n := len(s.chunks) - 1
	if need := 1 + len(leaves)*mostOfLeaf; n < 0 || cap(s.chunks[n])-len(s.chunks[n]) < need {
		n++
		s.chunks = append(s.chunks, make([]byte, 0, min(firstLeafChunk<<min(n, 4), leafChunk)))
		if n == 0 {
			s.chunks[0] = append(s.chunks[0], 0)
		}
	}
	p := s.chunks[n]
	place := uint32(n*leafChunk + len(p))
	p = append(p, byte(len(leaves)))
	end := trace.Time(0)
	for i := range leaves {
		l := &leaves[i]
		p = binary.AppendVarint(p, int64(l.Start-end))
		p = binary.AppendVarint(p, int64(l.End-l.Start))
		p = binary.AppendVarint(p, int64(l.TID))
		p = binary.AppendVarint(p, int64(l.PID))
		wait := byte(l.Wait)
		if l.Reason != 0 {
			wait |= hasReason
		}
		if l.Argument != 0 {
			wait |= hasArgument
		}
		if l.Function != 0 || l.Interrupt != 0 || l.For != 0 {
			wait |= hasCause
		}
		p = binary.AppendUvarint(append(p, wait), uint64(l.Key))
		if l.Reason != 0 {
			p = binary.AppendUvarint(p, uint64(l.Reason))
		}
		if l.Argument != 0 {
			p = binary.AppendUvarint(p, uint64(l.Argument))
		}
		if wait&hasCause != 0 {
			p = binary.AppendUvarint(binary.AppendUvarint(p, uint64(l.Function)), uint64(l.Interrupt))
			p = binary.AppendVarint(binary.AppendVarint(p, int64(l.For)), int64(l.ForTime))
		}
		end = l.End
	}
	s.chunks[n] = p
	return place
}

// leavesAt returns the leaves in a place.
func (s *leafStore) leavesAt(leaves uint32) iter.Seq[Leaf] {
	return func(yield func(Leaf) bool) {
		if leaves == 0 {
			return
		}
		p := Unpack(s.chunks[leaves/leafChunk][leaves%leafChunk:])
		end := trace.Time(0)
		for range p.Byte() {
			l := Leaf{Start: end + trace.Time(p.signed())}
			l.End = l.Start + trace.Time(p.signed())
			l.TID, l.PID = trace.TID(p.signed()), trace.PID(p.signed())
			wait := p.Byte()
			l.Wait, l.Key = why.Wait(wait&^hasAll), NameKey(p.Uint())
			if wait&hasReason != 0 {
				l.Reason = NameKey(p.Uint())
			}
			if wait&hasArgument != 0 {
				l.Argument = uint32(p.Uint())
			}
			if wait&hasCause != 0 {
				l.Function, l.Interrupt = NameKey(p.Uint()), NameKey(p.Uint())
				l.For, l.ForTime = trace.TID(p.signed()), trace.Duration(p.signed())
			}
			if !yield(l) {
				return
			}
			end = l.End
		}
	}
}
