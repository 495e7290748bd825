package ohframe_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// Users can name every type that an exported name of a promised package has: it is of a
// promised package or of the standard library.
func TestPromisedTypes(t *testing.T) {
	list := loadTypes(t)
	var paths []string
	for _, p := range list {
		paths = append(paths, p.Path())
	}
	for _, p := range list {
		for _, problem := range foreignTypes(p, paths) {
			t.Error(problem)
		}
	}
	// Without the other packages, even the times of frames have foreign types.
	found := foreignTypes(list[slices.Index(paths, "ohframe/analyzer")], []string{"ohframe/analyzer"})
	if want := "ohframe/analyzer.Interval.Start has the type ohframe/analyzer/trace.Time"; !slices.Contains(found, want) {
		t.Errorf("%q is not among %q", want, found)
	}
}

// loadTypes returns the promised packages as the compiler sees them.
func loadTypes(t *testing.T) (list []*types.Package) {
	t.Helper()
	files := map[string]string{}
	for line := range strings.Lines(goOutput(t, append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, promised...)...)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	for _, folder := range promised {
		p := must.Get(compiled.Import(path.Join("ohframe", folder)))(t)
		list = append(list, p)
	}
	return list
}

// foreignTypes returns the exported names of a package whose types are neither of the listed
// packages nor of the standard library.
func foreignTypes(p *types.Package, promised []string) (problems []string) {
	var check func(name string, typ types.Type)
	check = func(name string, typ types.Type) {
		switch typ := typ.(type) {
		case *types.Alias:
			check(name, types.Unalias(typ))
		case *types.Named:
			if of := typ.Obj().Pkg(); of != nil && isOurs(of) && !slices.Contains(promised, of.Path()) {
				problems = append(problems, name+" has the type "+typ.String())
			}
			for arg := range typ.TypeArgs().Types() {
				check(name, arg)
			}
		case *types.Map:
			check(name, typ.Key())
			check(name, typ.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
			check(name, typ.Elem())
		case *types.Signature:
			for v := range typ.Params().Variables() {
				check(name, v.Type())
			}
			for v := range typ.Results().Variables() {
				check(name, v.Type())
			}
		case *types.Struct:
			for f := range typ.Fields() {
				if f.Exported() {
					check(name+"."+f.Name(), f.Type())
				}
			}
		case *types.Interface:
			for m := range typ.Methods() {
				check(name+"."+m.Name(), m.Type())
			}
		}
	}
	for _, name := range p.Scope().Names() {
		if !token.IsExported(name) {
			continue
		}
		object := p.Scope().Lookup(name)
		named, isType := object.Type().(*types.Named)
		name = p.Path() + "." + name
		if _, ok := object.(*types.TypeName); !ok || !isType {
			check(name, object.Type())
			continue
		}
		check(name, named.Underlying())
		for m := range named.Methods() {
			if m.Exported() {
				check(name+"."+m.Name(), m.Type())
			}
		}
	}
	return problems
}

// isOurs reports whether a package is of this module.
func isOurs(p *types.Package) bool { return strings.HasPrefix(p.Path()+"/", "ohframe/") }
