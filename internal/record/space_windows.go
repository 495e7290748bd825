package record

import "golang.org/x/sys/windows"

// freeSpace returns the bytes that the user may write to a folder; -1 if unknown.
func freeSpace(dir string) int64 {
	var free uint64
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil || windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return -1
	}
	return int64(free)
}
