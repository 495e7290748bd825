package fleet

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ohframe"
	"ohframe/internal/atomicfile"
	"ohframe/internal/inputs"
	"ohframe/internal/record/meta"
)

// Store is where traces are read and parts are written.
type Store interface {
	// Open opens a trace.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Size returns the number of bytes of a file; zero if unknown.
	Size(ctx context.Context, name string) (int64, error)
	// Describe returns how a trace was recorded: nil if nothing beside it says so. The
	// error is that of a description that cannot be used.
	Describe(ctx context.Context, name string) (*meta.Meta, error)
	// OpenBeside opens the files beside a trace that are read with it, and sets the options for them.
	OpenBeside(ctx context.Context, name string, files *inputs.Files, o *ohframe.Options)
	// Written returns when a file was written; zero if that is unknown.
	Written(ctx context.Context, name string) time.Time
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
type Files struct {
	// Mode is that of new files, before the umask. Zero is 0666.
	Mode fs.FileMode
}

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

// Size returns the size of a regular file.
func (Files) Size(_ context.Context, name string) (int64, error) {
	info, err := os.Stat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return 0, err
	}
	return info.Size(), nil
}

// Describe reads the description beside a trace.
func (Files) Describe(_ context.Context, name string) (*meta.Meta, error) {
	return inputs.Recorded(filepath.FromSlash(name))
}

// OpenBeside opens the samples of hiperf and the output of hisysevent beside a trace.
func (Files) OpenBeside(_ context.Context, name string, files *inputs.Files, o *ohframe.Options) {
	name = filepath.FromSlash(name)
	files.Open(name, inputs.SamplesOf(name), o, func(path string) (io.ReadCloser, error) { return meta.Open(path) })
}

// Written returns the time of a file.
func (Files) Written(_ context.Context, name string) (at time.Time) {
	if info, err := os.Stat(filepath.FromSlash(name)); err == nil {
		at = info.ModTime()
	}
	return at
}

// OpenPart opens a file.
func (Files) OpenPart(_ context.Context, name string) (Part, int64, error) {
	f, err := meta.Open(name) // a pipe would block
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

// Create creates a file in a folder, which it creates, too.
func (s Files) Create(_ context.Context, name string) (Output, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	return atomicfile.Create(name, cmp.Or(s.Mode, 0o666))
}
