//go:build unix

package fake

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// deviceVariable names the device whose tool runs.
const deviceVariable = "FAKE_HDC_DEVICE"

// mapped are the folders of a device that are below its root. Paths in commands are
// rewritten; others are those of this computer.
var mapped = []string{"/data/local/tmp", "/sys/kernel/debug/tracing", "/sys/kernel/tracing"}

// onDevice returns the text with the paths of the device.
func (w *world) onDevice(d *Device, text string) string {
	for _, folder := range mapped {
		text = strings.ReplaceAll(text, folder, w.root(d.Key)+folder)
	}
	return text
}

// prepare makes the device's folders and tools.
func (w *world) prepare(d *Device) (bin string, err error) {
	bin = filepath.Join(w.dir, "bin")
	for _, folder := range append([]string{bin}, w.root(d.Key)+"/data/local/tmp", w.root(d.Key)+"/sys/kernel/tracing") {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return "", err
		}
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	for name := range tools {
		if err := os.Symlink(program, filepath.Join(bin, name)); err != nil && !os.IsExist(err) {
			return "", err
		}
	}
	if _, err := os.Stat(w.root(d.Key) + clockFile); err == nil {
		return bin, nil
	}
	return bin, errors.Join(w.writeClock(d, "boot"), w.writeOn(d))
}

// writeOn writes the file that says whether the kernel records.
func (w *world) writeOn(d *Device) error {
	on := "0\n"
	if w.state.Sessions[d.Key] != nil {
		on = "1\n"
	}
	return os.WriteFile(w.root(d.Key)+"/sys/kernel/tracing/tracing_on", []byte(on), 0o666)
}

const clockFile = "/sys/kernel/tracing/trace_clock"

func (w *world) writeClock(d *Device, clock string) error {
	if d.NoClock {
		return nil
	}
	words := strings.Fields("local global counter uptime perf mono mono_raw boot")
	for i, word := range words {
		if word == clock {
			words[i] = "[" + word + "]"
		}
	}
	return os.WriteFile(w.root(d.Key)+clockFile, []byte(strings.Join(words, " ")+"\n"), 0o666)
}

// shell runs a command on the device. It returns when nobody can write to the output
// any more. Standard input never ends. If hdc is killed, the first process of the
// command is terminated, and only that one.
func (w *world) shell(d *Device, text string) (string, error) {
	if len(text) > maxText {
		return "", nil
	}
	bin, err := w.prepare(d)
	if err != nil {
		return "", err
	}
	never, keepOpen, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer keepOpen.Close()
	output, write, err := os.Pipe()
	if err != nil {
		return "", err
	}
	runtime.LockOSThread() // the signal is sent when the thread ends
	cmd := exec.Command("/bin/sh", "-c", w.onDevice(d, text))
	cmd.Dir = w.root(d.Key)
	cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", Folder + "=" + w.dir, deviceVariable + "=" + d.Key, "HOME=/"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = never, write, write
	cmd.ExtraFiles = []*os.File{never} // commands inherit hdcd's connection
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	write.Close()
	content, err := io.ReadAll(output)
	if err != nil {
		return "", err
	}
	cmd.Wait() // the status is not passed on
	answer := strings.ReplaceAll(string(content), w.root(d.Key), "")
	if !w.config.Binary {
		answer = lossy([]byte(answer))
	}
	return answer, nil
}
