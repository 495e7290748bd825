package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ohframe/internal/testing/must"
)

// Archives have files of fixed modes, the commit's time and no owners; the time
// zone of the machine changes nothing.
func TestPack(t *testing.T) {
	at := time.Date(2026, 11, 20, 18, 30, 57, 0, time.UTC)
	documents := map[string][]byte{"man/ohframe.1": []byte(".TH\n"), "LICENSE": []byte("text")}
	list := func(system string, at time.Time) (string, []byte) {
		name, archive := must.Get2(pack(&program{system: system, arch: "amd64", version: "v1.2.3", time: at}, []byte("\x7fELF"), documents))(t)
		var b strings.Builder
		fmt.Fprintln(&b, name)
		add := func(name string, mode os.FileMode, at time.Time, owner, content any) {
			fmt.Fprintln(&b, name, mode, at.UTC().Format(time.RFC3339), owner, content)
		}
		if system == "windows" {
			r := must.Get(zip.NewReader(bytes.NewReader(archive), int64(len(archive))))(t)
			for _, f := range r.File {
				add(f.Name, f.Mode(), f.Modified, "", f.UncompressedSize64)
			}
			return b.String(), archive
		}
		packed := must.Get(gzip.NewReader(bytes.NewReader(archive)))(t)
		if h := packed.Header; h.Name != "" || h.Comment != "" || !h.ModTime.IsZero() || h.OS != 255 {
			t.Errorf("the header of gzip has %+v", h)
		}
		r := tar.NewReader(packed)
		for {
			h, err := r.Next()
			if err == io.EOF {
				return b.String(), archive
			} else if err != nil {
				t.Fatal(err)
			}
			add(h.Name, h.FileInfo().Mode(), h.ModTime, fmt.Sprint(h.Uid, h.Gid, h.Uname, h.Gname), h.Size)
		}
	}
	for system, want := range map[string]string{
		"linux": `ohframe_1.2.3_linux_amd64.tar.gz
ohframe_1.2.3_linux_amd64/ drwxr-xr-x 2026-11-20T18:30:57Z 0 0 0
ohframe_1.2.3_linux_amd64/LICENSE -rw-r--r-- 2026-11-20T18:30:57Z 0 0 4
ohframe_1.2.3_linux_amd64/man/ drwxr-xr-x 2026-11-20T18:30:57Z 0 0 0
ohframe_1.2.3_linux_amd64/man/ohframe.1 -rw-r--r-- 2026-11-20T18:30:57Z 0 0 4
ohframe_1.2.3_linux_amd64/ohframe -rwxr-xr-x 2026-11-20T18:30:57Z 0 0 4
`,
		"windows": `ohframe_1.2.3_windows_amd64.zip
ohframe_1.2.3_windows_amd64/ drwxr-xr-x 2026-11-20T18:30:57Z  0
ohframe_1.2.3_windows_amd64/LICENSE -rw-r--r-- 2026-11-20T18:30:57Z  4
ohframe_1.2.3_windows_amd64/man/ drwxr-xr-x 2026-11-20T18:30:57Z  0
ohframe_1.2.3_windows_amd64/man/ohframe.1 -rw-r--r-- 2026-11-20T18:30:57Z  4
ohframe_1.2.3_windows_amd64/ohframe.exe -rwxr-xr-x 2026-11-20T18:30:57Z  4
`,
	} {
		got, first := list(system, at)
		must.Equal(t, got, want)
		if _, second := list(system, at.In(time.FixedZone("elsewhere", 5*3600+1800))); !bytes.Equal(first, second) {
			t.Errorf("%s: the time zone changes the archive", system)
		}
	}
}

func TestCheck(t *testing.T) {
	commit := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		version, problem string
		time             time.Time
	}{
		{"v1.2.3", "", commit},
		{"v1.2.4-0.20261120183201-f6df1a7d470f", "", commit},
		{"v1.2.3+dirty", "uncommitted", commit},
		{"(devel)", "no version", commit},
		{"v1.2.3", "no version", time.Time{}},
	} {
		err := (&program{version: test.version, time: test.time}).check()
		if (err != nil) != (test.problem != "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: %v", test.version, err)
		}
	}
}

// A module without a licence cannot be released; parts of one may have their own.
func TestLicences(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/LICENSE": "A\r\n", "a/AUTHORS": "x", "a/in/NOTICE.txt": "N", "a/license.go": "", "b/copying.md": "B", "c/README": "C", "LICENSE": "above",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)))
	}
	files := map[string]string{}
	for _, name := range []string{"b", "a"} {
		must.Do(t, addLicences(files, name+" v1", filepath.Join(root, name)))
	}
	text := must.Get(formatLicences(files))(t)
	line := strings.Repeat("=", 80) + "\n"
	want := "\n" + line + "a v1: LICENSE\n" + line + "\nA\n\n" + line + "a v1: in/NOTICE.txt\n" + line + "\nN\n\n" + line + "b v1: copying.md\n" + line + "\nB\n"
	if _, got, _ := strings.Cut(string(text), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := addLicences(files, "c v1", filepath.Join(root, "c")); err == nil || err.Error() != "c v1 has no licence" {
		t.Errorf("without a licence: %v", err)
	}
}

// A release has the licence of what pages embed.
func TestUPlotLicence(t *testing.T) {
	if _, err := os.Stat(filepath.Join("../../..", uPlotLicence)); err != nil {
		t.Error(err)
	}
}
