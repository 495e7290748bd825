package perfdata

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"ohframe/analyzer/sample"
)

// maxSymbols is the maximum number of symbols, and of calls in the tables of stacks, of a file.
const maxSymbols = 1 << 22

// kernelPath is the path of the kernel among the files with symbols.
const kernelPath = "[kernel.kallsyms]"

// Types of files whose symbols are addresses in memory: ArkTS code, and code that engines of
// JavaScript compiled. hiperf looks for exactly these addresses.
const (
	typeHap    = 6
	typeJSVM   = 8
	typeArkWeb = 9
)

// symbolFile is the symbols of a module, in order of address.
type symbolFile struct {
	symbols []symbol
	vaddr   uint64 // of the code
	offset  uint64 // of the code in the file
	// absolute: the symbols are addresses in memory. exact: addresses are looked up as they are.
	absolute, exact bool
}

// symbol is a function, from address to end.
type symbol struct {
	address uint64
	size    uint32 // 0: to the next symbol
	index   int32  // in the file's section
	name    []byte
}

// symbolTable is the symbols of all modules.
type symbolTable struct {
	files map[int32]*symbolFile
	count int
}

// readSymbols reads a section of symbols.
func (p *perf) readSymbols(data []byte) {
	c := cursor{rest: data}
	for n := c.u32(); n > 0 && !c.short; n-- {
		path := c.text()
		kind := c.u32()
		f := &symbolFile{vaddr: c.u64(), offset: c.u64()}
		build := c.text()
		count := c.u32()
		if c.short {
			break
		}
		f.exact = kind == typeHap || kind == typeJSVM || kind == typeArkWeb
		f.absolute = f.exact
		if isKernel(path) {
			f.vaddr, f.offset = 0, 0 // relative to the start of the module
		}
		for ; count > 0; count-- {
			address, size, name := c.u64(), c.u32(), c.text()
			if c.short {
				break
			}
			p.addSymbol(f, address, size, name)
		}
		if m := p.addSymbols(path, f); m != nil && m.BuildID == "" {
			m.BuildID = valid(build[:min(len(build), 64)])
		}
	}
	if c.short {
		p.log.Add(badSymbols)
	}
}

func (p *perf) addSymbol(f *symbolFile, address uint64, size uint32, name []byte) {
	if p.symbols.count >= maxSymbols {
		p.log.Add(symbolsOver)
		return
	}
	f.symbols = append(f.symbols, symbol{address: address, size: size, name: name, index: int32(p.symbols.count)})
	p.symbols.count++
}

// addSymbols adds a file with all its symbols, and returns its module, or nil beyond the limit. The
// first file with a path counts.
func (p *perf) addSymbols(path []byte, f *symbolFile) *sample.Module {
	slices.SortStableFunc(f.symbols, func(a, b symbol) int { return cmp.Compare(a.address, b.address) })
	module := p.tables.module(path, isKernel(path))
	if module == sample.Unknown {
		return nil
	}
	if p.symbols.files[module] == nil {
		p.symbols.files[module] = f
	}
	if bytes.HasSuffix(path, []byte(".ko")) {
		p.modules[moduleName(path)] = module
	}
	return &p.tables.profile.Modules[module]
}

// isKernel reports whether a path is that of the kernel or of one of its modules.
func isKernel(path []byte) bool {
	return bytes.HasPrefix(path, []byte("[kernel")) || bytes.HasPrefix(path, []byte("[guest.kernel")) || bytes.HasSuffix(path, []byte(".ko"))
}

// moduleName returns the name of a module of the kernel, from its path or from a mapping.
func moduleName(path []byte) string {
	name := string(path[bytes.LastIndexByte(path, '/')+1:])
	return strings.ReplaceAll(strings.Trim(strings.TrimSuffix(name, ".ko"), "[]"), "-", "_")
}

// isService reports whether a path is that of a system process of the HongMeng kernel, whose
// symbols are relative to the start of the mapping.
//
// Source: hiperf, SymbolsFile::CreateSymbolsFile.
func isService(path string) bool {
	return path == "sysmgr.elf" || path == "devhost.elf" || path == "/lib/libdh-linux.so" || strings.HasPrefix(path, "/liblinux/")
}

// at returns the symbol that contains an address in the file, or nil.
func (f *symbolFile) at(address uint64) *symbol {
	if f == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(f.symbols, address, func(s symbol, a uint64) int { return cmp.Compare(s.address, a) })
	if !found {
		i--
	}
	if i < 0 {
		return nil
	}
	s := &f.symbols[i]
	if !found && (f.exact || s.size > 0 && address-s.address >= uint64(s.size)) {
		return nil
	}
	return s
}

// userFrame returns the frame of an address of a process.
func (p *perf) userFrame(s *space, at uint64) int32 {
	if s == nil {
		return p.tables.frame(unknown(at))
	}
	if i, ok := s.frames[at]; ok {
		return i
	}
	f := unknown(at)
	if m := s.find(at); m != nil && m.module != sample.Unknown {
		symbols := p.symbols.files[m.module]
		f.Module = m.module
		f.Address = at - m.start + m.offset
		switch {
		case symbols == nil:
		case symbols.absolute:
			f.Address = at
		case isService(p.tables.profile.Modules[m.module].Path):
			f.Address = at - m.start
		default:
			f.Address += symbols.vaddr - symbols.offset
		}
		if found := symbols.at(f.Address); found != nil {
			p.tables.named(&f, found.index, found.name)
		}
	}
	i := p.tables.frame(f)
	p.memory.cache(s, at, i)
	return i
}

// kernelFrame returns the frame of an address in the kernel. The kernel's own symbols include
// those of its modules.
func (p *perf) kernelFrame(at uint64) int32 {
	k := p.memory.kernel
	if i, ok := k.frames[at]; ok {
		return i
	}
	f := unknown(at)
	f.Module = p.kernel
	if m := p.memory.modules.find(at); m != nil && m.module != sample.Unknown {
		f.Module = m.module
		address, symbols := at-m.start, p.symbols.files[m.module]
		if symbols != nil {
			address += symbols.vaddr - symbols.offset
		}
		if s := symbols.at(address); s != nil {
			f.Address = address
			f.Function = p.tables.function(f.Module, s.index, s.name)
		}
	}
	if f.Function == sample.Unknown {
		if s := p.symbols.files[p.kernel].at(at); s != nil {
			f.Function = p.tables.function(f.Module, s.index, s.name)
		}
	}
	i := p.tables.frame(f)
	p.memory.cache(k, at, i)
	return i
}
