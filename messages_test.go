package ohframe_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// commandTree are folders with the parts of the command, which the library does not use.
var commandTree = regexp.MustCompile(`^(cmd|fleet|internal)(/|$)`)

// ofLibrary are the internal packages that the library uses.
var ofLibrary = regexp.MustCompile(`^internal(/(annotation|failure|plural|unpack))?$`)

// otherPrograms are commands with flags of their own.
var otherPrograms = regexp.MustCompile(`dumpsys SurfaceFlinger --\w+|hitrace --\w+`)

// Texts of the library name no flag of the command, and no command: they may end up in the
// log of another program.
func TestLibraryNamesNoFlags(t *testing.T) {
	golden, err := os.ReadFile("testdata/api/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
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
	files, literals := 0, 0
	err = filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		slash := filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case e.IsDir() && commandTree.MatchString(slash) && !ofLibrary.MatchString(slash):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			literals++
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Error(err)
			}
			if found := named.FindString(otherPrograms.ReplaceAllString(text, "")); found != "" {
				t.Errorf("%s: %q names %q", set.Position(literal.Pos()), text, found)
			}
			return true
		})
		return nil
	})
	if err != nil || files < 100 || literals < 1000 {
		t.Errorf("%v, %d files, %d literals", err, files, literals)
	}
}
