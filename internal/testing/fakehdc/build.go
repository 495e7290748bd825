//go:build unix

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
)

// folder is where the program is; empty before it was built.
var folder string

// built builds the program, once per test process.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fake-hdc")
	if err != nil {
		return "", err
	}
	folder = dir
	program := filepath.Join(dir, "hdc")
	out, err := exec.Command("go", "build", "-o", program, "ohframe/internal/testing/fakehdc/cmd/hdc").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return program, err
})

// Program builds the program if necessary and returns its path, .../hdc.
func Program() (string, error) { return built() }

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

// Sessions returns the owners of the open trace sessions, by device.
func Sessions(t testing.TB, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "state/*/session"))
	if err != nil {
		t.Fatal(err)
	}
	owners := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue // closed meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		owner, _, _ := strings.Cut(string(text), " ")
		owners[filepath.Base(filepath.Dir(file))] = owner
	}
	return owners
}

// Traces returns how many traces the device has written.
func Traces(t testing.TB, dir, key string) int {
	t.Helper()
	n, err := (&world{dir: dir}).counted(filepath.Join(key, "traces"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Stop kills the processes that are left on the devices.
func Stop(t testing.TB, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "root/*/data/local/tmp/*/watchdog"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		pid, parseErr := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || parseErr != nil || pid < 2 {
			continue
		}
		syscall.Kill(-pid, syscall.SIGKILL)
		for range 1000 {
			if syscall.Kill(-pid, 0) != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}
