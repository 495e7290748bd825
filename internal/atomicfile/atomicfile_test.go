package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"ohframe/internal/testing/must"
)

func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries := must.Get(os.ReadDir(folder))(t)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// named returns a File as Create returns it where files without names are impossible.
func named(t *testing.T, path string) *File {
	t.Helper()
	f := must.Get(os.OpenFile(temporaryName(filepath.Dir(path)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666))(t)
	tryLock(f)
	return &File{File: f, path: path, temporary: f.Name()}
}

// Commit makes a file appear, new or instead of another. Before Commit, and after Discard,
// the folder is unchanged.
func TestCommit(t *testing.T) {
	for name, create := range map[string]func(*testing.T, string) *File{
		"named": named,
		"default": func(t *testing.T, path string) *File {
			f := must.Get(Create(path, 0o666))(t)
			return f
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "out")
			for _, content := range []string{"first", "second"} {
				discarded := create(t, path)
				discarded.WriteString("none")
				before := names(t, folder)
				discarded.Discard()
				before = slices.DeleteFunc(before, temporary().MatchString)
				must.EqualSlices(t, names(t, folder), before, "after Discard")
				f := create(t, path)
				must.Get(f.WriteString(content))(t)
				if got, _ := os.ReadFile(path); string(got) == content {
					t.Error("it appears before Commit")
				}
				must.Do(t, f.Commit())
				f.Discard()
				if got, _ := os.ReadFile(path); string(got) != content {
					t.Errorf("content %q, want %q", got, content)
				}
				if left := names(t, folder); !slices.Equal(left, []string{"out"}) {
					t.Errorf("files: %q", left)
				}
			}
		})
	}
}

// A file whose Commit fails is removed.
func TestCommitFails(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	if err := os.Mkdir(path, 0o777); err != nil { // no file replaces a folder
		t.Fatal(err)
	}
	if err := write(path, []byte("x"), 0o666); err == nil {
		t.Error("no error")
	}
	if left := names(t, folder); !slices.Equal(left, []string{"out"}) {
		t.Errorf("files: %q", left)
	}
}

// On Linux a file has no name until Commit, and a killed process leaves nothing behind.
func TestNoName(t *testing.T) {
	folder := t.TempDir()
	if f := createUnnamed(folder, 0o666); f == nil {
		t.Skip("no files without names here")
	} else {
		f.Close()
	}
	f := must.Get(Create(filepath.Join(folder, "out"), 0o666))(t)
	defer f.Discard()
	if left := names(t, folder); len(left) > 0 {
		t.Errorf("files: %q", left)
	}
}

func TestTemporary(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder)
	f := must.Get(Temporary())(t)
	if left := names(t, folder); runtime.GOOS != "windows" && len(left) > 0 {
		t.Errorf("files: %q", left)
	}
	content := make([]byte, 3)
	must.Get(f.WriteString("abc"))(t)
	if _, err := f.ReadAt(content, 0); err != nil || string(content) != "abc" {
		t.Errorf("reads %q, %v", content, err)
	}
	f.Close()
	if left := names(t, folder); len(left) > 0 {
		t.Errorf("after Close: %q", left)
	}
}

// The first file in a folder removes what killed processes have left there, and nothing that
// is in use, that was written a short time ago, or that has another name.
func TestStale(t *testing.T) {
	folder := t.TempDir()
	old := time.Now().Add(-2 * staleAfter)
	var want []string
	add := func(name string, stays bool, modified time.Time) {
		path := filepath.Join(folder, name)
		if _, err := os.Lstat(path); err != nil {
			must.Do(t, os.WriteFile(path, []byte("x"), 0o666))
		}
		must.Do(t, os.Chtimes(path, modified, modified))
		if stays {
			want = append(want, name)
		}
	}
	add(filepath.Base(temporaryName(folder)), false, old)
	add(filepath.Base(temporaryName(folder)), true, time.Now())
	add(".ohframe.yaml", true, old)
	add(".ohframe.ABCDEFGHIJKLMNOPQRSTUVWXY1", true, old) // rand.Text has no 1
	add("x"+filepath.Base(temporaryName(folder)), true, old)
	used := named(t, filepath.Join(folder, "other"))
	defer used.Discard()
	add(filepath.Base(used.Name()), true, old)
	link := temporaryName(folder)
	if err := os.Symlink(filepath.Join(folder, want[0]), link); err == nil {
		want = append(want, filepath.Base(link))
	}

	must.Do(t, write(filepath.Join(folder, "out"), nil, 0o666))
	want = append(want, "out")
	slices.Sort(want)
	if left := names(t, folder); !slices.Equal(left, want) {
		t.Errorf("files\n got %q\nwant %q", left, want)
	}
}

// The mode is that of a new file.
func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	folder := t.TempDir()
	for _, mode := range []fs.FileMode{0o600, 0o640} {
		path := filepath.Join(folder, mode.String())
		must.Do(t, write(path, nil, mode))
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("mode %v, want %v", info.Mode(), mode)
		}
	}
}

// write creates a file with the content.
func write(path string, content []byte, mode fs.FileMode) error {
	f, err := Create(path, mode)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Commit()
}
