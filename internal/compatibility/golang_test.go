package compatibility

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// TestGo lists the exported names of every package that others may import, each
// with its type, in the order of the documentation.
func TestGo(t *testing.T) {
	for _, folder := range publicPackages(t) {
		Check(t, listPath("go", folder), exported(t, folder))
	}
}

// A list that no package has any longer is a package that was removed.
func TestNoListIsLeft(t *testing.T) {
	lists, err := filepath.Glob(listPath("go", "*"))
	if err != nil || len(lists) == 0 {
		t.Fatalf("no lists: %v", err)
	}
	known := map[string]bool{}
	for _, folder := range publicPackages(t) {
		known[listPath("go", folder)] = true
	}
	for _, l := range lists {
		if !known[l] {
			t.Errorf("%s is of no package: packages are removed by major versions only", l)
		}
	}
}

func listPath(kind, folder string) string {
	return filepath.Join(root, "testdata", "api", kind+"."+strings.ReplaceAll(folder, "/", ".")+".txt")
}

// publicPackages returns the folders of packages that others may import, but for
// the generated ones.
func publicPackages(t *testing.T) []string {
	t.Helper()
	var folders []string
	for _, top := range []string{"analyzer", "exporter", "sql"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(p string, e fs.DirEntry, err error) error {
			switch {
			case err != nil || !e.IsDir():
				return err
			case e.Name() == "internal" || e.Name() == "testdata":
				return fs.SkipDir
			case filepath.Dir(p) == filepath.Join(root, "exporter"):
				return fs.SkipDir // a part of it: docs/compatibility.md does not cover it
			}
			if _, err := importFolder(p); err == nil {
				folder, err := filepath.Rel(root, p)
				folders = append(folders, filepath.ToSlash(folder))
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return folders
}

// importFolder finds the package's files on one system, so that the list is the
// same on all.
func importFolder(folder string) (*build.Package, error) {
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", false
	return context.ImportDir(folder, 0)
}

func exported(t *testing.T, folder string) string {
	t.Helper()
	found, err := importFolder(filepath.Join(root, folder))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range found.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(root, folder, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	documented, err := doc.NewFromFiles(set, files, path.Join("ohframe", folder))
	if err != nil {
		t.Fatal(err)
	}
	l := listing{t: t, set: set}
	l.values(documented.Consts)
	l.values(documented.Vars)
	l.funcs(documented.Funcs)
	for _, typ := range documented.Types {
		l.add(typ.Decl)
		l.values(typ.Consts)
		l.values(typ.Vars)
		l.funcs(typ.Funcs)
		l.funcs(typ.Methods)
	}
	return l.text.String()
}

// listing is source without comments.
type listing struct {
	t    *testing.T
	set  *token.FileSet
	text bytes.Buffer
}

func (l *listing) values(values []*doc.Value) {
	for _, v := range values {
		l.add(v.Decl)
	}
}

func (l *listing) funcs(funcs []*doc.Func) {
	for _, f := range funcs {
		l.add(f.Decl)
	}
}

func (l *listing) add(decl ast.Decl) {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.FuncDecl:
			n.Doc, n.Body = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
			// How a variable is made is nobody's business; a constant's value is.
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.VAR && n.Type != nil {
				n.Values = nil
			}
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
	var b bytes.Buffer
	if err := printer.Fprint(&b, l.set, decl); err != nil {
		l.t.Fatal(err)
	}
	// Comments leave empty lines behind, and widths depend on what is beside.
	for line := range strings.Lines(b.String()) {
		if text := strings.Join(strings.Fields(line), " "); text != "" {
			indent := len(line) - len(strings.TrimLeft(line, "\t"))
			l.text.WriteString(strings.Repeat("\t", indent) + text + "\n")
		}
	}
}
