package fleet

import (
	"encoding/binary"
	"fmt"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// packed has the rows of a table in few bytes, because most values are zero. A trace may have
// hundreds of thousands of rows, and they wait until those of the traces before it are written.
type packed struct {
	n      int
	blocks [][]byte // of whole rows
	texts  []string // each once; the blocks have their indexes
}

// blockSize is the size of a block before the last row in it.
const blockSize = 64 << 10

// packer packs rows.
type packer struct {
	packed
	row   Row
	cells []cell // of row
	index map[string]int
}

func newPacker(t table, dims []string) *packer {
	p := &packer{index: map[string]int{}}
	p.cells = p.row.cells(everything(t, dims))
	return p
}

// set copies a row, but keeps the variables of the dimensions, which cells refer to.
func (r *Row) set(from *Row) {
	dims := r.Dims
	copy(dims, from.Dims)
	*r = *from
	r.Dims = dims
}

// add packs a row.
func (p *packer) add(r *Row) {
	p.row.set(r)
	last := len(p.blocks) - 1
	if last < 0 || len(p.blocks[last]) >= blockSize {
		p.blocks = append(p.blocks, make([]byte, 0, blockSize/8))
		last++
	}
	b := p.blocks[last]
	integer := func(n int64) { b = binary.AppendVarint(b, n) }
	// What may be nil has a leading one.
	pointer := func(n *int64) {
		if n == nil {
			integer(0)
			return
		}
		integer(1)
		integer(*n)
	}
	text := func(s string) {
		i, known := p.index[s]
		if !known {
			i = len(p.texts)
			p.index[s], p.texts = i, append(p.texts, s)
		}
		integer(int64(i))
	}
	for _, c := range p.cells {
		switch x := c.to.(type) {
		case *int64:
			integer(*x)
		case *trace.PID:
			integer(int64(*x))
		case **int64:
			pointer(*x)
		case *string:
			text(*x)
		case *stats.Kind:
			text(string(*x))
		case **string:
			if *x == nil {
				integer(0)
			} else {
				integer(1)
				text(**x)
			}
		case *[]string:
			integer(int64(len(*x)))
			for _, s := range *x {
				text(s)
			}
		case *[]int32:
			integer(int64(len(*x)))
			for _, n := range *x {
				integer(int64(n))
			}
		case *[]int64:
			integer(int64(len(*x)))
			for _, n := range *x {
				integer(n)
			}
		default:
			panic(fmt.Sprintf("a column of type %T", x)) // a mistake in Row.cells
		}
	}
	p.blocks[last] = b
	p.n++
}

// each sets the cells of a row, which are those of a packer of the table, to each row, and calls
// yield.
func (p *packed) each(cells []cell, yield func() error) error {
	for _, b := range p.blocks {
		integer := func() int64 {
			n, size := binary.Varint(b)
			b = b[size:]
			return n
		}
		text := func() string { return p.texts[integer()] }
		for len(b) > 0 {
			for _, c := range cells {
				switch x := c.to.(type) {
				case *int64:
					*x = integer()
				case *trace.PID:
					*x = trace.PID(integer())
				case **int64:
					if *x = nil; integer() == 1 {
						n := integer()
						*x = &n
					}
				case *string:
					*x = text()
				case *stats.Kind:
					*x = stats.Kind(text())
				case **string:
					if *x = nil; integer() == 1 {
						s := text()
						*x = &s
					}
				case *[]string:
					*x = (*x)[:0]
					for range integer() {
						*x = append(*x, text())
					}
				case *[]int32:
					*x = (*x)[:0]
					for range integer() {
						*x = append(*x, int32(integer()))
					}
				case *[]int64:
					*x = (*x)[:0]
					for range integer() {
						*x = append(*x, integer())
					}
				}
			}
			if err := yield(); err != nil {
				return err
			}
		}
	}
	return nil
}
