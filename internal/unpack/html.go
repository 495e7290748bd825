package unpack

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// A page that systrace wrote is some megabytes of a viewer, and after it one
// element for each kind of data: ftrace's text, lists of processes, JSON.
//
//	<script class="trace-data" type="application/text">
//	# tracer: nop
//	…
//	  </script>
const (
	sectionStart = `<script class="trace-data" type="application/text">`
	sectionEnd   = `</script>`
)

// maxIndent bounds the blanks before the end of a section, which are none of it.
const maxIndent = 64

func isHTML(head []byte) bool {
	head = bytes.TrimSpace(head[:min(len(head), 1024)])
	head = bytes.ToLower(head[:min(len(head), 32)])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

func openHTML(c *Content, in *bufio.Reader) (io.Reader, error) {
	p := &page{in: in}
	if err := p.nextSection(); err == io.EOF && c.err == nil {
		return nil, &Error{What: "an HTML page without a text trace", Hint: "systrace and atrace write pages with one; save the page itself, not what the browser shows"}
	} else if err != nil {
		return nil, c.fail(err)
	}
	return &stream{content: c, what: "HTML page", in: p}, nil
}

// page reads the sections of a page that hold ftrace's text.
type page struct {
	in     *bufio.Reader
	text   int  // bytes of the buffer that are text of a section
	inside bool // of a section
	line   bool // what was read last ended a line
}

func (p *page) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for p.text == 0 {
		var err error
		if p.inside {
			err = p.advance()
		} else if err = p.nextSection(); err == nil && !p.line {
			p.line = true
			b[0] = '\n' // sections do not share a line
			return 1, nil
		}
		if err != nil {
			return 0, err
		}
	}
	text, _ := p.in.Peek(min(p.text, len(b)))
	n := copy(b, text)
	p.line = text[n-1] == '\n'
	p.text -= n
	p.in.Discard(n)
	return n, nil
}

// advance finds out how much of what comes next is text of the section. The end
// of the page within it is io.ErrUnexpectedEOF.
func (p *page) advance() error {
	window, err := p.in.Peek(p.in.Size())
	if i := bytes.Index(window, []byte(sectionEnd)); i >= 0 {
		text := window[:i]
		if line := bytes.TrimRight(text, " \t"); len(text)-len(line) <= maxIndent && (len(line) == 0 || line[len(line)-1] == '\n') {
			text = line
		}
		if p.text = len(text); p.text == 0 {
			p.inside = false
			p.in.Discard(i + len(sectionEnd))
		}
		return nil
	}
	if err == nil {
		p.text = len(window) - len(sectionEnd) - maxIndent
		return nil
	}
	if p.text = len(window); p.text == 0 {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// nextSection goes to the next section that holds ftrace's text; io.EOF if there
// is none.
func (p *page) nextSection() error {
	for {
		if err := p.find(sectionStart); err != nil {
			return err
		}
		for _, end := range []string{"\r\n", "\n"} {
			if b, _ := p.in.Peek(len(end)); string(b) == end {
				p.in.Discard(len(end))
				break
			}
		}
		window, _ := p.in.Peek(p.in.Size())
		if i := bytes.Index(window, []byte(sectionEnd)); i >= 0 {
			window = window[:i]
		}
		if holdsFtrace(window) {
			p.inside, p.text = true, 0
			return nil
		}
	}
}

// find goes behind the next mark.
func (p *page) find(mark string) error {
	for {
		window, err := p.in.Peek(p.in.Size())
		if i := bytes.Index(window, []byte(mark)); i >= 0 {
			p.in.Discard(i + len(mark))
			return nil
		}
		if err != nil {
			return err
		}
		p.in.Discard(len(window) - len(mark) + 1)
	}
}

// cpuColumn is what every line of an event has.
var cpuColumn = regexp.MustCompile(`\[\d{3}`)

// holdsFtrace reports whether ftrace's text begins so: with a comment or an event.
func holdsFtrace(section []byte) bool {
	section = bytes.TrimSpace(section)
	line, _, _ := bytes.Cut(section, []byte("\n"))
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte(traceLine)) || cpuColumn.Match(line)
}
