package unpack

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"io"
)

// tarMagic is in the header of the first file, in the form of POSIX or of GNU.
//
// Source: POSIX.1-2017, pax, ustar Interchange Format.
const (
	tarMagicAt = 257
	posixTar   = "ustar\x00"
	gnuTar     = "ustar  \x00"
)

func isTar(head []byte) bool {
	if len(head) < tarMagicAt {
		return false
	}
	return bytes.HasPrefix(head[tarMagicAt:], []byte(posixTar)) || bytes.HasPrefix(head[tarMagicAt:], []byte(gnuTar))
}

// maxMembers is the maximum number of files in an archive, about as many as in a zip
// archive.
const maxMembers = 90_000

// openTar opens one file of the archive. Its headers are between the files, so an archive
// from a stream is copied to a temporary file.
func openTar(c *Content, in *bufio.Reader) (io.Reader, error) {
	archive, size, packed, err := openArchive(c, in, "tar archive")
	if err != nil {
		return nil, err
	}
	section := func() *io.SectionReader { return io.NewSectionReader(inputAt{c, archive}, 0, size) }
	var files []member
	headers := tar.NewReader(section()) // seeks from header to header
	for i := 0; ; i++ {
		header, err := headers.Next()
		if c.err != nil {
			return nil, c.err
		}
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) { // names are never used as paths
			if len(files) == 0 {
				return nil, &Error{What: "corrupt tar archive", Hint: "copy the archive again"}
			}
			break // reading reports the damage
		}
		if header.Typeflag == tar.TypeReg {
			files = append(files, member{header.Name, i})
		}
		if i == maxMembers {
			return nil, &Error{What: "tar archive with too many files", Hint: "unpack it first: tar xf"}
		}
	}
	chosen, err := c.choose("tar archive", files)
	if err != nil {
		return nil, err
	}
	// The headers are read again: the content must be read through packed, which cannot seek.
	content := tar.NewReader(packed(section()))
	for range chosen + 1 {
		if _, err := content.Next(); err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return nil, c.fail(err)
		}
	}
	return c.newStream("tar entry", content), nil
}
