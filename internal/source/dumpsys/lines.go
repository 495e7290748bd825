package dumpsys

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
)

const bufferSize = 64 << 10

// eachLine calls parse for each line of r, without its end and surrounding white space. The
// line is valid until parse returns, which reports whether the line is well-formed. Lines
// of more than most bytes are skipped, and their number is returned. In strict mode the
// first line that is too long or malformed is an error; damage describes the latter.
func eachLine(ctx context.Context, r io.Reader, most int, strict bool, damage string, parse func(line []byte) bool) (tooLong int, err error) {
	in := bufio.NewReaderSize(r, bufferSize)
	var long []byte // a line that does not fit into the buffer
	for number := 1; ; number++ {
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
		case size > most && strict:
			return 1, fmt.Errorf("line %d: longer than the limit (limit: line)", number)
		case size > most:
			tooLong++
			continue
		case len(long) > 0:
			long = append(long, line...)
			line = long
		}
		if !parse(bytes.TrimSpace(line)) && strict {
			return tooLong, fmt.Errorf("line %d: %s", number, damage)
		}
	}
}
