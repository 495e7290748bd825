package unpack

import (
	"fmt"
	"io"
	"os"

	"ohframe/internal/atomicfile"
)

// maxSpool is the maximum size of a temporary file in bytes.
const maxSpool = 4 << 30

// spool copies the rest of a stream to a temporary file. what names the content for
// messages.
func spool(c *Content, in io.Reader, what string) (*os.File, error) {
	f, err := atomicfile.Temporary()
	if err != nil {
		return nil, c.fail(temporaryError(what, err))
	}
	if c.spooled != nil {
		defer c.spooled.Close() // an archive in an archive
	}
	c.spooled = f
	n, err := io.Copy(f, io.LimitReader(in, maxSpool+1))
	switch {
	case c.err != nil:
		return nil, c.err
	case err != nil:
		return nil, c.fail(temporaryError(what, err))
	case n > maxSpool:
		return nil, &Error{What: what + " larger than 4 GiB from a stream", Hint: "save it to a file first"}
	}
	return f, nil
}

// openArchive returns an archive for random access, its size in bytes, and what counts
// the bytes that are read of it. An archive from a stream is copied to a temporary file.
// kind names it for messages.
func openArchive(c *Content, in io.Reader, kind string) (archive file, size int64, packed func(io.Reader) io.Reader, err error) {
	archive, packed = c.archive, c.inflation.Packed
	if archive == nil {
		spooled, err := spool(c, in, kind)
		if err != nil {
			return nil, 0, nil, err
		}
		archive, packed = spooled, func(r io.Reader) io.Reader { return r } // already counted
	}
	info, err := archive.Stat()
	if err != nil {
		return nil, 0, nil, c.fail(err)
	}
	return archive, info.Size(), packed, nil
}

func temporaryError(what string, err error) error {
	return &Error{What: fmt.Sprintf("temporary file for the %s: %v", what, err), Hint: "save the " + what + " to a file, which is read in place"}
}

// File returns the content for random access, with its size in bytes: the input
// itself if that is a regular file without containers, otherwise a temporary file with
// a copy. what names the content for messages. Nothing must have been read. Its errors
// are those of Open.
func (c *Content) File(what string) (io.ReaderAt, int64, error) {
	f := c.archive
	if f == nil {
		spooled, err := spool(c, c.reader, what)
		if err != nil {
			return nil, 0, c.Explain(err)
		}
		f = spooled
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, c.fail(err)
	}
	return inputAt{c, f}, info.Size(), nil
}
