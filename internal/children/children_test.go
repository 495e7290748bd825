//go:build unix

package children

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A program that is killed leaves no children behind.
func TestKill(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "sh", "-c", "sleep 60 & echo $!; wait")
	cmd.Cancel = func() error { return Kill(cmd.Process) }
	out, in := io.Pipe()
	cmd.Stdout = in
	ended := make(chan error)
	go func() { ended <- Run(cmd) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if own, err := syscall.Getpgid(child); err != nil || own == syscall.Getpgrp() {
		t.Errorf("the child is in group %d, %v: that of the test", own, err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("no error of a killed program")
	}
	for deadline := time.Now().Add(time.Minute); syscall.Kill(child, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("its child is alive")
		}
	}
	if len(running) != 0 {
		t.Error("it counts as running")
	}
}
