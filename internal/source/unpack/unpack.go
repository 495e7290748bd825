// Package unpack decompresses inputs and extracts traces from archives and pages.
// It recognises a container by its content, never by its name, and reads it as a
// stream: its memory use does not depend on the size of the input.
//
//	input ─▶ is it a container? ─ no ─▶ Content
//	              │ yes       ▲
//	              ▼           │
//	          decoder ────────┘  at most maxDepth times
//	          limits its output: inflated and ratio
//
// Containers are
//
//	gzip     one or more members; zero padding and garbage may follow
//	zlib     with or without a line "TRACE:" before it, as hitrace -z writes it
//	zstd     one or more frames, also skippable ones
//	zip      with one file, or with several: Options.Entry selects one
//	tar      the same
//	HTML     a systrace page with the text in a script element
//	JSON     of Chrome's trace viewer with the text of a trace of the system in a string
//	UTF-16   with a byte order mark, as PowerShell's > writes it
//
// A byte order mark of UTF-8 is skipped. The package never
// writes to a path that an input names.
//
// A truncated or corrupt container is read up to the damage.
package unpack

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// headSize is the number of bytes in which an input is recognised.
const headSize = 64 << 10

// maxDepth is the number of containers that an input may be nested in.
const maxDepth = 4

// Options are the options of Open.
type Options struct {
	// Limits limit the decompressed size by Inflated and Ratio.
	Limits trace.Limits
	// KeepTar returns tar archives as they are.
	KeepTar bool
	// Entry selects a file of an archive: by its name, else by the last element
	// of its name, else by a path.Match pattern for either.
	Entry string
	// EntryIfArchive reads an input that is no archive although Entry is set.
	EntryIfArchive bool
	// Lists, if not nil, reads the lists of processes beside the trace of an HTML page.
	Lists Lists
}

// Lists reads lists of processes, as ps prints them. The error is that of the reader.
type Lists interface{ Read(io.Reader) error }

// Content is the content of an input.
type Content struct {
	reader    *bufio.Reader // of the innermost container
	ctx       context.Context
	options   Options
	layers    []string // names of the containers, the outermost first
	inflation *Inflation
	spooled   *os.File // nil if there is no temporary file

	archive  file   // the input if it is a regular file, from which an archive is read in place
	kind     string // of the last archive
	listing  string // its files
	selected bool   // Options.Entry has selected a file

	isPage  bool // a container is an HTML page
	damages []damage
	err     error // why reading ended before the end of the content
}

// damage describes the damage of a container and how it is handled.
type damage struct{ what, consequence string }

// container is a format of containers.
type container struct {
	name  string
	sniff func(head []byte) bool
	// open returns the content, or an error, which Content.err takes precedence over.
	open func(c *Content, in *bufio.Reader) (io.Reader, error)
}

// containers are tried in this order.
var containers = []container{
	{"gzip", isGzip, openGzip},
	{"zlib", isZlib, openZlib},
	{"zstd", isZstd, openZstd},
	{"zip", isZip, openZip},
	{"tar", isTar, openTar},
	{"HTML", isHTML, openHTML},
	{"JSON", isJSON, openJSON},
	{"UTF-16", isUTF16, openUTF16},
	{"", hasByteOrderMark, skipByteOrderMark},
}

// Open returns the content of r, which the caller must close. If r is a *Content,
// it returns r itself. It reads zip archives in place if r is a regular file, that
// is an io.ReaderAt whose Stat method describes one. The error is an *Error,
// an *LimitError, or the error of r or of the context.
func Open(ctx context.Context, r io.Reader, o Options) (*Content, error) {
	if c, ok := r.(*Content); ok {
		return c, nil
	}
	c := &Content{ctx: ctx, options: o, inflation: NewInflation(o.Limits)}
	c.reader = bufio.NewReaderSize(c.inflation.Packed(input{c, r}), headSize)
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
			return &Error{What: "no readable content"}
		}
		format := find(head)
		if format == nil || c.options.KeepTar && format.name == "tar" {
			return c.unselected()
		}
		if depth == maxDepth {
			return &Error{What: fmt.Sprintf("more than %d nested containers", maxDepth)}
		}
		opened, err := format.open(c, c.reader)
		if err != nil {
			return cmp.Or(c.err, err)
		}
		c.archive = nil // the content of a container is a stream
		if format.name != "" {
			c.layers = append(c.layers, format.name)
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

// Head returns the beginning of the content, up to 64 KiB, without consuming it.
// It is valid until the next call of Read.
func (c *Content) Head() []byte {
	head, _ := c.reader.Peek(headSize) // Read returns the error again
	return head
}

// Read reads the content. Its errors are those of Open.
func (c *Content) Read(p []byte) (int, error) { return c.reader.Read(p) }

// Layers returns the names of the containers around the content, the outermost
// first.
func (c *Content) Layers() []string { return c.layers }

// In describes the containers around the content, such as " in gzip in zip". It
// returns "" without containers.
func (c *Content) In() string {
	text := ""
	for _, name := range c.layers {
		text = " in " + name + text
	}
	return text
}

// Lists returns Options.Lists, which has read those in the part that has been read. It returns
// nil if the input is not an HTML page.
func (c *Content) Lists() Lists {
	if c.isPage {
		return c.options.Lists
	}
	return nil
}

// Warnings describe the damage in the part of the containers that has been read.
func (c *Content) Warnings() []trace.Warning {
	var list diag.Warnings
	for _, d := range c.damages {
		list.Add(trace.WarnDamaged, "%s; %s", d.what, d.consequence)
	}
	return list
}

// Explain adds the containers and their damage to an *Error that a user of the
// content returned, because they may be its cause. It returns other errors as they
// are.
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

// Close removes the temporary file, if any. It may be called repeatedly, and while
// another goroutine reads, whose Read then returns an error.
func (c *Content) Close() error {
	if c.spooled == nil {
		return nil
	}
	if err := c.spooled.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// fail stores the first error that ends reading, and returns it.
func (c *Content) fail(err error) error {
	if c.err == nil {
		c.err = err
	}
	return c.err
}

// Error is why an input cannot be read.
type Error = diag.Error

// ErrNotATrace: the input has none of the formats that are read.
var ErrNotATrace = errors.New("not a trace")

// ErrNoTraceInPage: an HTML page has no text trace.
var ErrNoTraceInPage = errors.New("no trace in the page")

// ErrEntry: an archive has several files, or Options.Entry does not select one.
var ErrEntry = errors.New("no file of an archive selected")

// errTrailing: data follows the end of a container.
var errTrailing = errors.New("trailing data")
