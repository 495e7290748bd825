// Package lines reads text line by line, in bounded memory.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

// Reader reads lines and skips those that are too long.
type Reader struct {
	// Line is the current line without its end and surrounding white space. It is valid
	// until the next call of Next.
	Line []byte
	// Number is the number of the current line, counted from 1.
	Number int
	// TooLong counts the skipped lines.
	TooLong int
	// Err is the error that ended reading, nil at the end of the input.
	Err error

	ctx  context.Context
	in   *bufio.Reader
	most int
	long []byte // for a line that does not fit into the buffer
}

const bufferSize = 64 << 10

// NewReader returns a reader that skips lines of more than most bytes.
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
