package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/diff"
)

func diffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare two traces and test whether the differences are significant",
		ArgsUsage: "BASE NEW",
		Description: "BASE and NEW are inputs of any kind that report reads. The exit code is 2 if a condition of\n" +
			"--fail-on holds: jank_rate>+2pp,fps<-5% holds if the jank rate rises by more than 2 percentage\n" +
			"points or the frame rate falls by more than 5 %. A process may be named by its id.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Value: "table", Usage: "output format: `" + strings.Join(diff.Formats, "|") + "`"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output"},
			&cli.GenericFlag{Name: "map", Value: &mappings{}, Usage: "compare process OLD with process NEW: `OLD=NEW`; may be repeated"},
			&cli.StringFlag{Name: "fail-on", Usage: "exit with 2 if a change exceeds its limit: `MEASURE>+2%,MEASURE<-5%`"},
			&cli.StringFlag{Name: "merge", Usage: "write both traces to `OUT.tar`, which Perfetto v58 or later opens as one timeline"},
			processFlag,
		}, traceFlags()...),
		Action: runDiff,
	}
}

// mappings are the values of --map. The library splits lists of strings at commas,
// which names may contain.
type mappings []diff.Mapping

func (m *mappings) Set(s string) error {
	mapping, err := diff.ParseMapping(s)
	*m = append(*m, mapping)
	return err
}

func (m *mappings) String() string { return "" }

// changedTooMuch is the error if conditions of --fail-on hold, one line for each.
type changedTooMuch []diff.Outcome

func (c changedTooMuch) Error() string {
	lines := make([]string, len(c))
	for i, o := range c {
		lines[i] = o.String()
	}
	return strings.Join(lines, "\n")
}

// ExitCode returns the exit code, which differs from that of other errors.
func (c changedTooMuch) ExitCode() int { return 2 }

func runDiff(c *cli.Context) error {
	if c.NArg() != 2 {
		return &failure{what: fmt.Sprintf("two inputs are needed, not %d", c.NArg()), hint: "ohframe diff BASE NEW"}
	}
	format := c.String("format")
	if !slices.Contains(diff.Formats, format) {
		return &failure{what: fmt.Sprintf("--format: %q is not one of %s", format, strings.Join(diff.Formats, ", "))}
	}
	options, err := diffOptions(c)
	if err != nil {
		return err
	}
	if c.IsSet("merge") {
		if err := checkMerge(c); err != nil {
			return err
		}
	}
	sides, err := readSides(c)
	if err != nil {
		return err
	}
	d, err := await(c.Context, func() (*diff.Diff, error) { return diff.Compare(sides[0], sides[1], options) })
	if err != nil {
		return diffError(err)
	}
	if c.IsSet("merge") {
		if err := merge(c, d); err != nil {
			return err
		}
	}
	err = writeOutput(c, func(out io.Writer, terminal bool) error {
		return diff.Write(out, d, format, diff.WriteOptions{Color: terminal})
	})
	if err != nil {
		return err
	}
	for _, o := range d.Unknown() {
		fmt.Fprintf(os.Stderr, "ohframe: warning: %s\n", o)
	}
	if failed := d.Failed(); len(failed) > 0 {
		return changedTooMuch(failed)
	}
	return nil
}

// diffOptions returns the options that the flags set.
func diffOptions(c *cli.Context) (o diff.Options, err error) {
	s, err := statsOptions(c)
	if err != nil {
		return o, err
	}
	o.Process, o.Map = s.Process, *c.Generic("map").(*mappings)
	if c.IsSet("fail-on") {
		if o.FailOn, err = diff.ParseConditions(c.String("fail-on")); err != nil {
			return o, &failure{what: "--fail-on: " + err.Error(), hint: "--fail-on 'jank_rate>+2pp,fps<-5%'; docs/diff.md lists the measures"}
		}
	}
	return o, nil
}

// readSides reads both inputs.
func readSides(c *cli.Context) (sides [2]diff.Side, err error) {
	if name := c.Args().First(); name == standard && c.Args().Get(1) == standard {
		return sides, &failure{file: inputName(name), what: "cannot be read twice"}
	}
	for i, name := range c.Args().Slice() {
		in, err := readInput(c, name)
		if err != nil {
			return sides, err
		}
		measures, err := measure(c, in.Timeline, stats.Options{})
		if err != nil {
			return sides, err
		}
		sides[i] = diff.Side{Name: inputName(name), Timeline: in.Timeline, Stats: measures}
	}
	return sides, nil
}

// diffError turns an error of the diff package into a failure with its hint.
func diffError(err error) error {
	if e := (*ohframe.Error)(nil); errors.As(err, &e) {
		return &failure{what: e.What, hint: e.Hint}
	}
	return err
}

// checkMerge checks --merge before any input is read.
func checkMerge(c *cli.Context) error {
	name, output := c.String("merge"), c.String("output")
	switch {
	case name == "":
		return &failure{what: "--merge: the file name is empty"}
	case name == standard && (output == standard || output == ""):
		return &failure{what: "--merge: the comparison goes to standard output, too", hint: "-o FILE writes the comparison to a file"}
	case name == output:
		return &failure{what: "--merge and -o name the same file"}
	}
	for _, in := range c.Args().Slice() {
		if info, err := os.Stat(in); in == standard || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return &failure{file: inputName(in), what: "cannot be read twice, as --merge does", hint: "save it to a file first"}
		}
	}
	return nil
}

// merge writes both traces to the archive that --merge names.
func merge(c *cli.Context, d *diff.Diff) error {
	outName := c.String("merge")
	out, err := createOutput(c, outName)
	if err != nil {
		return err
	}
	trace := func(i int) diff.Trace {
		return diff.Trace{Write: func(w io.Writer) error { return writePerfetto(c, c.Args().Get(i), w) }}
	}
	return writeTo(c.Context, out, outName, func(out io.Writer) error { return d.Merge(out, trace(0), trace(1)) })
}

// writePerfetto writes an input as a Perfetto trace. One that is a Perfetto trace is
// copied.
func writePerfetto(c *cli.Context, name string, w io.Writer) error {
	file, err := openInput(c.Context, name)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = convertInto(c, name, file, w, c.String("merge"), true)
	return err
}
