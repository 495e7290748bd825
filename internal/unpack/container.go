// Package unpack takes an input out of whatever it is wrapped in. It knows a
// container by its content, never by its name, and reads it as a stream: what it
// holds in memory does not depend on the input.
//
//	input ─▶ is it a container? ─ no ─▶ Content
//	              │ yes       ▲
//	              ▼           │
//	          decoder ────────┘  at most maxDepth times
//	          counts what it makes: limits inflated and ratio
//
// Containers are
//
//	gzip     one member or more; padding with zeros, and garbage, may follow
//	zlib     bare, or behind a line "TRACE:", as hitrace -z writes it
//	zstd     one frame or more, and skippable ones
//	zip      with one file, or of several the one that is asked for
//	HTML     a systrace page, which has the text in a script element, or, of 2012,
//	         in a string of a script
//	UTF-16   with a byte order mark, as PowerShell's > makes it
//
// and a byte order mark of UTF-8 is passed over. Nothing is ever written to a
// path that an input names.
//
// Of a container that is cut or damaged, what comes before the damage is read.
package unpack

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"

	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
)

// headSize is how much of an input is looked at to recognise it.
const headSize = 64 << 10

// maxDepth is how many containers an input may be wrapped in.
const maxDepth = 4

// Options decide how containers are read.
type Options struct {
	// Strict makes a container that is cut or damaged an error.
	Strict bool
	// Limits bound what comes out, by Inflated and Ratio.
	Limits limits.Limits
	// Entry chooses a file of a zip archive: its name, else the last part of its
	// name, else a pattern as path.Match takes it, of either.
	Entry string
}

// Content is what an input holds.
type Content struct {
	reader    *bufio.Reader // of the innermost container
	ctx       context.Context
	options   Options
	layers    []string // names of the containers, the outermost first
	inflation *limits.Inflation
	spooled   *spooled // nil if there is no temporary file

	archive  file   // the input, if it is a file that a zip archive can be read from in place
	listing  string // what the last zip archive holds
	selected bool   // Options.Entry chose something

	dump    *hitrace.ProcessDump
	damages []damage
	err     error // why reading cannot go on, if that is not the end
}

// damage is what is wrong with a container.
type damage struct{ what, consequence string }

// container is a kind of container.
type container struct {
	name  string
	sniff func(head []byte) bool
	open  func(c *Content, in *bufio.Reader) (io.Reader, error)
}

// containers are asked in this order.
var containers = []container{
	{"gzip", isGzip, openGzip},
	{"zlib", isZlib, openZlib},
	{"zstd", isZstd, openZstd},
	{"zip", isZip, openZip},
	{"HTML", isHTML, openHTML},
	{"UTF-16", isUTF16, openUTF16},
	{"", hasMark, skipMark},
}

// Open returns what the input in r holds, to be closed after use; a *Content
// itself is returned as it is. Zip archives are read in place if r is a regular
// file: an io.ReaderAt with the Stat of one. The error is an *Error,
// a *limits.Error, the reader's or the context's.
func Open(ctx context.Context, r io.Reader, o Options) (*Content, error) {
	if c, ok := r.(*Content); ok {
		return c, nil
	}
	c := &Content{ctx: ctx, options: o, inflation: o.Limits.NewInflation()}
	c.reader = bufio.NewReaderSize(c.inflation.Packed(source{c, r}), headSize)
	c.archive = asFile(r)
	if err := c.unwrap(); err != nil {
		c.Close()
		return nil, c.Explain(err)
	}
	return c, nil
}

// unwrap opens container after container.
func (c *Content) unwrap() error {
	for depth := 0; ; depth++ {
		head := c.Head()
		if c.err != nil && len(head) == 0 {
			return c.err
		}
		if len(head) == 0 && len(c.damages) > 0 {
			return &Error{What: "nothing can be read"}
		}
		kind := find(head)
		if kind == nil {
			return c.unselected()
		}
		if depth == maxDepth {
			return &Error{What: fmt.Sprintf("more than %d containers within each other", maxDepth)}
		}
		opened, err := kind.open(c, c.reader)
		if err != nil {
			return cmp.Or(c.err, err)
		}
		c.archive = nil // a stream from here on
		if kind.name != "" {
			c.layers = append(c.layers, kind.name)
		}
		c.reader = bufio.NewReaderSize(opened, headSize)
	}
}

func find(head []byte) *container {
	for i := range containers {
		if containers[i].sniff(head) {
			return &containers[i]
		}
	}
	return nil
}

// Head returns the beginning of the content without taking it: enough to tell
// its format. It is valid until the next call of Read.
func (c *Content) Head() []byte {
	head, _ := c.reader.Peek(headSize) // an error comes again when it is read
	return head
}

// Read reads the content. The error is as that of Open.
func (c *Content) Read(p []byte) (int, error) { return c.reader.Read(p) }

// Layers returns the names of the containers that the content is in, the
// outermost first.
func (c *Content) Layers() []string { return c.layers }

// In says what the content is in: " in gzip in zip", or nothing.
func (c *Content) In() string {
	text := ""
	for _, name := range c.layers {
		text = " in " + name + text
	}
	return text
}

// Dump returns the names of processes that an HTML page lists beside its trace, as
// far as the page has been read; nil if there is no page.
func (c *Content) Dump() *hitrace.ProcessDump { return c.dump }

// Warnings say in words what is wrong with the containers, as far as they have
// been read.
func (c *Content) Warnings() []string {
	var list []string
	for _, d := range c.damages {
		list = append(list, d.what+"; "+d.consequence)
	}
	return list
}

// Err returns why reading ended before the end of the content; nil if it did not.
func (c *Content) Err() error { return c.err }

// Explain returns the error of a use that the content was put to. An *Error gets
// to say what the content is in and what is wrong with that, which may be why.
func (c *Content) Explain(err error) error {
	e, ok := err.(*Error)
	if !ok || err == c.err {
		return err
	}
	explained := *e
	if len(c.layers) > 0 {
		explained.What += "," + c.In()
	}
	for _, d := range c.damages {
		explained.What += "; " + d.what
	}
	return &explained
}

// Close removes a temporary file. It may be called while another goroutine reads,
// which then gets an error, and again.
func (c *Content) Close() error {
	if c.spooled == nil {
		return nil
	}
	return c.spooled.close()
}

// fail remembers the first error that ends reading.
func (c *Content) fail(err error) error {
	if c.err == nil {
		c.err = err
	}
	return c.err
}
