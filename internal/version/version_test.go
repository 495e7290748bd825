package version

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// The test program prints its exact version if this is set.
const printVariable = "OHFRAME_TEST_PRINT_VERSION"

func TestMain(m *testing.M) {
	if os.Getenv(printVariable) != "" {
		fmt.Print(Exact())
		return
	}
	os.Exit(m.Run())
}

// Two programs without a recorded commit have the same version, but not the same exact
// version. A version that names the source is exact already.
func TestExact(t *testing.T) {
	self := must.Get(os.Executable())(t)
	content := must.Get(os.ReadFile(self))(t)
	exact := func(suffix string) string {
		program := filepath.Join(t.TempDir(), "program.exe")
		must.Do(t, os.WriteFile(program, append(content, suffix...), 0o777))
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), printVariable+"=1")
		out := must.Get(cmd.Output())(t)
		return string(out)
	}
	one, two := exact(""), exact("x")
	if one == two || one != exact("") || !strings.HasPrefix(one, "devel ") || len(one) != len("devel ")+16 {
		t.Errorf("got %q and %q", one, two)
	}
	defer func(old string) { built = old }(built)
	built = "v1.2.3"
	if String() != built || Exact() != built {
		t.Errorf("got %s and %s, want %s", String(), Exact(), built)
	}
}
