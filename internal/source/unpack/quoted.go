package unpack

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted reads the text of a string of JavaScript or JSON. Its opening quote has been read. Read
// returns io.ErrUnexpectedEOF if the input ends within the string.
type quoted struct {
	in    *bufio.Reader
	quote byte
	left  []byte // decoded and not read
	done  bool
	buf   [utf8.UTFMax]byte
}

func (q *quoted) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for len(q.left) == 0 {
		if q.done {
			return 0, io.EOF
		}
		if _, err := q.in.Peek(1); err != nil {
			return 0, cutShort(err)
		}
		window, _ := q.in.Peek(q.in.Buffered())
		n := bytes.IndexAny(window, "\\"+string(rune(q.quote)))
		if n < 0 {
			n = len(window)
		}
		if n > 0 {
			n = copy(b, window[:n])
			q.in.Discard(n)
			return n, nil
		}
		q.in.Discard(1)
		if window[0] == q.quote {
			q.done = true
			continue
		}
		if err := q.escape(); err != nil {
			return 0, err
		}
	}
	n := copy(b, q.left)
	q.left = q.left[n:]
	return n, nil
}

// cutShort returns the error of a string that the input's end cuts.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// escape decodes what follows a backslash into left. A line end behind one is not part of the
// text: it continues the string on the next line of the source.
func (q *quoted) escape() error {
	c, err := q.in.ReadByte()
	if err != nil {
		return cutShort(err)
	}
	switch c {
	case '\n':
		return nil
	case '\r':
		if next, _ := q.in.Peek(1); len(next) > 0 && next[0] == '\n' {
			q.in.Discard(1)
		}
		return nil
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'x':
		return q.unit(2)
	case 'u':
		return q.unit(4)
	}
	q.buf[0] = c
	q.left = q.buf[:1]
	return nil
}

// unit decodes so many hexadecimal digits. Other text is kept as it is. Of a pair of surrogates,
// the second is decoded with the first.
func (q *quoted) unit(digits int) error {
	r, ok := q.hex(digits)
	if !ok {
		return nil
	}
	if utf16.IsSurrogate(r) {
		second := utf8.RuneError
		if next, _ := q.in.Peek(2); string(next) == `\u` {
			q.in.Discard(2)
			second, _ = q.hex(digits)
		}
		r = utf16.DecodeRune(r, second)
	}
	q.left = q.buf[:utf8.EncodeRune(q.buf[:], r)]
	return nil
}

func (q *quoted) hex(digits int) (rune, bool) {
	text, _ := q.in.Peek(digits)
	n, err := strconv.ParseUint(string(text), 16, 32)
	if err != nil || len(text) < digits {
		return 0, false
	}
	q.in.Discard(digits)
	return rune(n), true
}

// advancePast reads up to the end of the first of some texts, and returns its index. It returns the
// error of the input, such as io.EOF, if there is none.
func advancePast(in *bufio.Reader, texts ...string) (int, error) {
	longest := 0
	for _, text := range texts {
		longest = max(longest, len(text))
	}
	for {
		window, err := in.Peek(in.Size())
		first, found := len(window), -1
		for i, text := range texts {
			if at := bytes.Index(window, []byte(text)); at >= 0 && at < first {
				first, found = at, i
			}
		}
		if found >= 0 {
			in.Discard(first + len(texts[found]))
			return found, nil
		}
		if err != nil {
			return 0, err
		}
		in.Discard(len(window) - longest + 1)
	}
}
