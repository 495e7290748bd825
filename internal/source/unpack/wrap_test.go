package unpack_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// wrapper puts something into a container.
type wrapper struct {
	name  string
	layer string // what the container is called; empty for a byte order mark
	text  bool   // only text of a trace comes out as it was
	wrap  func(b []byte) []byte
}

var wrappers = []wrapper{
	{"gzip", "gzip", false, gzipped},
	{"gzip members", "gzip", false, func(b []byte) []byte {
		return bytes.Join([][]byte{gzipped(b[:len(b)/3]), gzipped(nil), gzipped(b[len(b)/3:])}, nil)
	}},
	{"gzip padded", "gzip", false, func(b []byte) []byte { return append(gzipped(b), make([]byte, 1000)...) }},
	{"zlib", "zlib", false, zlibbed(zlib.DefaultCompression)},
	{"zlib best", "zlib", false, zlibbed(zlib.BestCompression)},
	{"hitrace -z", "zlib", false, func(b []byte) []byte {
		return append([]byte("TRACE:\n"), zlibbed(zlib.DefaultCompression)(b)...)
	}},
	{"hitrace -z in a shell", "zlib", false, func(b []byte) []byte {
		return append(append([]byte("capturing trace...\r\ndone. TRACE:\r\n"), zlibbed(zlib.DefaultCompression)(b)...), "\r\n"...)
	}},
	{"zstd", "zstd", false, zstdded},
	{"zstd frames", "zstd", false, func(b []byte) []byte {
		skippable := []byte("\x5a\x2a\x4d\x18\x03\x00\x00\x00abc")
		return bytes.Join([][]byte{skippable, zstdded(b[:len(b)/3]), skippable, zstdded(b[len(b)/3:])}, nil)
	}},
	{"zip", "zip", false, zipped(zip.Deflate)},
	{"zip stored", "zip", false, zipped(zip.Store)},
	{"zip zstd", "zip", false, zipped(zstd.ZipMethodWinZip)},
	{"tar", "tar", false, tarred(tar.FormatPAX)},
	{"tar of GNU", "tar", false, tarred(tar.FormatGNU)},
	{"HTML", "HTML", true, func(b []byte) []byte {
		return bytes.Join([][]byte{[]byte("<!DOCTYPE html>\n<html>\n" + sectionStart + "\nPROCESS DUMP\nUSER PID\n  </script>\n" + sectionStart + "\n"), b, []byte("  </script>\n</html>\n")}, nil)
	}},
	{"HTML with a string", "HTML", true, func(b []byte) []byte {
		return bytes.Join([][]byte{[]byte("<html><script>\n  if (linuxPerfData) {}\n  var linuxPerfData = \"\\\n"), inString(b, "\\n\\\n"), []byte("\";\n</script></html>\n")}, nil)
	}},
	{"JSON", "JSON", true, func(b []byte) []byte {
		return bytes.Join([][]byte{[]byte("{\"traceEvents\": [{\"name\": \"systemTraceEvents\"}],\n \"systemTraceEvents\": \""), inString(b, "\\n"), []byte("\", \"metadata\": {}}")}, nil)
	}},
	{"UTF-8 with a mark", "", false, func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) }},
	{"UTF-16, little end first", "UTF-16", true, wide(binary.LittleEndian)},
	{"UTF-16, big end first", "UTF-16", true, wide(binary.BigEndian)},
}

const sectionStart = `  <script class="trace-data" type="application/text">`

// inString returns text as it is in a string of JavaScript with these line ends.
func inString(text []byte, lineEnd string) []byte {
	return []byte(strings.NewReplacer("\\", "\\\\", `"`, `\"`, "\n", lineEnd, "\r", `\r`, "\t", `\t`).Replace(string(text)))
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zlibbed(level int) func([]byte) []byte {
	return func(b []byte) []byte {
		var out bytes.Buffer
		w, _ := zlib.NewWriterLevel(&out, level)
		w.Write(b)
		w.Close()
		return out.Bytes()
	}
}

func zstdded(b []byte) []byte {
	var out bytes.Buffer
	w, _ := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// zipped makes an archive as macOS does: with a folder and what belongs to it.
func zipped(method uint16) func([]byte) []byte {
	return func(b []byte) []byte {
		return archive(method, map[string][]byte{"logs/trace.ftrace": b, "__MACOSX/logs/._trace.ftrace": {1}, "logs/.DS_Store": {2}}, "logs/", "logs/.DS_Store", "logs/trace.ftrace", "__MACOSX/logs/._trace.ftrace")
	}
}

// archive makes a zip archive of the files, in the order of the names.
func archive(method uint16, files map[string][]byte, names ...string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)))
	for _, name := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			panic(err)
		}
		f.Write(files[name])
	}
	w.Close()
	return out.Bytes()
}

// wide writes UTF-16 with a byte order mark.
func wide(order binary.AppendByteOrder) func([]byte) []byte {
	return func(b []byte) []byte {
		var out []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + string(b))) {
			out = order.AppendUint16(out, unit)
		}
		return out
	}
}

// inPieces hands out bytes as they may come through a network.
func inPieces(r io.Reader, size int) io.Reader { return &pieces{r, size} }

type pieces struct {
	in   io.Reader
	size int
}

func (p *pieces) Read(b []byte) (int, error) { return p.in.Read(b[:min(len(b), p.size)]) }

// tarred puts b into an archive with a folder and metadata of macOS.
func tarred(format tar.Format) func([]byte) []byte {
	return func(b []byte) []byte {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "traces/", Mode: 0o755, Format: format})
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "traces/._trace", Mode: 0o644, Size: 3, Format: format})
		w.Write([]byte("abc"))
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "traces/trace", Mode: 0o644, Size: int64(len(b)), Format: format})
		w.Write(b)
		w.Close()
		return out.Bytes()
	}
}
