package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe/sql"
)

func sqlCommand() *cli.Command {
	return &cli.Command{
		Name:  "sql",
		Usage: "write PerfettoSQL modules about frames, and show how to use them",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "export", Usage: "write the modules to folder `DIR`"},
		},
		Action: runSQL,
	}
}

func runSQL(c *cli.Context) error {
	if c.NArg() > 0 {
		return &failure{what: fmt.Sprintf("unexpected argument %q", c.Args().First()), hint: "ohframe sql --export DIR"}
	}
	names, err := fs.Glob(sql.Files(), "*.sql")
	if err != nil {
		return err
	}
	dir := c.String("export")
	if c.IsSet("export") {
		if err := exportModules(c, dir, names); err != nil {
			return err
		}
		fmt.Fprintf(c.App.Writer, "%d modules in %s\n", len(names), dir)
	} else {
		dir = "DIR"
		fmt.Fprintln(c.App.Writer, "ohframe sql --export DIR writes these modules to a folder:")
		for _, name := range names {
			fmt.Fprintf(c.App.Writer, "  %s.%s\n", sql.Name, strings.TrimSuffix(name, ".sql"))
		}
	}
	fmt.Fprintf(c.App.Writer, "To query a trace:\n  trace_processor_shell --add-sql-package %s TRACE.pftrace\n", quoted(dir+"@"+sql.Name))
	fmt.Fprintf(c.App.Writer, "  INCLUDE PERFETTO MODULE %s.frames;\n  SELECT * FROM ohos_frame;\n", sql.Name)
	return nil
}

// exportModules writes the modules to a folder and creates it if necessary. Existing
// modules are replaced.
func exportModules(c *cli.Context, dir string, names []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fileError(dir, err)
	}
	for _, name := range names {
		module, err := fs.ReadFile(sql.Files(), name)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, name)
		out, err := createOutput(c, path)
		if err != nil {
			return err
		}
		err = writeTo(c.Context, out, path, func(out io.Writer) error {
			_, err := out.Write(module)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// quoted quotes a word for a shell if necessary.
func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@:+,%=") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
