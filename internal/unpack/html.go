package unpack

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"ohframe/analyzer/hitrace"
)

// A page that systrace wrote is some megabytes of a viewer, and after it one
// element for each kind of data: ftrace's text, lists of processes, JSON.
//
//	<script class="trace-data" type="application/text">
//	# tracer: nop
//	…
//	  </script>
//
// In pages of 2012 the text is a string of a script. Its lines end in an escaped
// line end, and one that the string goes on after.
//
//	  <script>
//	  var linuxPerfData = "\
//	# tracer: nop\n\
//	…
//	 app-1 [000] 1.000000: 0: B|1|x\n";
//	  </script>
const (
	textMark   = `<script class="trace-data" type="application/text">`
	stringMark = `linuxPerfData = "`
	maxMark    = max(len(textMark), len(stringMark))
)

const sectionEnd = `</script>`

// section is what kind of data a page is read in.
type section uint8

const (
	noSection section = iota
	textSection
	stringSection
)

// maxTail bounds what stands before the end of a section and is none of it: blanks,
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
	if err := p.nextSection(); err != nil && c.err == nil {
		return nil, &Error{What: "an HTML page without a text trace", Hint: "systrace and atrace write pages with one; save the page itself, not what the browser shows"}
	} else if err != nil {
		return nil, c.fail(err)
	}
	return &stream{content: c, what: "HTML page", in: p}, nil
}

// page reads the sections of a page that hold ftrace's text. On its way it reads
// those that list processes into the dump.
type page struct {
	in      *bufio.Reader
	dump    *hitrace.ProcessDump
	section section
	text    int    // bytes of the buffer that are text of the section
	escape  escape // in a string
	line    bool   // what was read last ended a line
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
			if !p.line {
				p.line = true
				b[0] = '\n' // sections do not share a line
				return 1, nil
			}
		}
		n, err := p.read(b)
		if n > 0 {
			p.line = b[n-1] == '\n'
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// read reads of the section. It may have nothing to read, as at the section's end.
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

// advance finds out how much of what comes next is text of the section. The end
// of the page within it is io.ErrUnexpectedEOF.
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

// cutTail returns what a section ends with without what is none of its text.
func (p *page) cutTail(text []byte) []byte {
	cut := bytes.TrimRight(text, " \t")
	if p.section == stringSection {
		cut = bytes.TrimSuffix(bytes.TrimRight(text, " \t\r\n;"), []byte(`"`))
	} else if len(cut) > 0 && cut[len(cut)-1] != '\n' {
		return text
	}
	if len(text)-len(cut) > maxTail {
		return text // some of it was read before this was in sight
	}
	return cut
}

// nextSection goes to the next section that holds ftrace's text; io.EOF if there
// is none.
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
		case kind == textSection && holdsFtrace(window), kind == stringSection && holdsFtrace(resolved(window)):
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

// readDump reads a section that lists processes.
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

// find goes behind the next mark that a section starts with.
func (p *page) find() (section, error) {
	for {
		window, err := p.in.Peek(p.in.Size())
		kind, mark := textSection, textMark
		at := bytes.Index(window, []byte(mark))
		if i := bytes.Index(window, []byte(stringMark)); i >= 0 && (at < 0 || i < at) {
			kind, mark, at = stringSection, stringMark, i
		}
		if at >= 0 {
			p.in.Discard(at + len(mark))
			return kind, nil
		}
		if err != nil {
			return noSection, err
		}
		p.in.Discard(len(window) - maxMark + 1)
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

// isDump reports whether a section lists processes.
func isDump(section []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(section, " \t\r\n"), []byte("PROCESS DUMP"))
}
