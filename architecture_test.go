package ohframe_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// The drawing of docs/dev/architecture.md has all packages, and none imports a package on its
// own floor or on a higher one.
func TestArchitecture(t *testing.T) {
	document := must.Get(os.ReadFile(filepath.Join("docs", "dev", "architecture.md")))(t)
	floors, err := parseFloors(strings.ReplaceAll(string(document), "\r\n", "\n"))
	if err != nil {
		t.Fatal("docs/dev/architecture.md:", err)
	}
	for _, problem := range checkFloors(floors, importsOf(t, ".")) {
		t.Errorf("%s; docs/dev/architecture.md draws the floors", problem)
	}
}

// parseFloors returns the floor of each package in the first drawing of a document. The
// highest is 1. A line has the name of its floor in 16 columns, then packages. A line
// without a name continues the floor above, or is a caption if it has a │. An arrow begins
// the next floor.
func parseFloors(document string) (map[string]int, error) {
	_, drawing, _ := strings.Cut(document, "\n```\n")
	drawing, _, _ = strings.Cut(drawing, "\n```\n")
	floors, floor := map[string]int{}, 0
	for line := range strings.Lines(drawing) {
		if strings.Contains(line, "│") {
			continue
		}
		name := line[:min(len(line), 16)]
		if strings.TrimSpace(name) != "" {
			floor++
		}
		for word := range strings.FieldsSeq(line[len(name):]) {
			switch {
			case word == "──▶":
				floor++
			case floors[word] != 0:
				return nil, fmt.Errorf("%s is on two floors", word)
			default:
				floors[word] = floor
			}
		}
	}
	if len(floors) == 0 {
		return nil, fmt.Errorf("no drawing of packages")
	}
	return floors, nil
}

// checkFloors returns what is wrong with imports, by package.
func checkFloors(floors map[string]int, imports map[string][]string) (problems []string) {
	for _, p := range slices.Sorted(maps.Keys(imports)) {
		if floors[p] == 0 {
			problems = append(problems, p+" is on no floor")
			continue
		}
		for _, imported := range imports[p] {
			if floors[imported] != 0 && floors[imported] <= floors[p] {
				problems = append(problems, p+" imports "+imported+", which is not on a lower floor")
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(floors)) {
		if _, exists := imports[p]; !exists {
			problems = append(problems, p+" does not exist")
		}
	}
	return problems
}

// importsOf returns the packages below a folder that each package imports from the module,
// without those of test files. It reads the files of all operating systems.
func importsOf(t *testing.T, folder string) map[string][]string {
	t.Helper()
	const module = "ohframe"
	imports := map[string][]string{}
	must.Do(t, filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); relative != "." && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || isModule(file)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		p := path.Dir(filepath.ToSlash(relative))
		if p == "." {
			p = module
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		if imports[p] == nil {
			imports[p] = []string{}
		}
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if short, ok := strings.CutPrefix(name, module+"/"); ok {
				name = short
			} else if name != module {
				continue
			}
			if !slices.Contains(imports[p], name) {
				imports[p] = append(imports[p], name)
			}
		}
		return nil
	}))
	return imports
}

// isModule reports whether a folder is the root of another module.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}
