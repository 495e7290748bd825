package perfdata

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// Types of files with symbols of simpleperf.
//
// Source: AOSP, simpleperf, record_file_format.h, record_file.proto and dso.cpp.
const (
	dsoModule    = 1 // of the kernel
	dsoELF       = 2
	dsoDex       = 3
	dsoSymbolMap = 4 // and unknown files above
)

// newSimpleperfFile returns a file without symbols. Symbols of compiled code are addresses in memory.
func newSimpleperfFile(path []byte, kind, vaddr, offset uint64) *symbolFile {
	f := &symbolFile{}
	switch {
	case kind >= dsoSymbolMap || bytes.Contains(path, []byte("jit_app_cache")) || bytes.Contains(path, []byte("jit_zygote_cache")):
		f.absolute = true
	case kind == dsoELF || kind == dsoModule:
		f.vaddr, f.offset = vaddr, offset
	}
	return f
}

// readSimpleperfOld reads a section of files with symbols as structures.
func (p *perf) readSimpleperfOld(data []byte) {
	c := cursor{rest: data}
	for len(c.rest) > 0 {
		in := cursor{rest: c.take(uint64(c.u32()))}
		path, kind, vaddr := in.cText(), uint64(in.u32()), in.u64()
		symbols := in // read twice: what follows them says where the file begins
		count := in.u32()
		for i := count; i > 0 && !in.short; i-- {
			in.take(12)
			in.cText()
		}
		if kind == dsoDex {
			in.skip(uint64(in.u32()))
		}
		if c.short || in.short {
			p.log.Add(badSymbols)
			return
		}
		offset := uint64(0)
		if (kind == dsoELF || kind == dsoModule) && len(in.rest) >= 8 { // old files do not have it
			offset = in.u64()
		}
		f := newSimpleperfFile(path, kind, vaddr, offset)
		for i := symbols.u32(); i > 0; i-- {
			p.addSymbol(f, symbols.u64(), symbols.u32(), symbols.cText())
		}
		p.addSymbols(path, f)
	}
}

// readSimpleperf reads a section of files with symbols as messages.
func (p *perf) readSimpleperf(data []byte) {
	c := cursor{rest: data}
	for len(c.rest) > 0 {
		m := c.take(uint64(c.u32()))
		if c.short || !p.simpleperfFile(m) {
			p.log.Add(badSymbols)
			return
		}
	}
}

func (p *perf) simpleperfFile(m []byte) bool {
	var path []byte
	var kind, vaddr, offset uint64
	ok := fields(m, func(field protowire.Number, number uint64, data []byte) {
		switch field {
		case 1:
			path = data
		case 2:
			kind = number
		case 3:
			vaddr = number
		case 6, 7: // of an ELF file, and of a module of the kernel
			fields(data, func(field protowire.Number, number uint64, _ []byte) {
				if field == 1 {
					offset = number
				}
			})
		}
	})
	f := newSimpleperfFile(path, kind, vaddr, offset)
	fields(m, func(field protowire.Number, _ uint64, data []byte) {
		if field == 4 {
			ok = p.simpleperfSymbol(f, data) && ok
		}
	})
	p.addSymbols(path, f)
	return ok
}

func (p *perf) simpleperfSymbol(f *symbolFile, m []byte) bool {
	var address, size uint64
	var name []byte
	ok := fields(m, func(field protowire.Number, number uint64, data []byte) {
		switch field {
		case 1:
			address = number
		case 2:
			size = number
		case 3:
			name = data
		}
	})
	p.addSymbol(f, address, uint32(size), name)
	return ok
}
