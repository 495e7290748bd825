package record

import (
	"syscall"
	"unsafe"
)

var getDiskFreeSpaceEx = syscall.NewLazyDLL("kernel32.dll").NewProc("GetDiskFreeSpaceExW")

// freeSpace returns the bytes that the user may write to a folder; -1 if unknown.
func freeSpace(dir string) int64 {
	name, err := syscall.UTF16PtrFromString(dir)
	if err != nil {
		return -1
	}
	var free int64
	if ok, _, _ := getDiskFreeSpaceEx.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&free)), 0, 0); ok == 0 {
		return -1
	}
	return free
}
