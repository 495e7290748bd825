package perfdata_test

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"testing"

	"ohframe/analyzer/sample"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/perffile"
	"ohframe/internal/testing/slow"
)

// many returns a file whose records are n copies of blocks of records.
func many(n int, block ...[]byte) *perffile.Repeated {
	f := app()
	f.Features = nil
	head := f.Bytes()
	r := &perffile.Repeated{Head: head, Records: bytes.Join(block, nil), N: n}
	clear(head[48:56]) // the data goes to the end of the file
	return r
}

// drain reads all samples, and returns how many there are.
func drain(t testing.TB, r io.ReaderAt, size int64) (p *perfdata.Reader, n int) {
	t.Helper()
	p, err := perfdata.Open(r, size, perfdata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var s sample.Sample
	for err = p.Next(&s); err == nil; err = p.Next(&s) {
		n++
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return p, n
}

// block is 1000 samples of 20 calls, of 1000 different stacks.
func block() [][]byte {
	var list [][]byte
	for i := range uint64(1000) {
		chain := []uint64{perffile.User}
		for depth := range uint64(20) {
			chain = append(chain, 0x500000+(i*(20-depth))%0x1000)
		}
		list = append(list, perffile.Sample(false, 7, chain[1], 10, int32(10+i%2), 1000*i, uint32(i%8), 1, chain))
	}
	return list
}

// Memory does not grow with the number of samples.
func TestManySamples(t *testing.T) {
	n := slow.Of(100, 10_000) // thousands
	file := many(n, block()...)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, read := drain(t, file, file.Size())
	runtime.GC()
	runtime.ReadMemStats(&after)
	if read != n*1000 || len(r.Profile().Stacks) > 20_000 {
		t.Errorf("%d samples, %d stacks", read, len(r.Profile().Stacks))
	}
	const most = 16 << 20
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > most {
		t.Errorf("%d bytes for %d samples", grown, read)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4*most {
		t.Errorf("%d bytes allocated for %d samples", allocated, read)
	}
	runtime.KeepAlive(r)
}

// The cost is that of the records, however they are arranged.
func TestCost(t *testing.T) {
	descending := func(n int) [][]byte {
		var list [][]byte
		for i := range n {
			at := uint64(1<<40 - i<<12)
			list = append(list, perffile.Mmap2(int32(i>>13), at, 1<<12, 0, "/lib/a.so"), perffile.Sample(false, 7, at, int32(i>>13), 10, 1, 0, 1, nil))
		}
		return list
	}
	forks := func(n int) [][]byte {
		var list [][]byte
		for i := range int32(n) {
			list = append(list, perffile.Fork(100+i, 10), perffile.Mmap2(100+i, 0x100000, 0x1000, 0, "/lib/b.so"))
		}
		return list
	}
	cycle := func(n int) [][]byte {
		return slices.Repeat([][]byte{perffile.Sample(false, 7, 0, 10, 10, 1, 0, 1, nil, perffile.StackID(1, 1<<40, 23))}, n/50)
	}
	for name, make := range map[string]func(n int) [][]byte{"descending mappings": descending, "forks": forks, "cycles": cycle} {
		t.Run(name, func(t *testing.T) {
			hostiletest.CheckLinear(t, 20_000, func(n int) func() {
				f := app(make(n)...)
				f.Features[197] = perffile.StackTable(10, 23, perffile.Call{Index: 1, Caller: 2, Address: 0x500000}, perffile.Call{Index: 2, Caller: 1, Address: 0x500010})
				file := f.Bytes()
				return func() { drain(t, bytes.NewReader(file), int64(len(file))) }
			})
		})
	}
}

// Sizes and counts beyond the file allocate nothing.
func TestHugeCounts(t *testing.T) {
	f := app()
	huge := bytes.Repeat([]byte{255}, 4)
	for feature, data := range map[int][]byte{
		11: huge, 12: huge, 192: huge, 196: append(slices.Clone(huge), words(1<<32-1, 1<<32-1)...), 197: append(slices.Clone(huge), words(1<<32-1, 1<<32-1)...),
	} {
		f.Features[feature] = data
	}
	file := f.Bytes()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	drain(t, bytes.NewReader(file), int64(len(file)))
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

func BenchmarkSamples(b *testing.B) {
	file := many(100, block()...)
	b.SetBytes(file.Size())
	for b.Loop() {
		drain(b, file, file.Size())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/sample")
}
