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

// The files of an archive of diff --merge: the manifest for Perfetto, and both traces in one.
const (
	MergedManifest = "perfetto_manifest.json"
	MergedTraces   = "both.pftrace"
)

const copyAgain = "copy the archive again"

// CheckTar reads a tar archive to its end. It returns an *Error if it was cut.
func CheckTar(r io.Reader) error {
	const end = 1024 // bytes of zeros
	in := &zerosReader{Reader: r}
	headers := tar.NewReader(in)
	for {
		_, err := headers.Next()
		switch {
		case err == nil || errors.Is(err, tar.ErrInsecurePath):
			continue
		case err == io.EOF && in.zeros < end || errors.Is(err, io.ErrUnexpectedEOF):
			return &Error{What: "truncated tar archive", Hint: copyAgain}
		}
		return nil // of another form, or whole
	}
}

// zerosReader counts the zeros at the end of what was read.
type zerosReader struct {
	io.Reader
	zeros int
}

func (r *zerosReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	rest := len(bytes.TrimRight(b[:n], "\x00"))
	if rest > 0 {
		r.zeros = 0
	}
	r.zeros += n - rest
	return n, err
}

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
				return nil, &Error{What: "corrupt tar archive", Hint: copyAgain}
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
	if len(files) == 2 && files[0].name == MergedManifest && files[1].name == MergedTraces {
		return nil, &Error{What: "two traces, merged on one timeline", Hint: "run this on each of the two traces that were merged"}
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
