package version

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	exact := func(suffix string) string {
		program := filepath.Join(t.TempDir(), "program.exe")
		if err := os.WriteFile(program, append(content, suffix...), 0o777); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), printVariable+"=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
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
