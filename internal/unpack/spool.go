package unpack

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// maxSpool is the maximum size of the temporary file for an archive from a pipe, in
// bytes.
const maxSpool = 4 << 30

// spooled is a temporary file. Its name is removed at once if the system allows
// that, otherwise when it is closed.
type spooled struct {
	*os.File
	unnamed bool
	closing sync.Once
}

func (s *spooled) close() (err error) {
	s.closing.Do(func() {
		err = s.Close()
		if !s.unnamed {
			err = os.Remove(s.Name())
		}
	})
	return err
}

// spool copies the rest of a stream to a temporary file.
func spool(c *Content, in io.Reader) (*spooled, error) {
	f, err := os.CreateTemp("", "ohframe-*.zip")
	if err != nil {
		return nil, c.fail(temporaryError(err))
	}
	s := &spooled{File: f, unnamed: os.Remove(f.Name()) == nil}
	if c.spooled != nil {
		defer c.spooled.close() // an archive in an archive
	}
	c.spooled = s
	n, err := io.Copy(f, io.LimitReader(in, maxSpool+1))
	switch {
	case c.err != nil:
		return nil, c.err
	case err != nil:
		return nil, c.fail(temporaryError(err))
	case n > maxSpool:
		return nil, &Error{What: "zip archive larger than 4 GiB from a pipe", Hint: "save it to a file first"}
	}
	return s, nil
}

func temporaryError(err error) error {
	return &Error{What: fmt.Sprintf("temporary file for the zip archive: %v", err), Hint: "save the archive to a file, which is read in place"}
}
