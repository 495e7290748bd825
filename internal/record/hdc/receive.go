package hdc

import (
	"context"
	"ohframe/internal/failure"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// progressInterval is the time between two calls of Receive's progress.
const progressInterval = 200 * time.Millisecond

// Receive copies a file from the device and checks that it has the given size in
// bytes. After an error the local file is removed. progress, which may be nil, is
// called from time to time with the bytes that have arrived.
//
// Files cannot be read with "hdc shell cat": it drops what follows a zero byte.
func (c *Client) Receive(ctx context.Context, limit time.Duration, remote, local string, size int64, progress func(bytes int64)) error {
	err := c.receive(ctx, limit, remote, local, size, progress)
	if err != nil {
		os.Remove(local)
	}
	return err
}

func (c *Client) receive(ctx context.Context, limit time.Duration, remote, local string, size int64, progress func(bytes int64)) error {
	local, err := filepath.Abs(local)
	if err != nil {
		return err
	}
	if progress != nil {
		done := make(chan struct{})
		var watching sync.WaitGroup
		watching.Go(func() { watch(local, done, progress) })
		defer watching.Wait()
		defer close(done)
	}
	named, err := c.localName(ctx, local)
	if err != nil {
		return err
	}
	answer, err := c.onDevice(ctx, limit, "file", "recv", remote, named)
	if err != nil {
		return err
	}
	if err := classify(answer); err != nil {
		return err
	}
	if !strings.Contains(answer, "FileTransfer finish") {
		return failure.New(ErrLost, hintLink, "the device was lost while the file was received")
	}
	info, err := os.Stat(local)
	if err != nil {
		return err
	}
	if info.Size() != size {
		return failure.New(ErrTransfer, "record again; another cable or USB port may help", "received %d of %d bytes", info.Size(), size)
	}
	return nil
}

// localName returns the name that hdc has for a file. In WSL, that is a name of Windows
// for an hdc.exe. wslpath wants a path that exists, so it gets the folder.
func (c *Client) localName(ctx context.Context, file string) (string, error) {
	if runtime.GOOS != "linux" || !strings.HasSuffix(c.Path, ".exe") {
		return file, nil
	}
	folder, name := filepath.Split(file)
	out, err := exec.CommandContext(ctx, "wslpath", "-w", folder).Output()
	if err != nil {
		return "", failure.New(ErrTransfer, "use the ohframe of Windows, or an hdc of Linux", "%s: no name for hdc.exe: wslpath: %v", folder, err)
	}
	return strings.TrimRight(string(out), "\\\r\n") + `\` + name, nil
}

// watch calls progress with the size of the file until done is closed. hdc does not
// print any progress.
func watch(file string, done <-chan struct{}, progress func(bytes int64)) {
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if info, err := os.Stat(file); err == nil {
				progress(info.Size())
			}
		}
	}
}
