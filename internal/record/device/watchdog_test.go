//go:build unix

package device

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// The watchdog closes the descriptors that it inherits, such as hdcd's connection, and
// goes on in shells that cannot close those above 9.
func TestWatchdogFiles(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc")
	}
	null := must.Get(os.Open(os.DevNull))(t)
	defer null.Close()
	for shell, above9 := range map[string]bool{"sh": false, "bash": true, "mksh": false} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		cmd := exec.Command(path, "-c", scriptClose+"\nls -l /proc/$$/fd; echo goes on")
		for range 12 { // 3 to 14
			cmd.ExtraFiles = append(cmd.ExtraFiles, null)
		}
		out, err := cmd.CombinedOutput()
		left := strings.Count(string(out), os.DevNull) - 1 // standard input
		if err != nil || !strings.HasSuffix(string(out), "goes on\n") || left > 5 || above9 && left > 0 {
			t.Errorf("%s: %v, %d descriptors left\n%s", shell, err, left, out)
		}
	}
}
