package unpack_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"ohframe/analyzer/trace"
	"ohframe/internal/inflation"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/slow"
)

// What inflates to much more than it is ends with an error that names the limit,
// soon, and holds little memory until then.
func TestBombs(t *testing.T) {
	slow.Skip(t)
	const size = 300 << 20
	zeros := inflatable(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, size)
	bombs := map[string][]byte{
		"gzip":            zeros,
		"gzip in gzip":    gzipped(zeros),
		"gzip in zip":     zipped(8)(zeros),
		"gzip in 3 gzips": gzipped(gzipped(gzipped(zeros))),
		"many members":    bytes.Repeat(gzipped(make([]byte, 1<<20)), size>>20),
		"zlib":            inflatable(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, size),
		"zstd": inflatable(func(w io.Writer) io.WriteCloser {
			z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
			return z
		}, size),
		"zstd, nothing but repetitions": repetitions(size),
		"HTML in gzip": inflatable(func(w io.Writer) io.WriteCloser {
			z := gzip.NewWriter(w)
			z.Write([]byte("<html>"))
			return z
		}, size),
		"UTF-16 in gzip": inflatable(func(w io.Writer) io.WriteCloser {
			z := gzip.NewWriter(w)
			z.Write([]byte("\xff\xfe"))
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
		"that in gzip":                 gzipped(overlapping(1000, size)),
	}
	for name, bomb := range bombs {
		for limit, bounds := range map[string]trace.Limits{"ratio": {}, "inflated": {Ratio: 1 << 40, Inflated: size - 10<<20}} {
			options := unpack.Options{Limits: bounds}
			if strings.Contains(name, "overlapping") || name == "that in gzip" {
				if got := open(t, bytes.NewReader(bomb), options); !strings.HasPrefix(message(got.err), "zip archive with 1000 files (") {
					t.Errorf("%s: error %v", name, got.err)
				}
				options.Entry = "17"
			}
			var read int64
			grown, err := growth(t, func() error {
				c, err := unpack.Open(t.Context(), inFile(t, bomb), options)
				if err != nil {
					return err
				}
				defer c.Close()
				read, err = io.Copy(io.Discard, c)
				return err
			})
			if over := (*inflation.Error)(nil); !errors.As(err, &over) || over.Limit != limit {
				t.Errorf("%s: error %v, want that of the limit %s", name, err, limit)
			}
			// What is read is what is inflated, which takes the time.
			if grown > 50<<20 || read > size-1<<20 {
				t.Errorf("%s: %d MB of memory, %d MB read", name, grown>>20, read>>20)
			}
			t.Logf("%-30s %8d bytes, limit %-8s: %2d MB of memory, %d MB read", name, len(bomb), limit, grown>>20, read>>20)
		}
	}
}

// A zstd frame may refer as far back as it says, but no farther than a bound, and
// what is not there yet takes no memory.
func TestWindow(t *testing.T) {
	slow.Skip(t)
	for _, test := range []struct{ content, most int }{{1 << 20, 10 << 20}, {400 << 20, 150 << 20}} {
		frame := repetitions(test.content)
		frame[5] = 17 << 3 // 128 MiB
		grown, err := growth(t, func() error {
			c, err := unpack.Open(t.Context(), bytes.NewReader(frame), unpack.Options{Limits: trace.Limits{Ratio: 1 << 40}})
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, c)
			return err
		})
		if err != nil || grown > test.most {
			t.Errorf("%d MB of content: %d MB, %v", test.content>>20, grown>>20, err)
		}
		t.Logf("%d MB of content: %d MB", test.content>>20, grown>>20)
	}
}

// What is large because much was recorded is not taken for a bomb.
func TestNoBomb(t *testing.T) {
	slow.Skip(t)
	text := demo(t)
	for name, wrap := range map[string]func([]byte) []byte{"gzip": gzipped, "zstd": zstdded} {
		packed := wrap(text)
		c, err := unpack.Open(t.Context(), bytes.NewReader(bytes.Repeat(packed, inflation.Free/len(text)+10)), unpack.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, c); err != nil || n < inflation.Free {
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

// growth returns by how much the memory of this process grew at the most.
func growth(t *testing.T, f func() error) (int, error) {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Log("memory is not measured:", err)
		return 0, f()
	}
	before := peak(t)
	err := f()
	return peak(t) - before, err
}

// peak returns the most memory that this process has held since that was reset.
func peak(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	var kib int
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
