package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var sample = []member{
	{name: "x/program", content: []byte("\x7fELF"), executable: true},
	{name: "x/man/program.1", content: bytes.Repeat([]byte(".TH\n"), 1000)},
}

// Archives tell of the machine neither who nor when nor where.
func TestArchives(t *testing.T) {
	at := time.Date(2026, 11, 20, 18, 30, 57, 123, time.UTC)
	elsewhere := at.In(time.FixedZone("elsewhere", 5*3600+1800))
	for name, write := range map[string]func([]member, time.Time) ([]byte, error){"tar.gz": writeTarGz, "zip": writeZip} {
		first, err := write(sample, at)
		if err != nil {
			t.Fatal(err)
		}
		second, err := write(sample, elsewhere)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("%s: differs with the time zone", name)
		}
	}
	want := at.Truncate(time.Second)

	packed, _ := writeTarGz(sample, at)
	zipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if h := zipped.Header; h.Name != "" || h.Comment != "" || !h.ModTime.IsZero() || h.OS != 255 {
		t.Errorf("the header of gzip tells %+v", h)
	}
	archive := tar.NewReader(zipped)
	for _, m := range sample {
		h, err := archive.Next()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil || !bytes.Equal(content, m.content) {
			t.Errorf("tar: %s: %v", m.name, err)
		}
		if h.Name != m.name || h.Mode != m.mode() || !h.ModTime.Equal(want) || h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" {
			t.Errorf("tar: %s is told as %+v", m.name, h)
		}
	}

	packed, _ = writeZip(sample, at)
	files, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range sample {
		f := files.File[i]
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(content, m.content) {
			t.Errorf("zip: %s: %v", m.name, err)
		}
		if f.Name != m.name || int64(f.Mode()) != m.mode() || !f.Modified.Equal(want) {
			t.Errorf("zip: %s is told as %+v", m.name, f.FileHeader)
		}
	}
}

func TestParseTargets(t *testing.T) {
	got, err := parseTargets([]string{"linux/amd64", "windows/arm64", "linux/amd64"})
	if err != nil || len(got) != 2 || got[0].String() != "linux/amd64" || got[1].extension() != ".exe" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, wrong := range [][]string{nil, {""}, {"linux"}, {"linux/"}, {"/amd64"}, {"linux/amd64", ""}} {
		if _, err := parseTargets(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestCheck(t *testing.T) {
	commit := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		version, expected, problem string
		time                       time.Time
	}{
		{"v1.2.3", "", "", commit},
		{"v1.2.3", "v1.2.3", "", commit},
		{"v1.2.3", "v1.2.4", "git tag v1.2.4", commit},
		{"v1.2.3+dirty", "v1.2.3", "not committed", commit},
		{"v1.2.4-0.20261120183201-f6df1a7d470f", "v1.2.4", "git tag v1.2.4", commit},
		{"(devel)", "v1.2.3", "no version", commit},
		{"v1.2.3", "", "no version", time.Time{}},
	} {
		err := (&built{version: test.version, time: test.time}).check(test.expected)
		if (err != nil) != (test.problem != "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s for %s: %v", test.version, test.expected, err)
		}
	}
}

// Licences are found beside a package and above it, and nowhere else; a module
// without one cannot be released.
func TestModuleNotices(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/LICENSE": "A\r\n", "a/AUTHORS": "x", "a/in/NOTICE.txt": "N", "a/in/pkg/x.go": "", "a/other/LICENSE": "O", "a/license.go": "",
		"b/copying.md": "B", "c/README": "C", "LICENSE": "above",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) module { return module{"example/" + name, "v1", filepath.Join(root, name)} }
	folders := map[string]module{filepath.Join(root, "a", "in", "pkg"): in("a"), filepath.Join(root, "b"): in("b")}
	notices, err := moduleNotices(folders)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("=", 80)
	want := ""
	for _, n := range []string{"example/a v1: LICENSE", "A", "example/a v1: in/NOTICE.txt", "N", "example/b v1: copying.md", "B"} {
		if strings.Contains(n, ":") {
			want += "\n" + line + "\n" + n + "\n" + line + "\n\n"
		} else {
			want += n + "\n"
		}
	}
	_, got, _ := strings.Cut(string(formatNotices(notices)), "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	folders[filepath.Join(root, "c")] = in("c")
	if _, err := moduleNotices(folders); err == nil || !strings.Contains(err.Error(), "example/c v1 has no licence") {
		t.Errorf("without a licence: %v", err)
	}
}
