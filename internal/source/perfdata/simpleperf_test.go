package perfdata_test

import (
	"testing"

	"ohframe/internal/testing/perffile"
)

// simpleperf stores symbols of files in two forms. Those of an ELF file are at addresses of its memory, those of
// a module of the kernel relative to its text, and those of compiled code at addresses in memory.
func TestSimpleperfSymbols(t *testing.T) {
	files := []perffile.Symbols{
		{Path: "[kernel.kallsyms]", Type: 0, Symbols: []perffile.Symbol{perffile.Sym(0xffffffc010000000, 0x100, "schedule")}},
		{Path: "/vendor/gpu.ko", Type: 1, Vaddr: 0x30, Offset: 0x10, Symbols: []perffile.Symbol{perffile.Sym(0x40, 0x10, "gpu_wait")}},
		{Path: "/lib/libapp.so", Type: 2, Vaddr: 0x2000, Offset: 0x1000, Symbols: []perffile.Symbol{perffile.Sym(0x2000, 0x100, "app::main()"), perffile.Sym(0x2100, 0x80, "_ZN3app6layoutEi")}},
		{Path: "/app/base.apk!/classes.dex", Type: 3, Vaddr: 77, Offset: 78, Symbols: []perffile.Symbol{perffile.Sym(0x120, 0x20, "com.app.Main.run")}},
		{Path: "/data/jit_app_cache:1-2", Type: 2, Symbols: []perffile.Symbol{perffile.Sym(0x700010, 0x20, "compiled")}},
		{Path: "perf-10.map", Type: 4, Symbols: []perffile.Symbol{perffile.Sym(0x800010, 0x20, "mapped")}},
	}
	records := [][]byte{
		perffile.KernelMmap(0, 1<<64-1, "[kernel.kallsyms]"), perffile.KernelMmap(0xffffffc000000000, 0x1000, "/vendor/gpu.ko"),
		perffile.Comm(10, 10, "com.app", false),
		perffile.Mmap2(10, 0x500000, 0x1000, 0x1000, "/lib/libapp.so"), perffile.Mmap2(10, 0x600000, 0x1000, 0x100, "/app/base.apk!/classes.dex"),
		perffile.Mmap2(10, 0x700000, 0x1000, 0, "/data/jit_app_cache:1-2"), perffile.Mmap2(10, 0x800000, 0x1000, 0, "perf-10.map"),
		perffile.Sample(false, 7, 0x500110, 10, 10, 1, 0, 1, []uint64{perffile.User, 0x500110, 0x500000, 0x600020, 0x700018, 0x800018}),
		perffile.Sample(true, 7, 0xffffffc000000022, 10, 10, 2, 0, 1, []uint64{perffile.Kernel, 0xffffffc000000022, 0xffffffc010000008}),
	}
	for name, features := range map[string]map[int][]byte{
		"structures": {128: perffile.SimpleperfOldFiles(files...)},
		"messages":   {132: perffile.SimpleperfFiles(files...)},
	} {
		t.Run(name, func(t *testing.T) {
			file := &perffile.File{Events: []perffile.Event{cycles}, Records: records, Features: features}
			check(t, file.Bytes(), nil,
				"1 10/10 cpu0 1 libapp.so:app::layout(int) libapp.so:app::main() classes.dex:com.app.Main.run jit_app_cache:1-2:compiled perf-10.map:mapped",
				"2 10/10 cpu0 1 gpu.ko:gpu_wait [kernel.kallsyms]:schedule")
			for feature, data := range features {
				file.Features = map[int][]byte{feature: data[:len(data)-5]}
			}
			check(t, file.Bytes(), []string{"1 × table of symbols that ends early; its beginning is used"},
				"1 10/10 cpu0 1 libapp.so:app::layout(int) libapp.so:app::main() classes.dex:com.app.Main.run jit_app_cache:1-2:compiled perf-10.map:0x18",
				"2 10/10 cpu0 1 gpu.ko:gpu_wait [kernel.kallsyms]:schedule")
		})
	}
}
