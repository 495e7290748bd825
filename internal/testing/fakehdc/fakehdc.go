//go:build unix

// Package fakehdc imitates hdc and the tools of the devices behind it, for tests. The
// program in cmd/hdc is put in PATH in place of hdc:
//
//	ohframe record ──▶ hdc (fake) ──▶ /bin/sh with hitrace, param, aa … of device.sh in PATH
//	                       │
//	                   a folder: config.json, log.jsonl, state and root of each device
//
// What it prints follows the sources of hdc and hitrace of each system version. What
// hitrace records comes from internal/testing/simulate. It runs on Unix only, as it needs
// a shell.
package fakehdc

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/testing/must"
)

// Folder is the environment variable that names the folder of the fake.
const Folder = "FAKE_HDC"

// Config says what the fake imitates. The zero values are a computer without devices.
type Config struct {
	Devices []Device
	Faults  []Fault
	// Log is printed before every answer, such as a line of hdc's own log.
	Log string
	// CRLF ends lines as hdc does on Windows.
	CRLF bool
}

// Device is a device that is connected, or in State.
type Device struct {
	Key, State string
	// System is the system version, one of Systems.
	System string
	// Seconds, if not zero, is the length of every trace. Otherwise it is the time
	// between begin and finish.
	Seconds float64
	// Overflow loses the older part of every trace, Cut the last half line.
	Overflow, Cut bool
	Apps          []App
	// Parameters are parameters of the system that are set, besides those of device.sh.
	Parameters map[string]string
	// Set has variables of device.sh, which describes them, and of hiperf, see hiperf.go.
	Set map[string]string
}

// App is an installed application.
type App struct {
	Bundle, Ability string
	PID             int
	Running         bool
	// LaunchMS is how long its ability takes to start, 300 ms if it is zero. Only traces of
	// devices without Seconds have launches.
	LaunchMS int
	// StartCode makes aa start fail.
	StartCode int
}

// Fault changes the answer to a call whose arguments, joined by blanks, contain On.
type Fault struct {
	On string
	// Do is one of
	//
	//	lost        the device is lost before the command runs
	//	lost after  the device is lost while it runs; the command runs to its end
	//	hang        hdc does not end before nobody waits for it
	//	say         hdc prints Text and the command does not run
	//	complain    the same, on standard error
	//	before      the device runs Text before the command
	//	cut         file recv: half of the file arrives, and hdc reports success
	//	slow        file recv: in ten pieces, MS apart
	Do, Text string
	MS       int
	// Times is how often it happens; 0 means always.
	Times int
	// Back: a lost device is back in the next call. Otherwise it never is.
	Back bool
}

// folder is where the program is; empty before it was built.
var folder string

// Program builds the program, once per test process, and returns its path, .../hdc.
var Program = sync.OnceValues(func() (program string, err error) {
	if folder, err = os.MkdirTemp("", "fake-hdc"); err != nil {
		return "", err
	}
	program = filepath.Join(folder, "hdc")
	cmd := exec.Command("go", "build", "-o", program, "ohframe/internal/testing/fakehdc/cmd/hdc")
	cmd.Stderr = os.Stderr
	return program, cmd.Run()
})

// Remove removes the program if it was built. TestMain calls it after the tests.
func Remove() {
	if folder != "" {
		os.RemoveAll(folder)
	}
}

// Write writes the configuration to a folder, which becomes a fake's.
func Write(t testing.TB, dir string, c Config) {
	t.Helper()
	text, err := json.MarshalIndent(c, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.json"), text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// State returns the first words of files that the devices have of a name: of "session",
// the owner of an open trace session; of "traces", a line for each written trace.
func State(t testing.TB, dir, name string) (words []string) {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(dir, "state/*", name)))(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) { // it may be closed meanwhile
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			words = append(words, word)
		}
	}
	return words
}

// Stop kills the processes that are left on the devices.
func Stop(t testing.TB, dir string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "root/*/data/local/tmp/*/watchdog"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		pid, parseErr := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || parseErr != nil || pid < 2 {
			continue
		}
		syscall.Kill(-pid, syscall.SIGKILL)
		for n := 0; n < 1000 && syscall.Kill(-pid, 0) == nil; n++ {
			time.Sleep(time.Millisecond)
		}
	}
}
