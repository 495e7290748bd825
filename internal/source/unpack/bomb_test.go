package unpack_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/slow"
)

// Decompression bombs end soon with an error that names the limit, and need little memory
// until then.
func TestBombs(t *testing.T) {
	slow.Skip(t)
	const size = 300 << 20
	zeros := inflatable(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, size)
	bombs := map[string][]byte{
		"gzip":                          zeros,
		"gzip in 3 gzips":               gzipped(gzipped(gzipped(zeros))),
		"many members":                  bytes.Repeat(gzipped(make([]byte, 1<<20)), size>>20),
		"zstd, nothing but repetitions": repetitions(size),
		"HTML in gzip": inflatable(func(w io.Writer) io.WriteCloser {
			z := gzip.NewWriter(w)
			z.Write([]byte("<html>"))
			return z
		}, size),
		"tar in gzip": inflatable(func(w io.Writer) io.WriteCloser {
			z := gzip.NewWriter(w)
			header := tarred(tar.FormatPAX)(nil)
			z.Write(header[:len(header)-1024]) // without its end
			return z
		}, size),
		"zip":                          overlapping(1, size),
		"zip with overlapping entries": overlapping(1000, size),
	}
	for name, bomb := range bombs {
		for limit, bounds := range map[string]trace.Limits{"ratio": {}, "inflated": {Ratio: 1 << 40, Inflated: size - 10<<20}} {
			options := unpack.Options{Limits: bounds}
			if strings.Contains(name, "overlapping") {
				if got := open(t, bytes.NewReader(bomb), options); !strings.HasPrefix(message(got.err), "zip archive with 1000 files (") {
					t.Errorf("%s: error %v", name, got.err)
				}
				options.Entry = "17"
			}
			var read int64
			var err error
			hostiletest.CheckPeak(t, 50<<20, func() { read, err = unpacked(t, inFile(t, bomb), options) })
			if over := (*unpack.LimitError)(nil); !errors.As(err, &over) || over.Limit != limit {
				t.Errorf("%s: error %v, want that of the limit %s", name, err, limit)
			}
			// Most of the time is spent on inflating.
			if read > size-1<<20 {
				t.Errorf("%s: %d MB read", name, read>>20)
			}
		}
	}
}

// unpacked returns the size of an input's content.
func unpacked(t *testing.T, r io.Reader, o unpack.Options) (int64, error) {
	c, err := unpack.Open(t.Context(), r, o)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	return io.Copy(io.Discard, c)
}

// A zstd frame may refer as far back as it says, but no farther than a bound.
func TestWindow(t *testing.T) {
	slow.Skip(t)
	frame := repetitions(400 << 20)
	frame[5] = 17 << 3 // 128 MiB
	hostiletest.CheckPeak(t, 150<<20, func() {
		if _, err := unpacked(t, bytes.NewReader(frame), unpack.Options{Limits: trace.Limits{Ratio: 1 << 40}}); err != nil {
			t.Error(err)
		}
	})
}

// A large recording is not a bomb.
func TestNoBomb(t *testing.T) {
	slow.Skip(t)
	text := demo(t)
	for name, wrap := range map[string]func([]byte) []byte{"gzip": gzipped, "zstd": zstdded} {
		packed := wrap(text)
		if n, err := unpacked(t, bytes.NewReader(bytes.Repeat(packed, unpack.FreeInflation/len(text)+10)), unpack.Options{}); err != nil || n < unpack.FreeInflation {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
}

// inflatable compresses zeros.
func inflatable(compress func(io.Writer) io.WriteCloser, size int) []byte {
	var out bytes.Buffer
	w := compress(&out)
	zeros := make([]byte, 1<<20)
	for range size >> 20 {
		w.Write(zeros)
	}
	w.Close()
	return out.Bytes()
}

// repetitions is a zstd frame whose blocks say each to repeat one byte 128 KiB times.
//
// Source: RFC 8878, section 3.1.1.
func repetitions(size int) []byte {
	out := []byte("\x28\xb5\x2f\xfd\x00\x58") // a window of 2 MiB
	const block = 128 << 10
	for range size / block {
		header := binary.LittleEndian.AppendUint32(nil, block<<3|1<<1)
		out = append(append(out, header[:3]...), 'x')
	}
	header := binary.LittleEndian.AppendUint32(nil, 1<<3|1<<1|1)
	return append(append(out, header[:3]...), 'x')
}

// overlapping makes an archive whose files are all the same bytes of it, which
// inflate to so many zeros.
func overlapping(files, size int) []byte {
	content := inflatable(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, size)
	content = content[10 : len(content)-8] // without gzip's frame
	one := archive(0, map[string][]byte{"0": nil}, "0")
	local := bytes.Clone(one[:30+1])
	record := bytes.Clone(one[bytes.Index(one, []byte("PK\x01\x02")):][:46+1])
	end := bytes.Clone(one[bytes.Index(one, []byte("PK\x05\x06")):])
	record[10] = 8 // deflated
	binary.LittleEndian.PutUint32(record[20:], uint32(len(content)))
	binary.LittleEndian.PutUint32(record[24:], uint32(size))
	out := append(local, content...)
	begin := len(out)
	for i := range files {
		name := fmt.Sprint(i)
		binary.LittleEndian.PutUint16(record[28:], uint16(len(name)))
		out = append(append(out, record[:46]...), name...)
	}
	binary.LittleEndian.PutUint16(end[8:], uint16(files))
	binary.LittleEndian.PutUint16(end[10:], uint16(files))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(out)-begin))
	binary.LittleEndian.PutUint32(end[16:], uint32(begin))
	return append(out, end...)
}
