package ohframe_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// otherPrograms are commands with flags of their own.
var otherPrograms = regexp.MustCompile(`dumpsys SurfaceFlinger --\w+|hitrace --\w+`)

// Texts of the library name no flag of the command, and no command: they may end up in the
// log of another program.
func TestLibraryNamesNoFlags(t *testing.T) {
	golden := must.Get(os.ReadFile("testdata/api/commands.txt"))(t)
	var flags, commands []string
	for _, m := range regexp.MustCompile(`(?m)^\s+--([a-z-]+)`).FindAllStringSubmatch(string(golden), -1) {
		flags = append(flags, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^ohframe ([a-z]+)`).FindAllStringSubmatch(string(golden), -1) {
		commands = append(commands, m[1])
	}
	if len(flags) < 50 || len(commands) < 10 {
		t.Fatalf("%d flags, %d commands", len(flags), len(commands))
	}
	named := regexp.MustCompile(`--(` + strings.Join(flags, "|") + `)\b|\bohframe (` + strings.Join(commands, "|") + `)\b`)
	list := exec.Command("go", "list", "-deps", "-f", `{{with .Module}}{{if .Main}}{{range $.GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`, ".")
	list.Stderr = os.Stderr
	out := must.Get(list.Output())(t)
	files := strings.Fields(string(out))
	literals := 0
	for _, path := range files {
		if strings.Contains(filepath.ToSlash(path), "/internal/text/") {
			continue // the commands' tables have their words there, too
		}
		set := token.NewFileSet()
		file := must.Get(parser.ParseFile(set, path, nil, parser.SkipObjectResolution))(t)
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			literals++
			text, err := strconv.Unquote(literal.Value)
			must.NoError(t, err)
			must.Equal(t, named.FindString(otherPrograms.ReplaceAllString(text, "")), "", "%s: %q names", set.Position(literal.Pos()), text)
			return true
		})
	}
	if len(files) < 100 || literals < 1000 {
		t.Errorf("%d files, %d literals", len(files), literals)
	}
}
