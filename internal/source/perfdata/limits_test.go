package perfdata_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/sample"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/perffile"
)

// Each limit is exceeded by one, or a few where that is simpler, and is then reported. The samples remain.
func TestLimits(t *testing.T) {
	one := perffile.Sample(false, 7, 0x500000, 10, 10, 1, 0, 1, nil)
	over := map[string]struct {
		file    func() []byte
		warning string
	}{
		"mappings of a process": {func() []byte {
			var list [][]byte
			for i := range uint64(1<<14 + 1) { // two are in use, and each may become three
				list = append(list, perffile.Mmap2(10, 1<<32+i<<12, 1<<12, 0, "/lib/a.so"))
			}
			return app(append(list, one)...).Bytes()
		}, "4 × mapping beyond 16 Ki of a process or 256 Ki in all; skipped"},
		"mappings": {func() []byte {
			var list [][]byte
			for i := range uint64(1<<18 + 1) { // four are in use
				list = append(list, perffile.Mmap2(100+int32(i>>12), 1<<32+i<<12, 1<<12, 0, "/lib/a.so"))
			}
			return app(append(list, one)...).Bytes()
		}, "6 × mapping beyond 16 Ki of a process or 256 Ki in all; skipped"},
		"files": {func() []byte {
			var list [][]byte
			for i := range uint64(1<<16 + 1) {
				list = append(list, perffile.Mmap2(100, 1<<32, 1<<12, 0, fmt.Sprint("/lib/", i)))
			}
			return app(append(list, one, perffile.Sample(false, 7, 1<<32, 100, 10, 2, 0, 1, nil))...).Bytes()
		}, ""},
		"addresses": {func() []byte {
			var list [][]byte
			for at := uint64(0); at < 1<<20+1000; at += 1000 { // two samples, and the last, have new addresses beyond the limit
				var chain []uint64
				for i := range uint64(1000) {
					chain = append(chain, 1<<32+at+i)
				}
				list = append(list, perffile.Sample(false, 7, 0, 10, 10, 1, 0, 1, chain))
			}
			return app(append(list, one)...).Bytes()
		}, "3 × sample without its stack: more than 4 Mi calls, 1 Mi addresses or 64 Ki files"},
		"events": {func() []byte {
			f := app(one)
			f.Events = slices.Repeat(f.Events, 1026)
			return f.Bytes()
		}, "2 × event beyond 1024, or id beyond 1 Mi; skipped"},
		"ids": {func() []byte {
			f := app(one)
			for id := range uint64(1<<20 + 3) {
				f.Events[0].IDs = append(f.Events[0].IDs, 100+id)
			}
			return f.Bytes()
		}, "5 × event beyond 1024, or id beyond 1 Mi; skipped"},
		"section": {func() []byte {
			f := app(one)
			f.Features[197] = make([]byte, 64<<20+1)
			return f.Bytes()
		}, "1 × section or message larger than 64 MiB; skipped"},
	}
	for name, test := range over {
		t.Run(name, func(t *testing.T) {
			p, list, warnings := whole(t, test.file())
			warnings = slices.DeleteFunc(warnings, func(w string) bool { return strings.HasSuffix(w, "without a name") })
			must.EqualSlices(t, warnings, slices.DeleteFunc([]string{test.warning}, func(w string) bool { return w == "" }))
			last := describe(p, list[len(list)-1:])[0]
			switch name {
			case "files":
				if list[len(list)-1].Stack == sample.Unknown || !strings.HasSuffix(last, "?:0x100000000") || len(p.Modules) != 1<<16 {
					t.Errorf("%s, %d modules", last, len(p.Modules))
				}
			case "addresses":
				must.Equal(t, len(p.Frames), 1<<20, "frames")
			default:
				if last != "1 10/10 cpu0 1 libapp.so:app::main()" {
					t.Error(last)
				}
			}
		})
	}
}
