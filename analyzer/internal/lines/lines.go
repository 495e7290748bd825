// Package lines reads text line by line, in bounded memory.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

// Reader reads lines. One that is too long is passed over.
type Reader struct {
	// Line is the last one that was read, without its end and the blanks around
	// it. It is valid until the next.
	Line []byte
	// Number is its number, from 1.
	Number int
	// TooLong counts the lines that were passed over.
	TooLong int
	// Err is why there is no next line, nil at the end of the input.
	Err error

	ctx  context.Context
	in   *bufio.Reader
	most int
	long []byte // for a line that does not fit into the buffer
}

const bufferSize = 64 << 10

// NewReader returns a reader of lines of at most so many bytes.
func NewReader(ctx context.Context, r io.Reader, most int) *Reader {
	return &Reader{ctx: ctx, in: bufio.NewReaderSize(r, bufferSize), most: most}
}

// Next reads the next line and reports whether there is one.
func (r *Reader) Next() bool {
	for {
		if r.Err = r.ctx.Err(); r.Err != nil {
			return false
		}
		line, more, err := r.in.ReadLine()
		r.long = r.long[:0]
		size := len(line)
		for more && err == nil {
			if size <= r.most {
				r.long = append(r.long, line...)
			}
			line, more, err = r.in.ReadLine()
			size += len(line)
		}
		if err != nil && err != io.EOF {
			r.Err = err
			return false
		} else if err != nil && size == 0 {
			return false
		}
		r.Number++
		if size > r.most {
			r.TooLong++
			continue
		}
		if len(r.long) > 0 {
			r.long = append(r.long, line...)
			line = r.long
		}
		r.Line = bytes.TrimSpace(line)
		return true
	}
}
