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
	texts  [][]byte // each once, in UTF-8; the blocks have their indexes
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

func newPacker(w wanted) *packer {
	p := &packer{index: map[string]int{}}
	p.cells = p.row.cells(w)
	return p
}

// take returns what was packed, and makes the packer ready for another trace.
func (p *packer) take() packed {
	taken := p.packed
	p.packed = packed{}
	clear(p.index)
	return taken
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
			p.index[s], p.texts = i, append(p.texts, []byte(validText(s)))
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

// load sets the variables of cells, which are those of a packer of the table, to each row and calls yield. Lists
// and pointers are the row's own.
func (p *packed) load(cells []cell, yield func() error) error {
	var b []byte
	integer := func() int64 {
		n, size := binary.Varint(b)
		b = b[size:]
		return n
	}
	text := func() string { return string(p.texts[integer()]) }
	for _, b = range p.blocks {
		for len(b) > 0 {
			for _, c := range cells {
				switch x := c.to.(type) {
				case *int64:
					*x = integer()
				case *trace.PID:
					*x = trace.PID(integer())
				case *string:
					*x = text()
				case *stats.Kind:
					*x = stats.Kind(text())
				case **int64:
					*x = optional(integer, integer)
				case **string:
					*x = optional(integer, text)
				case *[]int64:
					*x = list(integer, integer)
				case *[]string:
					*x = list(integer, text)
				case *[]int32:
					*x = list(integer, func() int32 { return int32(integer()) })
				}
			}
			if err := yield(); err != nil {
				return err
			}
		}
	}
	return nil
}

// optional returns a value that has a leading one; nil if it has a zero.
func optional[T any](integer func() int64, value func() T) *T {
	if integer() == 0 {
		return nil
	}
	return new(value())
}

// list returns values that have a leading length.
func list[T any](integer func() int64, value func() T) []T {
	values := make([]T, integer())
	for i := range values {
		values[i] = value()
	}
	return values
}
