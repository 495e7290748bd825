package unpack

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// The bytes that an archive begins with: a file's header, or, if it has none, the
// end of the directory.
const (
	zipMagic      = "PK\x03\x04"
	emptyZipMagic = "PK\x05\x06"
)

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte(zipMagic)) || bytes.HasPrefix(head, []byte(emptyZipMagic))
}

// openZip opens one file of the archive. What an archive holds stands at its end:
// one that is no file itself is copied to a temporary one.
func openZip(c *Content, in *bufio.Reader) (io.Reader, error) {
	archive, packed := c.archive, c.inflation.Packed
	if archive == nil {
		spooled, err := spool(c, in)
		if err != nil {
			return nil, err
		}
		archive, packed = spooled, func(r io.Reader) io.Reader { return r } // counted before
	}
	info, err := archive.Stat()
	if err != nil {
		return nil, c.fail(err)
	}
	guard := &directoryGuard{in: sourceAt{c, archive}, left: maxDirectory}
	directory, err := zip.NewReader(guard, info.Size())
	if c.err != nil {
		return nil, c.err
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return nil, e
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // no name is used as a path
		return nil, &Error{What: "zip archive without its directory, which stands at the end: it is cut or damaged", Hint: "fetch it again"}
	}
	guard.passed = true
	entry, err := c.choose(directory.File)
	if err != nil {
		return nil, err
	}
	return openEntry(c, entry, packed)
}

// maxDirectory bounds the directory of an archive, in bytes. All of it is held:
// some 25 MB for the 90,000 files that this makes at the most.
const maxDirectory = 4 << 20

// directoryGuard lets only a bounded directory be read from an archive.
type directoryGuard struct {
	in     io.ReaderAt
	left   int64 // bytes
	passed bool  // the directory has been read
}

// The record at the end of a directory of many files, for which the package zip
// makes room at once, whether they are there or not.
//
// Source: APPNOTE.TXT of PKWARE, section 4.3.14.
const (
	zipHeaderSize = 46 // of a file in the directory, without its name
	end64Magic    = "PK\x06\x06"
	end64Size     = 56
	end64Count    = 32 // where the number of files is
)

func (g *directoryGuard) ReadAt(p []byte, at int64) (int, error) {
	if g.passed {
		return g.in.ReadAt(p, at)
	}
	tooMany := &Error{What: "zip archive of too many files", Hint: "unzip it first"}
	if g.left -= int64(len(p)); g.left < 0 {
		return 0, tooMany
	}
	n, err := g.in.ReadAt(p, at)
	if n == end64Size && bytes.HasPrefix(p, []byte(end64Magic)) && binary.LittleEndian.Uint64(p[end64Count:]) > maxDirectory/zipHeaderSize {
		return 0, tooMany
	}
	return n, err
}

// Methods of compression, as far as archives of today use them.
//
// Source: APPNOTE.TXT of PKWARE, section 4.4.5.
const (
	stored    = 0
	deflated  = 8
	zstandard = 93
)

var otherMethods = map[uint16]string{9: "Deflate64", 12: "bzip2", 14: "LZMA", 95: "XZ", 98: "PPMd", 99: "AES"}

// encrypted is the flag of an entry that needs a password.
const encrypted = 1

// openEntry opens a file of an archive; what is read of the archive goes through packed.
func openEntry(c *Content, f *zip.File, packed func(io.Reader) io.Reader) (io.Reader, error) {
	if f.Flags&encrypted != 0 {
		return nil, &Error{What: fmt.Sprintf("zip entry %s is encrypted", printable(f.Name)), Hint: "unzip it first"}
	}
	raw, err := f.OpenRaw()
	if c.err != nil {
		return nil, c.err
	}
	if err != nil {
		return nil, &Error{What: fmt.Sprintf("zip entry %s is not where the directory says", printable(f.Name)), Hint: "fetch the archive again"}
	}
	in := bufio.NewReaderSize(packed(raw), headSize)
	e := &entry{file: f, hash: crc32.NewIEEE()}
	switch f.Method {
	case stored:
		e.in = in
	case deflated:
		e.in = flate.NewReader(in)
	case zstandard:
		if e.in, err = newFrames(in); err != nil {
			return nil, err
		}
	default:
		name := otherMethods[f.Method]
		if name == "" {
			name = fmt.Sprintf("method %d", f.Method)
		}
		return nil, &Error{What: fmt.Sprintf("zip entry %s is compressed with %s, which is not read", printable(f.Name), name), Hint: "unzip it first"}
	}
	return c.newStream("zip entry", e), nil
}

// entry is the content of a file of an archive. The package zip has such a reader
// as well; of content that is longer than it should be it drops as much as it is
// asked for at once.
type entry struct {
	file *zip.File
	in   io.Reader
	hash hash.Hash32
	n    uint64
}

// errChecksum is that content is not what its checksum or size says.
var errChecksum = errors.New("checksum does not fit")

func (e *entry) Read(p []byte) (int, error) {
	n, err := e.in.Read(p)
	e.hash.Write(p[:n])
	e.n += uint64(n)
	if err != io.EOF {
		return n, err
	}
	switch {
	case e.n < e.file.UncompressedSize64:
		err = io.ErrUnexpectedEOF
	case e.n > e.file.UncompressedSize64, e.hash.Sum32() != e.file.CRC32:
		err = errChecksum
	}
	return n, err
}
