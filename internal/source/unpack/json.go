package unpack

import (
	"bufio"
	"bytes"
	"io"

	"ohframe/internal/diag"
	"ohframe/internal/pattern"
)

// The JSON of Chrome's trace viewer may have the text of a trace of the system:
//
//	{"traceEvents": [ … ], "systemTraceEvents": "# tracer: nop\n…"}
const (
	systemEvents = `"systemTraceEvents"`
	viewerEvents = `"traceEvents"`
)

// isJSON reports whether an input is an object of Chrome's trace viewer.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	return bytes.HasPrefix(head, []byte("{")) && (bytes.Contains(head, []byte(systemEvents)) || bytes.Contains(head, []byte(viewerEvents)))
}

var valueStart = pattern.New(`^[ \t\r\n]*:[ \t\r\n]*"`)

func openJSON(c *Content, in *bufio.Reader) (io.Reader, error) {
	for {
		if _, err := advancePast(in, systemEvents); err != nil {
			return nil, &Error{What: ErrNotATrace.Error() + " (JSON)", Hint: "record a trace instead: " + diag.RecordCommand, Err: ErrNotATrace}
		}
		head, _ := in.Peek(64)
		if start := valueStart().Find(head); start != nil {
			in.Discard(len(start))
			return c.newStream("JSON", &systemText{quoted{in: in, quote: '"'}}), nil
		}
	}
}

// systemText reads the string, and then over the rest of the object.
type systemText struct{ quoted }

func (s *systemText) Read(b []byte) (int, error) {
	n, err := s.quoted.Read(b)
	if err == io.EOF {
		if _, rest := io.Copy(io.Discard, s.in); rest != nil {
			return n, rest
		}
	}
	return n, err
}
