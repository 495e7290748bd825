package unpack

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

// The first bytes of an archive: a file's header or, in an empty archive, the end
// of the directory.
const (
	zipMagic      = "PK\x03\x04"
	emptyZipMagic = "PK\x05\x06"
)

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte(zipMagic)) || bytes.HasPrefix(head, []byte(emptyZipMagic))
}

// openZip opens one file of the archive. The directory is at the end of an archive,
// so an archive from a stream is copied to a temporary file.
func openZip(c *Content, in *bufio.Reader) (io.Reader, error) {
	archive, size, packed, err := openArchive(c, in, "zip archive")
	if err != nil {
		return nil, err
	}
	guard := &directoryGuard{in: inputAt{c, archive}, left: maxDirectory}
	directory, err := zip.NewReader(guard, size)
	if c.err != nil {
		return nil, c.err
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return nil, e
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are never used as paths
		return nil, &Error{What: "truncated or corrupt zip archive: it has no directory at its end", Hint: copyAgain}
	}
	guard.passed = true
	// The package zip checks sizes and checksums.
	register := func(method uint16, open func(io.Reader) io.Reader) {
		directory.RegisterDecompressor(method, func(r io.Reader) io.ReadCloser {
			return io.NopCloser(open(bufio.NewReaderSize(packed(r), headSize)))
		})
	}
	register(zip.Store, func(r io.Reader) io.Reader { return r })
	register(zip.Deflate, func(r io.Reader) io.Reader { return flate.NewReader(r) })
	register(zstd.ZipMethodWinZip, func(r io.Reader) io.Reader { return newFrames(r) })
	var files []member
	for i, f := range directory.File {
		if !f.FileInfo().IsDir() {
			files = append(files, member{f.Name, i})
		}
	}
	i, err := c.choose("zip archive", files)
	if err != nil {
		return nil, err
	}
	f := directory.File[i]
	if f.Flags&encrypted != 0 {
		return nil, &Error{What: fmt.Sprintf("zip entry %s is encrypted", printable(f.Name)), Hint: "unzip it first"}
	}
	content, err := f.Open()
	switch {
	case err == zip.ErrAlgorithm:
		return nil, &Error{What: fmt.Sprintf("zip entry %s uses unsupported compression: method %d", printable(f.Name), f.Method), Hint: "unzip it first"}
	case err != nil:
		return nil, &Error{What: fmt.Sprintf("zip entry %s is not at its place in the archive", printable(f.Name)), Hint: copyAgain}
	}
	return c.newStream("zip entry", content), nil
}

// encrypted is the flag of an encrypted entry.
const encrypted = 1

// maxDirectory is the maximum size of an archive's directory in bytes. It allows
// 90,000 files, for which the package zip needs some 25 MB.
const maxDirectory = 4 << 20

// directoryGuard limits the size of the directory that is read from an archive.
type directoryGuard struct {
	in     io.ReaderAt
	left   int64 // bytes
	passed bool  // the directory has been read
}

// The record at the end of a large directory. The package zip allocates memory for
// the number of files in it, whether they exist or not.
//
// Source: APPNOTE.TXT of PKWARE, section 4.3.14.
const (
	zipHeaderSize = 46 // of a file in the directory, without its name
	end64Magic    = "PK\x06\x06"
	end64Size     = 56
	end64Count    = 32 // offset of the number of files
)

func (g *directoryGuard) ReadAt(p []byte, at int64) (int, error) {
	if g.passed {
		return g.in.ReadAt(p, at)
	}
	tooMany := &Error{What: "zip archive with too many files", Hint: "unzip it first"}
	if g.left -= int64(len(p)); g.left < 0 {
		return 0, tooMany
	}
	n, err := g.in.ReadAt(p, at)
	if n == end64Size && bytes.HasPrefix(p, []byte(end64Magic)) && binary.LittleEndian.Uint64(p[end64Count:]) > maxDirectory/zipHeaderSize {
		return 0, tooMany
	}
	return n, err
}
