package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"ohframe/internal/fleet"
	"ohframe/internal/inputs"
	"ohframe/internal/record/meta"
)

// store is the local file system, and the object stores that Beam knows.
type store struct{ fleet.Files }

func isRemote(name string) bool { return strings.Contains(name, "://") }

// withRemote calls do with the file system of an address.
func withRemote(ctx context.Context, name string, do func(filesystem.Interface) error) error {
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer system.Close()
	return do(system)
}

// listRemote returns the objects that match a pattern of the object store.
func listRemote(ctx context.Context, pattern string) (inputs []fleet.Input, err error) {
	err = withRemote(ctx, pattern, func(s filesystem.Interface) error {
		names, err := s.List(ctx, pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			in := fleet.Input{Name: name}
			in.Size, in.Err = s.Size(ctx, name)
			inputs = append(inputs, in)
		}
		return nil
	})
	return inputs, err
}

// Open opens a trace.
func (s store) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if !isRemote(name) {
		return s.Files.Open(ctx, name)
	}
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	r, err := system.OpenRead(ctx, name)
	if err != nil {
		system.Close()
		return nil, err
	}
	return &remoteFile{r, system}, nil
}

type remoteFile struct {
	io.ReadCloser
	system filesystem.Interface
}

func (r *remoteFile) Close() error {
	err := r.ReadCloser.Close()
	r.system.Close()
	return err
}

// Size returns the size of a file or an object.
func (s store) Size(ctx context.Context, name string) (n int64, err error) {
	if !isRemote(name) {
		return s.Files.Size(ctx, name)
	}
	err = withRemote(ctx, name, func(system filesystem.Interface) error {
		n, err = system.Size(ctx, name)
		return err
	})
	return n, err
}

// Describe reads the description beside a trace.
func (s store) Describe(ctx context.Context, name string) (*meta.Meta, error) {
	if !isRemote(name) {
		return s.Files.Describe(ctx, name)
	}
	description := inputs.DescriptionOf(name)
	found, err := listRemote(ctx, description)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	r, err := s.Open(ctx, description)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return meta.Parse(r)
}

// Written returns zero for objects: Beam does not know their times.
func (s store) Written(ctx context.Context, name string) time.Time {
	if isRemote(name) {
		return time.Time{}
	}
	return s.Files.Written(ctx, name)
}

// OpenPart reads a part into memory: object stores of Beam cannot read from the middle.
func (s store) OpenPart(ctx context.Context, name string) (fleet.Part, int64, error) {
	if !isRemote(name) {
		return s.Files.OpenPart(ctx, name)
	}
	r, err := s.Open(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	return remotePart{bytes.NewReader(content)}, int64(len(content)), err
}

type remotePart struct{ io.ReaderAt }

func (remotePart) Close() error { return nil }

// List lists a folder.
func (s store) List(ctx context.Context, folder string) (names []string, err error) {
	if !isRemote(folder) {
		return s.Files.List(ctx, folder)
	}
	err = withRemote(ctx, folder, func(system filesystem.Interface) error {
		paths, err := system.List(ctx, folder+"/*")
		for _, p := range paths {
			names = append(names, path.Base(p))
		}
		return err
	})
	return names, err
}

// Create writes an object to a local file first: it must appear as a whole or not at all.
func (s store) Create(ctx context.Context, name string) (fleet.Output, error) {
	if !isRemote(name) {
		return s.Files.Create(ctx, name)
	}
	f, err := os.CreateTemp("", "part-")
	if err != nil {
		return nil, err
	}
	return &remoteOutput{f, ctx, name}, nil
}

type remoteOutput struct {
	*os.File
	ctx  context.Context
	name string
}

// Commit copies the local file to the object store.
func (o *remoteOutput) Commit() error {
	defer o.Discard()
	if _, err := o.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return withRemote(o.ctx, o.name, func(s filesystem.Interface) error {
		w, err := s.OpenWrite(o.ctx, o.name)
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, o.File); err != nil {
			w.Close()
			return err
		}
		return w.Close()
	})
}

// Discard removes the local file.
func (o *remoteOutput) Discard() {
	if o.Close() == nil {
		os.Remove(o.File.Name())
	}
}
