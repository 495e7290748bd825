//go:build !unix

package main

import "os"

// umask returns the permissions that new files do not get.
func umask() os.FileMode { return 0 }
