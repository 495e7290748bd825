package atomicfile

import "os"

// deleteOnClose is FILE_FLAG_DELETE_ON_CLOSE, which os.OpenFile passes on.
const deleteOnClose = 0x04000000

// tryLock does nothing: a file that a process has open cannot be removed.
func tryLock(*os.File) bool { return false }

// removeUnused removes a file. It fails if a process has the file open.
func removeUnused(path string) { os.Remove(path) }
