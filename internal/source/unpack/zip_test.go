package unpack_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/must"
)

func TestEntry(t *testing.T) {
	names := []string{"logs/", "logs/first.ftrace", "logs/second.ftrace", "other/second.ftrace", "notes.txt", `win\third.ftrace`, "x/[x].ftrace", "__MACOSX/logs/._first.ftrace", "logs/.DS_Store"}
	several := archive(8, contents(names...), names...)
	one := zipped(8)([]byte("here"))
	const list = `logs/first.ftrace, logs/second.ftrace, other/second.ftrace, notes.txt, win\third.ftrace, x/[x].ftrace`
	for _, test := range []struct {
		input         []byte
		entry         string
		content, want string // one of them
	}{
		{several, "", "", "zip archive with 6 files (" + list + ")"},
		{several, "logs/second.ftrace", "logs/second.ftrace", ""},
		{several, "first.ftrace", "logs/first.ftrace", ""},
		{several, "third.ftrace", `win\third.ftrace`, ""},
		{several, "*.txt", "notes.txt", ""},
		{several, "first.*", "logs/first.ftrace", ""},
		{several, "logs/f*", "logs/first.ftrace", ""},
		{several, "[x].ftrace", "x/[x].ftrace", ""},
		{several, "second.ftrace", "", "second.ftrace matches 2 files of the zip archive (logs/second.ftrace, other/second.ftrace)"},
		{several, "*", "", "* matches 6 files of the zip archive (" + list + ")"},
		{several, "fourth", "", "the zip archive has no entry fourth; it has " + list},
		{several, "[", "", "the zip archive has no entry [; it has " + list},
		{several, "._first.ftrace", "", "the zip archive has no entry ._first.ftrace; it has " + list},
		{one, "", "here", ""},
		{one, "trace.ftrace", "here", ""},
		{one, "x", "", "the zip archive has no entry x; it has logs/trace.ftrace, in zip"},
		{zipped(8)(several), "notes.txt", "notes.txt", ""},
		{gzipped(several), "notes.txt", "notes.txt", ""},
		{gzipped([]byte("text")), "notes.txt", "", "not an archive, in gzip"},
		{[]byte("text"), "notes.txt", "", "not an archive"},
		{archive(8, nil), "", "", "zip archive without files"},
		{archive(8, nil, "a/", "__MACOSX/b", "a/.DS_Store"), "", "", "zip archive without files"},
		{archive(8, contents("a", "a"), "a", "a"), "a", "", "a matches 2 files of the zip archive (a, a)"},
		// Names that would be paths elsewhere are names.
		{archive(0, contents("../../../etc/passwd"), "../../../etc/passwd"), "", "../../../etc/passwd", ""},
		{archive(0, contents("/etc/passwd"), "/etc/passwd"), "passwd", "/etc/passwd", ""},
		{archive(0, nil, "a\x1b[31mb", "c\nd", "\xff", "e, f", strings.Repeat("g", 300)), "", "",
			`zip archive with 5 files ("a\x1b[31mb", "c\nd", "\xff", "e, f", ` + strings.Repeat("g", 100) + "…)"},
	} {
		got := open(t, bytes.NewReader(test.input), unpack.Options{Entry: test.entry})
		if string(got.content) != test.content || message(got.err) != test.want || len(got.warnings) > 0 {
			t.Errorf("--entry %q: got %q, %v; want %q, %s", test.entry, got.content, got.err, test.content, test.want)
		}
	}
}

// contents makes files whose content is their name.
func contents(names ...string) map[string][]byte {
	files := map[string][]byte{}
	for _, name := range names {
		files[name] = []byte(name)
	}
	return files
}

