package unpack

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"ohframe/internal/source/hitrace"
)

// A page of systrace has some megabytes of a viewer, followed by an element for
// each kind of data: ftrace text, lists of processes, JSON.
//
//	<script class="trace-data" type="application/text">
//	# tracer: nop
//	…
//	  </script>
//
// In pages of 2012 the text is a string of a script. Each of its lines ends in an
// escaped line end and a line continuation.
//
//	  <script>
//	  var linuxPerfData = "\
//	# tracer: nop\n\
//	…
//	 app-1 [000] 1.000000: 0: B|1|x\n";
//	  </script>
const (
	textStart   = `<script class="trace-data" type="application/text">`
	stringStart = `linuxPerfData = "`
	maxStart    = max(len(textStart), len(stringStart))
)

const sectionEnd = `</script>`

// section is the kind of a section of data.
type section uint8

const (
	noSection section = iota
	textSection
	stringSection
)

// maxTail is the maximum length of what follows the text of a section: blanks and
// the end of the string.
const maxTail = 64

func isHTML(head []byte) bool {
	head = bytes.TrimSpace(head[:min(len(head), 1024)])
	head = bytes.ToLower(head[:min(len(head), 32)])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

func openHTML(c *Content, in *bufio.Reader) (io.Reader, error) {
	c.dump = hitrace.NewProcessDump(c.options.Limits.WithDefaults().Threads)
	p := &page{in: in, dump: c.dump}
	if err := p.nextSection(); err != nil {
		return nil, &Error{What: "an HTML page without a text trace", Hint: "systrace and atrace write pages with a trace; save the page itself, not the browser's rendering of it", Err: ErrNoTraceInPage}
	}
	return &stream{content: c, what: "HTML page", in: p}, nil
}

// page reads the ftrace text of a page. It reads lists of processes on the way
// into dump.
type page struct {
	in      *bufio.Reader
	dump    *hitrace.ProcessDump
	section section
	text    int    // number of buffered bytes that belong to the section's text
	escape  escape // state within a string
	lineEnd bool   // the last byte read was a line end
}

func (p *page) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for {
		if p.section == noSection {
			if err := p.nextSection(); err != nil {
				return 0, err
			}
			if !p.lineEnd {
				p.lineEnd = true
				b[0] = '\n' // sections do not share a line
				return 1, nil
			}
		}
		n, err := p.read(b)
		if n > 0 {
			p.lineEnd = b[n-1] == '\n'
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// read reads from the current section. It returns 0 and nil at its end.
func (p *page) read(b []byte) (int, error) {
	if p.text == 0 {
		if err := p.advance(); err != nil {
			return 0, err
		}
	}
	text, _ := p.in.Peek(min(p.text, len(b)))
	n, used := 0, len(text)
	if p.section == stringSection {
		n, used = p.escape.resolve(b, text)
	} else {
		n = copy(b, text)
	}
	p.text -= used
	p.in.Discard(used)
	return n, nil
}

// advance sets p.text to the number of buffered bytes of the section's text. It
// returns io.ErrUnexpectedEOF if the page ends within the section.
func (p *page) advance() error {
	window, err := p.in.Peek(p.in.Size())
	if i := bytes.Index(window, []byte(sectionEnd)); i >= 0 {
		if p.text = len(p.cutTail(window[:i])); p.text == 0 {
			p.section = noSection
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

// cutTail removes what follows the text of a section before its end.
func (p *page) cutTail(text []byte) []byte {
	cut := bytes.TrimRight(text, " \t")
	if p.section == stringSection {
		cut = bytes.TrimSuffix(bytes.TrimRight(text, " \t\r\n;"), []byte(`"`))
	} else if len(cut) > 0 && cut[len(cut)-1] != '\n' {
		return text
	}
	if len(text)-len(cut) > maxTail {
		return text // a part of the tail was already read
	}
	return cut
}

// nextSection advances to the next section with ftrace text. It returns io.EOF if
// there is none.
func (p *page) nextSection() error {
	for {
		kind, err := p.find()
		if err != nil {
			return err
		}
		p.skipLineEnd()
		window, _ := p.in.Peek(p.in.Size())
		if i := bytes.Index(window, []byte(sectionEnd)); i >= 0 {
			window = window[:i]
		}
		p.section, p.text, p.escape = kind, 0, escape{}
		switch {
		case isDump(window):
			if err := p.readDump(); err != nil {
				return err
			}
		case kind == textSection && isFtrace(window), kind == stringSection && isFtrace(resolved(window)):
			return nil
		}
		p.section = noSection
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

// readDump reads a list of processes.
func (p *page) readDump() error {
	var buffer [4 << 10]byte
	for p.section != noSection {
		n, err := p.read(buffer[:])
		if err != nil {
			return err
		}
		p.dump.Write(buffer[:n])
	}
	p.dump.Flush()
	return nil
}

// find advances past the start of the next section.
func (p *page) find() (section, error) {
	for {
		window, err := p.in.Peek(p.in.Size())
		kind, start := textSection, textStart
		at := bytes.Index(window, []byte(start))
		if i := bytes.Index(window, []byte(stringStart)); i >= 0 && (at < 0 || i < at) {
			kind, start, at = stringSection, stringStart, i
		}
		if at >= 0 {
			p.in.Discard(at + len(start))
			return kind, nil
		}
		if err != nil {
			return noSection, err
		}
		p.in.Discard(len(window) - maxStart + 1)
	}
}

// cpuColumn is in every event's line.
var cpuColumn = regexp.MustCompile(`\[\d{3}`)

// isFtrace reports whether a section begins with a comment or an event of ftrace.
func isFtrace(section []byte) bool {
	section = bytes.TrimSpace(section)
	line, _, _ := bytes.Cut(section, []byte("\n"))
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte(traceLine)) || cpuColumn.Match(line)
}

// isDump reports whether a section is a list of processes.
func isDump(section []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(section, " \t\r\n"), []byte("PROCESS DUMP"))
}
