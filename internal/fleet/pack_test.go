package fleet

import (
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ohframe"
	"ohframe/internal/testing/must"
)

// Rows that were packed are those of the library in every column, and small.
func TestPacked(t *testing.T) {
	read := func(name string) *ohframe.Trace {
		f := must.Get(Files{}.Open(t.Context(), name))(t)
		defer f.Close()
		trace := must.Get(ohframe.Read(t.Context(), f, withCauses))(t)
		return trace
	}
	counted := [tables]int{}
	for _, name := range []string{"demo.ftrace", "flings.ftrace.gz", "layers.ftrace.gz", "captures/openharmony-5.0-browser.ftrace"} {
		value := "x"
		var packers [tables]*packer
		for of := range packers {
			packers[of] = newPacker(everything(table(of), []string{"a", "b"}))
		}
		var want [tables][]parquet.Row
		rowsOf(source{name: name, dims: []*string{nil, &value}}, read("../../testdata/"+name), func(of table, r *Row) {
			packers[of].add(r)
			want[of] = append(want[of], newRecord("rows", r.cells(everything(of, []string{"a", "b"}))).store(nil).Clone())
		})
		for of, p := range packers {
			taken, i := p.take(), 0
			must.Do(t, taken.load(p.cells, func() error {
				if got := newRecord("rows", p.cells).store(nil); !got.Equal(want[of][i]) {
					t.Fatalf("%s, row %d of %s: %v, want %v", name, i, tableFolders[of], got, want[of][i])
				}
				i++
				return nil
			}))
			if i != len(want[of]) || i != taken.n || p.n != 0 {
				t.Errorf("%s: %d rows, want %d", name, i, len(want[of]))
			}
			counted[of] += i
		}
	}
	for of, n := range counted {
		if n == 0 {
			t.Errorf("no rows of %s", tableFolders[of])
		}
	}
	// Many scenes without frames.
	p, size := newPacker(everything(ofInteractions, nil)), 0
	for i := range 10_000 {
		p.add(&Row{Trace: "a trace with a long name", Process: "com.example.app", Kind: "scene", Scene: fmt.Sprint("scene ", i%10), Interaction: int64(i)})
	}
	for _, b := range p.blocks {
		size += cap(b)
	}
	if size > 10_000*250 || len(p.texts) > 20 {
		t.Errorf("%d bytes, %d texts", size, len(p.texts))
	}
}
