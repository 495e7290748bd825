package dumpsys

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

const bufferSize = 64 << 10

// eachLine calls parse for each line of r, without its end and surrounding white space. The
// line is valid until parse returns. Lines
// of more than most bytes are skipped, and their number is returned.
func eachLine(ctx context.Context, r io.Reader, most int, parse func(line []byte)) (tooLong int, err error) {
	in := bufio.NewReaderSize(r, bufferSize)
	var long []byte // a line that does not fit into the buffer
	for {
		if err := ctx.Err(); err != nil {
			return tooLong, err
		}
		line, more, err := in.ReadLine()
		long = long[:0]
		size := len(line)
		for more && err == nil {
			if size <= most {
				long = append(long, line...)
			}
			line, more, err = in.ReadLine()
			size += len(line)
		}
		switch {
		case err != nil && err != io.EOF:
			return tooLong, err
		case err != nil && size == 0:
			return tooLong, nil
		case size > most:
			tooLong++
			continue
		case len(long) > 0:
			long = append(long, line...)
			line = long
		}
		parse(bytes.TrimSpace(line))
	}
}
