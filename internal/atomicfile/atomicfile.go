// Package atomicfile writes files that appear completely or not at all, and temporary
// files that do not outlive the process.
//
//	Create    a file without a name (Linux), or .ohframe.RANDOM beside the path
//	Commit    is on the disk, gets its name
//
// A process that is killed leaves nothing behind if its files have no names. Otherwise the
// next Create in the folder, an hour later or more, removes what it has left.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"ohframe/internal/pattern"
)

// Durable makes Commit wait until the file is on the disk. Quick tests clear it, because
// that takes most of their time.
var Durable = true

// File is a file being written.
type File struct {
	*os.File
	path      string
	temporary string // its present name; empty if it has none
	synced    bool
}

// Create creates a file that appears at the path, or replaces the file there, with Commit.
// The mode is that of the new file, before the umask.
func Create(path string, mode fs.FileMode) (*File, error) {
	folder := filepath.Dir(path)
	removeStale(folder)
	if f := createUnnamed(folder, mode); f != nil {
		tryLock(f) // for the moment in which Commit gives it a temporary name
		return &File{File: f, path: path}, nil
	}
	for {
		f, err := os.OpenFile(temporaryName(folder), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, err
		}
		tryLock(f)
		if _, err := os.Lstat(f.Name()); err == nil {
			return &File{File: f, path: path, temporary: f.Name()}, nil
		}
		f.Close() // removed before it was locked
	}
}

// Sync waits until the content is on the disk. Commit does, too, if Sync was not called.
func (f *File) Sync() error {
	f.synced = true
	if !Durable {
		return nil
	}
	return f.File.Sync()
}

// Commit closes the file and gives it its name. After an error the file is removed.
func (f *File) Commit() error {
	defer f.Discard()
	if !f.synced {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.rename(); err != nil {
		return err
	}
	f.temporary = ""
	syncFolder(filepath.Dir(f.path))
	return nil
}

func (f *File) rename() error {
	if f.temporary == "" {
		err := link(f.File, f.path)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		// Only a file with a name can replace another.
		temporary := temporaryName(filepath.Dir(f.path))
		if err := link(f.File, temporary); err != nil {
			return err
		}
		f.temporary = temporary
	}
	if runtime.GOOS == "windows" { // which cannot rename an open file
		if err := f.Close(); err != nil {
			return err
		}
	}
	return os.Rename(f.temporary, f.path)
}

// Discard closes and removes the file. After Commit it does nothing.
func (f *File) Discard() {
	f.Close()
	if f.temporary != "" {
		os.Remove(f.temporary)
	}
}

// Rename renames a complete file, which another program has written, when it is on the
// disk.
func Rename(from, to string) error {
	f, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if Durable {
		err = f.Sync()
	}
	f.Close()
	if err == nil {
		err = os.Rename(from, to)
	}
	if err == nil {
		syncFolder(filepath.Dir(to))
	}
	return err
}

// syncFolder waits until the names in a folder are on the disk. Some systems and file
// systems cannot; the files have their names anyway.
func syncFolder(folder string) {
	if !Durable {
		return
	}
	if f, err := os.Open(folder); err == nil {
		f.Sync()
		f.Close()
	}
}

// Temporary creates an empty file for reading and writing in the system's folder for
// temporary files. It has no name, or loses it when it is closed or the process ends.
func Temporary() (*os.File, error) {
	folder := os.TempDir()
	if f := createUnnamed(folder, 0o600); f != nil {
		return f, nil
	}
	f, err := os.OpenFile(temporaryName(folder), os.O_RDWR|os.O_CREATE|os.O_EXCL|deleteOnClose, 0o600)
	if err == nil && deleteOnClose == 0 {
		os.Remove(f.Name())
	}
	return f, err
}

func temporaryName(folder string) string { return filepath.Join(folder, ".ohframe."+rand.Text()) }

var temporary = pattern.New(`^\.ohframe\.[A-Z2-7]{26}$`)

// staleAfter is the time since the last write after which a temporary file that no process
// has locked is stale. Locks alone do not suffice: on some network file systems they are
// invisible to other computers.
const staleAfter = time.Hour

// swept are the folders that removeStale has searched.
var swept sync.Map

// removeStale removes the temporary files in a folder whose processes were killed an hour
// ago or more.
func removeStale(folder string) {
	if _, done := swept.LoadOrStore(folder, true); done {
		return
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !temporary().MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAfter {
			removeUnused(filepath.Join(folder, e.Name()))
		}
	}
}
