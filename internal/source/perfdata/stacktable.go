package perfdata

// Bits of a call in a table of stacks, from the lowest: the address, the index of the caller, one
// for the kernel. The stack id of a sample has an index, and above it the number of calls.
//
// Source: hiperf, unique_stack_table.h. The files of 2023 that have the table as feature 196 have
// shorter indexes: only with 20 bits are all their stacks whole.
const (
	addressBits  = 40
	indexBits    = 23
	oldIndexBits = 20
	kernelBits   = 0xffffff << addressBits // the upper bits of an address in the kernel
)

// stackKey is a call of a process.
type stackKey struct {
	pid   int32
	index uint32
}

// stackTable has the calls of deduplicated stacks.
type stackTable struct {
	calls     map[stackKey]uint64
	indexBits int
}

// readStacks reads a section of deduplicated stacks, and reports whether all of data is one.
func (p *perf) readStacks(data []byte) (whole bool) {
	c := cursor{rest: data}
	for n := c.u32(); n > 0 && !c.short; n-- {
		pid := int32(c.u32())
		c.u32() // the size of the table in hiperf's memory
		for count := c.u32(); count > 0 && !c.short; count-- {
			key, call := stackKey{pid, c.u32()}, c.u64()
			switch {
			case c.short:
			case len(p.stacks.calls) >= maxSymbols:
				p.log.Add(symbolsOver)
			default:
				p.stacks.calls[key] = call
			}
		}
	}
	return !c.short && len(c.rest) == 0
}

// addresses appends the addresses of the stack with an id, the innermost first. It reports whether
// the stack is whole.
func (t *stackTable) addresses(list []uint64, pid int32, id uint64) ([]uint64, bool) {
	index, n := uint32(id&(1<<t.indexBits-1)), id>>t.indexBits
	// A stack without a cycle has no more calls than the table. maxDepth cuts it before that.
	for ; n > 0 && len(list) <= 2*maxDepth; n-- {
		call, ok := t.calls[stackKey{pid, index}]
		if !ok {
			return list, false
		}
		address := call & (1<<addressBits - 1)
		if call>>(addressBits+t.indexBits)&1 != 0 {
			address |= kernelBits
		}
		list = append(list, address)
		previous := uint32(call >> addressBits & (1<<t.indexBits - 1))
		if previous == 0 {
			return list, true
		}
		if previous == index {
			return list, false
		}
		index = previous
	}
	return list, n > 0
}
