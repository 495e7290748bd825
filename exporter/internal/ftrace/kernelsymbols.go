package ftrace

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/exporter/internal/packet"
)

const (
	internedKernelSymbols = 26 // InternedData.kernel_symbols

	internedStringIID = 1 // InternedString.iid
	internedStringStr = 2 // InternedString.str
)

// symbolTable numbers the kernel functions in events: an event contains the number,
// InternedData the name. Numbers count from 1 in the order of first use and are valid
// until the table is reset. The entry of a name survives a reset, so that its next use
// allocates nothing, until the number of entries exceeds the limit.
type symbolTable struct {
	limit int
	known map[string]*symbol
	used  []*symbol // since the last reset; a symbol's number is its index plus one
	scope int       // counts resets
}

type symbol struct {
	name  string
	id    uint64
	scope int // in which id is valid
}

// id returns the name's number.
func (t *symbolTable) id(name []byte) uint64 {
	s := t.known[string(name)]
	if s == nil {
		if t.known == nil {
			t.known = map[string]*symbol{}
		}
		s = &symbol{name: strings.ToValidUTF8(string(name), "\uFFFD"), scope: t.scope - 1}
		t.known[string(name)] = s
	}
	if s.scope != t.scope {
		t.used = append(t.used, s)
		s.id, s.scope = uint64(len(t.used)), t.scope
	}
	return s.id
}

// len returns how many names have a number.
func (t *symbolTable) len() int { return len(t.used) }

// reset invalidates all numbers.
func (t *symbolTable) reset() {
	if len(t.known) > t.limit {
		t.known = nil
	}
	clear(t.used)
	t.used = t.used[:0]
	t.scope++
}

// appendInternedData appends TracePacket.interned_data with the numbered names, or
// nothing without any.
func (t *symbolTable) appendInternedData(buf []byte) []byte {
	if len(t.used) == 0 {
		return buf
	}
	buf, data := packet.Begin(buf, packet.FieldInternedData)
	for _, s := range t.used {
		symbol, start := packet.Begin(buf, internedKernelSymbols)
		symbol = packet.AppendVarint(symbol, internedStringIID, s.id)
		symbol = protowire.AppendTag(symbol, internedStringStr, protowire.BytesType)
		buf = packet.End(protowire.AppendString(symbol, s.name), start)
	}
	return packet.End(buf, data)
}
