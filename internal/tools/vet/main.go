// Command vet checks packages and their tests as go vet does, but type-checks what they
// import from source. Without a cache, or for another system, go vet first compiles and
// vets all of that, which takes several times as long.
package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	list, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Tests: true, ParseFile: parse}, os.Args[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	failed := len(list) == 0
	for _, p := range list {
		if p.Module == nil { // nothing was found
			for _, e := range p.Errors {
				log.Print(e)
				failed = true
			}
		}
	}
	packages.Visit(list, nil, func(p *packages.Package) {
		// The standard library has only those errors that come from the functions' missing bodies.
		if p.Module != nil {
			for _, e := range p.Errors {
				log.Print(e)
				failed = true
			}
		}
		p.IllTyped = false
	})
	if failed {
		os.Exit(1)
	}
	graph, err := checker.Analyze(vet.Suite, list, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range graph.Roots {
		failed = failed || a.Err != nil || len(a.Diagnostics) > 0
	}
	if graph.PrintText(os.Stderr, -1); failed {
		os.Exit(1)
	}
}

// parse leaves out the bodies of the standard library's functions.
func parse(files *token.FileSet, name string, source []byte) (*ast.File, error) {
	file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if file != nil && strings.HasPrefix(name, filepath.Join(build.Default.GOROOT, "src")) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				f.Body = nil
			}
		}
	}
	return file, err
}
