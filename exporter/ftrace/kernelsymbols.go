package ftrace

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/exporter/packet"
)

const (
	internedKernelSymbols = 26 // InternedData.kernel_symbols

	internedStringIID = 1 // InternedString.iid
	internedStringStr = 2 // InternedString.str
)

// symbolTable numbers the functions of the kernel that events name: an event
// holds the number, InternedData the name. Numbers count from 1 in the order of
// first use and hold until the table is reset; what is known of a name outlasts
// that, so that it costs nothing the next time, until there are more than the
// limit.
type symbolTable struct {
	limit int
	known map[string]*symbol
	used  []*symbol // since the last reset; a symbol's number is its index plus one
	scope int       // counts resets
}

type symbol struct {
	name  string
	id    uint64
	scope int // in which id holds
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

// reset takes all numbers back.
func (t *symbolTable) reset() {
	if len(t.known) > t.limit {
		t.known = nil
	}
	clear(t.used)
	t.used = t.used[:0]
	t.scope++
}

// truncate takes back all numbers but the first n.
func (t *symbolTable) truncate(n int) {
	for _, s := range t.used[n:] {
		s.scope = t.scope - 1
	}
	t.used = t.used[:n]
}

// appendInternedData appends TracePacket.interned_data with the names that have
// a number, or nothing if there are none.
func (t *symbolTable) appendInternedData(buf []byte) []byte {
	if len(t.used) == 0 {
		return buf
	}
	size := 0
	for _, s := range t.used {
		size += protowire.SizeTag(internedKernelSymbols) + protowire.SizeBytes(s.size())
	}
	buf = protowire.AppendTag(buf, packet.FieldInternedData, protowire.BytesType)
	buf = protowire.AppendVarint(buf, uint64(size))
	for _, s := range t.used {
		buf = protowire.AppendTag(buf, internedKernelSymbols, protowire.BytesType)
		buf = protowire.AppendVarint(buf, uint64(s.size()))
		buf = protowire.AppendTag(buf, internedStringIID, protowire.VarintType)
		buf = protowire.AppendVarint(buf, s.id)
		buf = protowire.AppendTag(buf, internedStringStr, protowire.BytesType)
		buf = protowire.AppendString(buf, s.name)
	}
	return buf
}

// size returns the size in bytes of the symbol as an InternedString.
func (s *symbol) size() int {
	return protowire.SizeTag(internedStringIID) + protowire.SizeVarint(s.id) +
		protowire.SizeTag(internedStringStr) + protowire.SizeBytes(len(s.name))
}
