package hisysevent

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// The limits of a List, in bytes.
const (
	maxLine  = 256 << 10 // hisysevent-plugin cuts lines at that
	maxBytes = 64 << 20
)

// IsLine reports whether a line of another text, without white space around it, is an event.
func IsLine(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"domain_"`)) }

// List is lines in memory, as far as the limits allow.
type List struct {
	Lines [][]byte
	Over  int // lines beyond the limits
	bytes int
}

// Add adds a line. The list refers to it.
func (l *List) Add(line []byte) {
	if len(line) > maxLine || l.bytes+len(line) > maxBytes {
		l.Over++
		return
	}
	l.bytes += len(line)
	l.Lines = append(l.Lines, line)
}

// Warnings says how many lines were skipped.
func (l *List) Warnings() []trace.Warning {
	if l.Over == 0 {
		return nil
	}
	return []trace.Warning{{Code: trace.WarnOverLimit, Count: l.Over, Text: diag.Count(l.Over, "event") + " of the system beyond 256 KiB, or 64 MiB for all, skipped"}}
}

// Read adds the lines of a text that are not blank. The error is that of r.
func (l *List) Read(r io.Reader) error {
	text := bufio.NewReaderSize(r, maxLine+2) // with the end of the line
	for {
		line, err := text.ReadSlice('\n')
		over := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = text.ReadSlice('\n')
		}
		if line = bytes.TrimSpace(line); over {
			l.Over++
		} else if len(line) > 0 {
			l.Add(bytes.Clone(line))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
