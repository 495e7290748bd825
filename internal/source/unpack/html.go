package unpack

import (
	"bufio"
	"bytes"
	"io"

	"ohframe/internal/pattern"
)

// A page of systrace has some megabytes of a viewer, followed by an element for
// each kind of data: ftrace text, lists of processes, JSON.
//
//	<script class="trace-data" type="application/text">
//	# tracer: nop
//	…
//	  </script>
//
// Pages of 2012 and 2013 have the text in a string of a script:
//
//	  var linuxPerfData = "\
//	# tracer: nop\n\
const (
	sectionStart = `<script class="trace-data" type="application/text">`
	sectionEnd   = `</script>`
	stringName   = "linuxPerfData"
)

// stringStart matches what is between the name and the text of a string.
var stringStart = pattern.New("^[ \t]*=[ \t]*[\"'`]")

// assigned matches what follows the name of a variable that gets a value.
var assigned = pattern.New(`^[ \t]*=[^=]`)

// maxTail is the maximum length of the blanks that follow the text of a section.
const maxTail = 64

func isHTML(head []byte) bool {
	head = bytes.TrimSpace(head[:min(len(head), 1024)])
	head = bytes.ToLower(head[:min(len(head), 32)])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

func openHTML(c *Content, in *bufio.Reader) (io.Reader, error) {
	c.isPage = true
	p := &page{in: in, lists: c.options.Lists}
	err := p.nextSection()
	switch {
	case err != nil && p.named:
		return nil, &Error{What: "an HTML page whose " + stringName + " is no string", Hint: "save the text of the trace", Err: ErrNoTraceInPage}
	case err != nil:
		return nil, &Error{What: "an HTML page without a text trace", Hint: "systrace and atrace write pages with a trace; save the page itself, not the browser's rendering of it", Err: ErrNoTraceInPage}
	}
	return &stream{content: c, what: "HTML page", in: p}, nil
}

// page reads the ftrace text of a page. It reads lists of processes on the way
// into lists.
type page struct {
	in      *bufio.Reader
	lists   Lists   // may be nil
	inside  bool    // a section
	quoted  *quoted // the section, if it is a string
	named   bool    // the page has a variable for one that is something else
	text    int     // number of buffered bytes that belong to the section's text
	lineEnd bool    // the last byte read was a line end
}

func (p *page) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for {
		if !p.inside {
			if err := p.nextSection(); err != nil {
				return 0, err
			}
			if !p.lineEnd {
				p.lineEnd = true
				b[0] = '\n' // sections do not share a line
				return 1, nil
			}
		}
		n, err := (*section)(p).Read(b)
		if n > 0 {
			p.lineEnd = b[n-1] == '\n'
			return n, nil
		}
		if err != io.EOF {
			return 0, err
		}
	}
}

// section reads the current section of a page.
type section page

func (p *section) Read(b []byte) (int, error) {
	if p.inside && p.quoted != nil {
		n, err := p.quoted.Read(b)
		p.inside = err != io.EOF
		return n, err
	}
	if p.inside && p.text == 0 {
		if err := p.advance(); err != nil {
			return 0, err
		}
	}
	if !p.inside {
		return 0, io.EOF
	}
	text, _ := p.in.Peek(min(p.text, len(b)))
	n := copy(b, text)
	p.text -= n
	p.in.Discard(n)
	return n, nil
}

// advance sets p.text to the number of buffered bytes of the section's text. It
// returns io.ErrUnexpectedEOF if the page ends within the section.
func (p *section) advance() error {
	window, err := p.in.Peek(p.in.Size())
	if i := bytes.Index(window, []byte(sectionEnd)); i >= 0 {
		if p.text = len(cutTail(window[:i])); p.text == 0 {
			p.inside = false
			p.in.Discard(i + len(sectionEnd))
		}
		return nil
	}
	if err == nil {
		p.text = len(window) - len(sectionEnd) - maxTail
		return nil
	}
	if p.text = len(window); p.text == 0 {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// cutTail removes the blanks on the line of the end of a section, unless a part of them
// was already read.
func cutTail(text []byte) []byte {
	cut := bytes.TrimRight(text, " \t")
	if len(cut) > 0 && cut[len(cut)-1] != '\n' || len(text)-len(cut) > maxTail {
		return text
	}
	return cut
}

// nextSection advances to the next section with ftrace text. It returns io.EOF if
// there is none.
func (p *page) nextSection() error {
	for {
		if err := p.find(); err != nil {
			return err
		}
		if p.quoted != nil {
			p.inside = true
			return nil
		}
		p.skipLineEnd()
		window, _ := p.in.Peek(p.in.Size())
		if i := bytes.Index(window, []byte(sectionEnd)); i >= 0 {
			window = window[:i]
		}
		p.inside, p.text = true, 0
		switch {
		case p.lists != nil && isDump(window):
			if err := p.lists.Read((*section)(p)); err != nil {
				return err
			}
		case isFtrace(window):
			return nil
		}
		p.inside = false
	}
}

func (p *page) skipLineEnd() {
	for _, end := range []string{"\r\n", "\n"} {
		if b, _ := p.in.Peek(len(end)); string(b) == end {
			p.in.Discard(len(end))
			return
		}
	}
}

// find advances past the start of the next section.
func (p *page) find() error {
	for p.quoted = nil; ; {
		i, err := advancePast(p.in, sectionStart, stringName)
		if i == 0 || err != nil {
			return err
		}
		head, _ := p.in.Peek(64)
		if start := stringStart().Find(head); start != nil {
			p.in.Discard(len(start))
			p.quoted = &quoted{in: p.in, quote: start[len(start)-1]}
			return nil
		}
		p.named = p.named || assigned().Match(head)
	}
}

// cpuColumn is in every event's line.
var cpuColumn = pattern.New(`\[\d{3}`)

// isFtrace reports whether a section begins with a comment or an event of ftrace.
func isFtrace(section []byte) bool {
	section = bytes.TrimSpace(section)
	line, _, _ := bytes.Cut(section, []byte("\n"))
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte(traceLine)) || cpuColumn().Match(line)
}

// isDump reports whether a section is a list of processes.
func isDump(section []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(section, " \t\r\n"), []byte("PROCESS DUMP"))
}
