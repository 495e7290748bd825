package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"

	"ohframe/internal/testing/must"
)

func init() { programs["with-terminal"] = mainWithTerminal }

// mainWithTerminal runs a command with a terminal of its own, and exits with its exit
// code. It stores what the command writes to the terminal in .tmp/terminal.
//
//	with-terminal [-stdin] COMMAND ARG…     -stdin: standard input is the terminal, too
//
// Testscript's ttyin loses output that it has not read when the command ends.
func mainWithTerminal() {
	code, err := withTerminal(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "with-terminal:", err)
		os.Exit(99)
	}
	os.Exit(code)
}

func withTerminal(args []string) (int, error) {
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return 0, err
	}
	defer control.Close()
	number, locked := int32(0), int32(0)
	for _, call := range []struct {
		request uintptr
		value   *int32
	}{{syscall.TIOCSPTLCK, &locked}, {syscall.TIOCGPTN, &number}} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), call.request, uintptr(unsafe.Pointer(call.value))); errno != 0 {
			return 0, errno
		}
	}
	terminal, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return 0, err
	}
	stdin := os.Stdin
	if args[0] == "-stdin" {
		stdin, args = terminal, args[1:]
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{terminal} // as descriptor 3
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	err = cmd.Start()
	terminal.Close()
	if err != nil {
		return 0, err
	}
	// Reading fails with EIO after everything was read and nobody has the terminal open.
	written, err := io.ReadAll(control)
	if !errors.Is(err, syscall.EIO) {
		return 0, err
	}
	cmd.Wait() // the exit code says how it ended
	return cmd.ProcessState.ExitCode(), os.WriteFile(".tmp/terminal", written, 0o666)
}

// All that a command writes to its terminal is stored, however soon it ends.
func TestWithTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.Mkdir(".tmp", 0o777))
	code, err := withTerminal([]string{"-stdin", "sh", "-c", "test -t 0 && printf '%03000d' 7 >/dev/tty; exit 3"})
	if err != nil || code != 3 {
		t.Fatalf("exit code %d, %v; want 3", code, err)
	}
	written, err := os.ReadFile(".tmp/terminal")
	if want := fmt.Sprintf("%03000d", 7); err != nil || string(written) != want {
		t.Errorf("got %d bytes, %v; want %d", len(written), err, len(want))
	}
}
