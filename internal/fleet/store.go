package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"ohframe/internal/inputs"
	"ohframe/internal/meta"
)

// Store is where traces are read and parts are written.
type Store interface {
	// Open opens a trace.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Describe returns how a trace was recorded: nil if nothing beside it says so. The
	// error is that of a description that cannot be used.
	Describe(ctx context.Context, name string) (*meta.Meta, error)
	// Modified returns when a file was last changed; zero if that is unknown.
	Modified(ctx context.Context, name string) time.Time
	// Create creates a file that appears, or replaces an older one, with Commit.
	Create(ctx context.Context, name string) (Output, error)
	// OpenPart opens a part that exists, and returns its size.
	OpenPart(ctx context.Context, name string) (Part, int64, error)
	// List returns the names of the files in a folder without the folder; none if it
	// does not exist.
	List(ctx context.Context, folder string) ([]string, error)
}

// Part is an open file of a dataset.
type Part interface {
	io.ReaderAt
	io.Closer
}

// Output is a file being written.
type Output interface {
	io.Writer
	// Commit closes the file and gives it its name.
	Commit() error
	// Discard closes and removes the file. After Commit it does nothing.
	Discard()
}

// Files is the store of the local file system.
type Files struct{}

// Open opens a file.
func (Files) Open(_ context.Context, name string) (io.ReadCloser, error) {
	f, err := os.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &os.PathError{Op: "open", Path: name, Err: errFolder}
	}
	return f, nil
}

// Describe reads the description beside a trace.
func (Files) Describe(_ context.Context, name string) (*meta.Meta, error) {
	return inputs.Recorded(filepath.FromSlash(name))
}

// Modified returns the time of modification of a file.
func (Files) Modified(_ context.Context, name string) time.Time {
	info, err := os.Stat(filepath.FromSlash(name))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// OpenPart opens a file.
func (Files) OpenPart(_ context.Context, name string) (Part, int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// List lists a folder.
func (Files) List(_ context.Context, folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if os.IsNotExist(err) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// Create creates a temporary file beside the named one. Its name is random, because
// two attempts at a shard may run at once, and it is locked until it has its final name.
func (Files) Create(_ context.Context, name string) (Output, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(temporaryPrefix(name)+rand.Text()+temporarySuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, err
		}
		tryLock(f)
		if _, err := os.Lstat(f.Name()); err == nil {
			return &file{f, name}, nil
		}
		f.Close() // another attempt removed it before it was locked
	}
}

const temporarySuffix = ".tmp"

func temporaryPrefix(name string) string {
	return filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".")
}

type file struct {
	*os.File
	name string
}

// syncFile waits until a file is on the disk. Quick tests replace it, because it takes
// most of their time.
var syncFile = (*os.File).Sync

// Commit renames the file, and removes what earlier attempts have left behind.
func (f *file) Commit() error {
	err := syncFile(f.File)
	if err == nil && runtime.GOOS == "windows" { // which cannot rename an open file
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.File.Name(), f.name)
	}
	f.Close()
	if err != nil {
		os.Remove(f.File.Name())
		return err
	}
	removeTemporary(f.name)
	return nil
}

// Discard removes the file.
func (f *file) Discard() {
	if f.Close() == nil {
		os.Remove(f.File.Name())
	}
}

// removeTemporary removes the temporary files of attempts to write a file that were
// killed: nobody has locked them.
func removeTemporary(name string) {
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		return
	}
	prefix := filepath.Base(temporaryPrefix(name))
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), temporarySuffix) {
			continue
		}
		path := filepath.Join(filepath.Dir(name), e.Name())
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		if tryLock(f) {
			os.Remove(path)
		}
		f.Close()
		if runtime.GOOS == "windows" {
			os.Remove(path) // fails if an attempt has it open
		}
	}
}
