//go:build !js

package main

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"ohframe/internal/sql"
	"ohframe/internal/text"
)

type sqlFlags struct {
	Output string `flag:"output,o" usage:"write the modules and a trace summary specification to folder {DIR}"`
}

func sqlCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:        "sql",
		Usage:       "write PerfettoSQL modules about frames, and show how to use them",
		ArgsUsage:   "[-o DIR] [MODULE]",
		Description: "Prints MODULE, and what it includes, as one script; without it, how to use the modules.",
	}, &sqlFlags{}, runSQL)
}

func runSQL(c *call, f *sqlFlags) error {
	switch {
	case c.NArg() > 1 || c.NArg() == 1 && c.IsSet("output"):
		return &failure{what: "-o writes all modules, MODULE prints one", hint: "ohframe sql -o DIR, or ohframe sql MODULE"}
	case c.NArg() == 1:
		return inlineModule(c, c.Args().First())
	}
	modules := sql.Modules()
	dir := f.Output
	if c.IsSet("output") {
		files, err := moduleFiles()
		if err != nil {
			return err
		}
		if err := exportFiles(c, dir, files); err != nil {
			return err
		}
		fmt.Fprintf(c.App.Writer, "%d modules and %s in %s\n", len(modules), sql.Summary, dir)
	} else {
		dir = "DIR"
		fmt.Fprintln(c.App.Writer, "ohframe sql -o DIR writes these modules to a folder:")
		for _, module := range modules {
			fmt.Fprintf(c.App.Writer, "  %s\n", module)
		}
	}
	added := text.Quoted(dir + "@" + sql.Name)
	fmt.Fprintf(c.App.Writer, "To query a trace:\n  trace_processor_shell --add-sql-package %s TRACE.pftrace\n", added)
	fmt.Fprintf(c.App.Writer, "  INCLUDE PERFETTO MODULE %s.frames;\n  SELECT * FROM ohos_frame;\n", sql.Name)
	fmt.Fprintf(c.App.Writer, "To compute all metrics of a trace:\n  trace_processor_shell summarize --add-sql-package %s --metrics-v2 all --metadata-query ohos_metadata TRACE.pftrace %s\n",
		added, text.Quoted(filepath.Join(dir, sql.Summary)))
	return nil
}

// inlineModule prints a module and what it includes as one script.
func inlineModule(c *call, module string) error {
	script, err := sql.Inline(module)
	if err != nil {
		return &failure{what: err.Error(), hint: text.Suggest("", module, sql.Modules(), "ohframe sql lists the modules, and says how to query a trace")}
	}
	_, err = io.WriteString(c.App.Writer, script)
	return err
}

// moduleFiles returns the modules and the trace summary specification.
func moduleFiles() (map[string][]byte, error) {
	names, err := fs.Glob(sql.Files(), "*")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = fs.ReadFile(sql.Files(), name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// exportFiles writes files, given by their paths, to a folder, and creates the folders
// that are necessary. Existing files of the same names are replaced.
func exportFiles(c *call, dir string, files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if folder := filepath.Dir(path); folder != "." {
			if err := os.MkdirAll(folder, 0o777); err != nil {
				return fileError(dir, err)
			}
		}
		err := writeOutputTo(c, path, func(out io.Writer, _ text.Style) error {
			_, err := out.Write(files[name])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
