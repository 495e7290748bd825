//go:build !linux

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// createUnnamed returns nil: files without names cannot be given one here.
func createUnnamed(string, fs.FileMode) *os.File { return nil }

func link(*os.File, string) error { return errors.ErrUnsupported }
