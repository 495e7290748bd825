package hdc

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ohframe/internal/diag"
)

// maxScript is the number of bytes of a script. hdc passes 60,000 bytes, and answers
// to 120,000 with nothing.
const maxScript = 16 << 10

// Result is what a script on the device printed and its exit status.
type Result struct {
	// Output is standard output and standard error in one, without carriage returns.
	Output string
	Status int
}

// Quote quotes a word for the device's shell.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// Shell runs a script in the device's POSIX shell, with an empty standard input. The
// script must not start processes in the background that keep its output open. limit
// zero means c.Limit. An exit status other than 0 is not an error.
//
// The script is one argument of hdc and contains blanks: then it reaches the shell
// byte for byte. hdc joins several arguments and quotes them wrongly. The last line
// proves that the script ended: if the device is lost, hdc's output just ends.
func (c *Client) Shell(ctx context.Context, limit time.Duration, script string) (Result, error) {
	if len(script) > maxScript {
		return Result{}, diag.New(nil, "", "a script of %d bytes is too long for hdc", len(script))
	}
	last := "ohframe-" + rand.Text() + ":"
	output, err := c.run(ctx, limit, "shell", "( "+script+"\n) </dev/null; echo \""+last+"$?\"")
	if err == nil || errors.Is(err, errTimeout) {
		if r, ok := parseResult(output, last); ok {
			return r, nil
		}
	}
	if err == nil {
		err = classify(output)
	}
	if err == nil {
		err = diag.New(ErrLost, hintLink, "the device was lost")
	}
	return Result{}, err
}

// parseResult splits what a script printed from the line that last begins, which has
// the status. It is not ok if the line is missing or cut.
func parseResult(output, last string) (r Result, ok bool) {
	at := strings.LastIndex(output, last)
	if at < 0 {
		return r, false
	}
	digits, _, complete := strings.Cut(output[at+len(last):], "\n")
	status, err := strconv.Atoi(digits)
	return Result{output[:at], status}, err == nil && complete
}

// Receive copies a file from the device and checks that it has the given size in
// bytes. After an error the local file is removed.
//
// Files cannot be read with "hdc shell cat": it drops what follows a zero byte.
func (c *Client) Receive(ctx context.Context, limit time.Duration, remote, local string, size int64) (err error) {
	if local, err = filepath.Abs(local); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(local)
		}
	}()
	named, err := c.localName(ctx, local)
	if err != nil {
		return err
	}
	answer, err := c.run(ctx, limit, "file", "recv", remote, named)
	if err == nil {
		err = classify(answer)
	}
	if err != nil {
		return err
	}
	if !strings.Contains(answer, "FileTransfer finish") {
		return diag.New(ErrLost, hintLink, "the device was lost while the file was received")
	}
	info, err := os.Stat(local)
	if err == nil && info.Size() != size {
		err = diag.New(nil, "record again; another cable or USB port may help", "received %d of %d bytes", info.Size(), size)
	}
	return err
}

// Install installs a package on the device in place of one that is there.
func (c *Client) Install(ctx context.Context, file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	named, err := filepath.Abs(file)
	if err == nil {
		named, err = c.localName(ctx, named)
	}
	if err != nil {
		return err
	}
	limit := time.Minute + time.Duration(info.Size()/1_000_000)*time.Second
	answer, err := c.run(ctx, limit, "install", "-r", named)
	if err == nil {
		err = classify(answer)
	}
	if err != nil {
		return err
	}
	return checkInstall(file, answer)
}

// checkInstall returns the error of an answer to "hdc install".
func checkInstall(file, answer string) error {
	answer = strings.TrimSpace(answer)
	switch {
	case strings.Contains(answer, "install bundle successfully"):
		return nil
	case answer == "":
		return diag.New(ErrLost, hintLink, "the device was lost while %s was installed", file)
	}
	if i := strings.LastIndex(answer, "error: "); i >= 0 { // after one that only says that it failed
		answer, _, _ = strings.Cut(answer[i+len("error: "):], "\n")
	}
	return diag.New(nil, "both packages need the same signature, and version codes with which one can replace the other", "%s: the device does not install it: %s", file, answer)
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
		return "", diag.New(err, "use the ohframe of Windows, or an hdc of Linux", "%s: no name for hdc.exe: wslpath: %v", folder, err)
	}
	return strings.TrimRight(string(out), "\\\r\n") + `\` + name, nil
}
