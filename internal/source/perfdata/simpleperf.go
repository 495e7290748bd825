package perfdata

import (
	"bytes"

	"ohframe/internal/source/kernel"
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
	var file, inner kernel.Values
	ok := file.Read(m)
	for _, one := range file.Texts[6:8] { // of an ELF file, or of a module of the kernel
		if one != nil {
			inner.Read(one)
		}
	}
	path := file.Texts[1]
	f := newSimpleperfFile(path, file.Numbers[2], file.Numbers[3], inner.Numbers[1])
	for symbols := (kernel.Fields{Rest: m}); symbols.Next(); {
		if symbols.Number == 4 {
			ok = inner.Read(symbols.Data) && ok
			p.addSymbol(f, inner.Numbers[1], uint32(inner.Numbers[2]), inner.Texts[3])
		}
	}
	p.addSymbols(path, f)
	return ok
}