func TestManyEntries(t *testing.T) {
	var names []string
	for i := range 70_000 {
		names = append(names, fmt.Sprint(i))
	}
	got := open(t, bytes.NewReader(archive(0, nil, names[:23]...)), unpack.Options{})
	if want := "zip archive with 23 files (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 3 more)"; message(got.err) != want {
		t.Errorf("got %v", got.err)
	}
	// Fewer files, with longer names: the directory exceeds the limit.
	for i := range names {
		names[i] = strings.Repeat("x", 100) + names[i]
	}
	got = open(t, bytes.NewReader(archive(0, nil, names...)), unpack.Options{})
	if message(got.err) != "zip archive with too many files" {
		t.Errorf("got %v", got.err)
	}
}

// A file with nothing in it but an end of a directory that says to have more files
// than fit into memory.
func TestClaimedEntries(t *testing.T) {
	const count, size = 1 << 32, 1 << 38
	end := []byte("PK\x06\x06")
	end = binary.LittleEndian.AppendUint64(end, 44)
	end = append(end, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, v := range []uint64{count, count, 46, size} { // here, in all, size, offset
		end = binary.LittleEndian.AppendUint64(end, v)
	}
	end = append(append(end, "PK\x06\x07\x00\x00\x00\x00"...), binary.LittleEndian.AppendUint64(nil, size)...)
	end = append(end, 1, 0, 0, 0)
	end = append(append(end, "PK\x05\x06\x00\x00\x00\x00"...), bytes.Repeat([]byte{0xff}, 12)...)
	end = append(end, 0, 0)
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "sparse.zip")))(t)
	defer f.Close()
	if _, err := f.WriteAt(end, size); err != nil {
		t.Skip(err) // no sparse files here
	}
	f.WriteAt([]byte("PK\x03\x04"), 0)
	if got := open(t, f, unpack.Options{}); message(got.err) != "zip archive with too many files" {
		t.Errorf("got %v", got.err)
	}
}

// patched changes the header of the only file of an archive, in both places.
func patched(offset int, value byte) []byte {
	b := archive(zip.Store, map[string][]byte{"trace": []byte("x")}, "trace")
	b[bytes.Index(b, []byte("PK\x03\x04"))+offset] = value
	b[bytes.Index(b, []byte("PK\x01\x02"))+offset+2] = value
	return b
}

func TestUnreadableEntries(t *testing.T) {
	away := archive(zip.Store, map[string][]byte{"trace": []byte("x")}, "trace")
	binary.LittleEndian.PutUint32(away[bytes.Index(away, []byte("PK\x01\x02"))+42:], 5)
	for want, input := range map[string][]byte{
		"zip entry trace is encrypted":                             patched(6, 9),
		"zip entry trace uses unsupported compression: method 14":  patched(8, 14),
		"zip entry trace uses unsupported compression: method 200": patched(8, 200),
		"zip entry trace is not at its place in the archive":       away,
	} {
		if got := open(t, bytes.NewReader(input), unpack.Options{}); message(got.err) != want {
			t.Errorf("got %v, want %s", got.err, want)
		}
	}
}

// A file is read where it is: what the archive's other files take costs nothing.
func TestInPlace(t *testing.T) {
	large := bytes.Repeat([]byte("large"), 1<<20)
	input := archive(zip.Store, map[string][]byte{"large": large, "small": []byte("small"), "more": large}, "large", "small", "more")
	f := &counted{File: inFile(t, input)}
	got := open(t, f, unpack.Options{Entry: "small"})
	if got.err != nil || string(got.content) != "small" || f.n > 200_000 {
		t.Errorf("%q, %v after reading %d of %d bytes", got.content, got.err, f.n, len(input))
	}
}

type counted struct {
	*os.File
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.n += n
	return n, err
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.File.ReadAt(p, at)
	c.n += n
	return n, err
}

// inFile puts content into a file, to be read from its beginning.
func inFile(t testing.TB, content []byte) *os.File {
	t.Helper()
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "input")))(t)
	t.Cleanup(func() { f.Close() })
	f.Write(content)
	f.Seek(0, io.SeekStart)
	return f
}
