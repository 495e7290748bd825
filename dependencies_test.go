package ohframe_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// docs/dev/dependencies.md gives a reason for every module that go.mod requires or that is
// linked into the program, and for no others.
func TestDependencies(t *testing.T) {
	documented := must.Get(os.ReadFile(filepath.Join("docs", "dev", "dependencies.md")))(t)
	program, tools, ok := strings.Cut(string(documented), "\n## In the tests and tools\n")
	if !ok {
		t.Fatal("docs/dev/dependencies.md has lost its two parts")
	}
	linked := strings.Fields(goOutput(t, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/ohframe"))
	slices.Sort(linked)
	if got, want := modulesIn(program), slices.Compact(linked); !slices.Equal(got, want) {
		t.Errorf("linked into the program are\n%s\ndocs/dev/dependencies.md gives reasons for\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}

	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	must.Do(t, json.Unmarshal([]byte(goOutput(t, "mod", "edit", "-json")), &mod))
	known := append(modulesIn(program), modulesIn(tools)...)
	for _, r := range mod.Require {
		isKnown := slices.ContainsFunc(known, func(k string) bool { return k == r.Path || strings.HasPrefix(k, r.Path+"/") })
		if !r.Indirect && !isKnown {
			t.Errorf("docs/dev/dependencies.md gives no reason for %s", r.Path)
		}
	}
}

// The nested module fleet/beam requires all modules that what it imports of ours needs: it is built
// less often, and a module that is new here would be missing there.
func TestBeamModules(t *testing.T) {
	mod := must.Get(os.ReadFile(filepath.Join("fleet", "beam", "go.mod")))(t)
	sum := must.Get(os.ReadFile(filepath.Join("fleet", "beam", "go.sum")))(t)
	needed := strings.Fields(goOutput(t, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./internal/fleet", "./internal/flags"))
	slices.Sort(needed)
	for _, name := range slices.Compact(needed) {
		if !strings.Contains(string(mod), "\t"+name+" v") || !strings.Contains(string(sum), name+" v") {
			t.Errorf("fleet/beam/go.mod or go.sum lacks %s: run go mod tidy there", name)
		}
	}
}

var moduleName = regexp.MustCompile(`\b(?:github\.com/[\w.-]+/[\w.-]+|golang\.org/x/\w+|google\.golang\.org/\w+)[\w./-]*`)

// modulesIn returns the names of modules and packages in the rows of tables.
func modulesIn(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			found = append(found, moduleName.FindAllString(line, -1)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func goOutput(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, complaints.Bytes())
	}
	return string(out)
}
