package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"ohframe/internal/inputs"
)

// expandedInputs is the key of the inputs that expandInputs has returned.
const expandedInputs = "inputs"

// expandInputs returns the inputs that arguments stand for, and warns of files in folders
// that are skipped. See package inputs.
func expandInputs(c *cli.Context, args []string) ([]string, error) {
	set, err := await(c.Context, func() (*inputs.Set, error) { return inputs.Expand(args, inputs.Options{}) })
	if err != nil {
		return nil, err
	}
	for _, f := range set.Folders {
		printWarnings(f.Path, []string{f.Warning()})
	}
	var names []string
	for _, in := range set.Inputs {
		if in.Err != nil {
			return nil, fileError(in.Path, in.Err)
		}
		names = append(names, in.Path)
	}
	expanded, _ := c.App.Metadata[expandedInputs].([]string)
	c.App.Metadata[expandedInputs] = append(expanded, names...)
	return names, nil
}

// inputFiles returns the arguments, and the files that they stand for.
func inputFiles(c *cli.Context) []string {
	expanded, _ := c.App.Metadata[expandedInputs].([]string)
	return slices.Concat(c.Args().Slice(), expanded)
}

// defaultOutput returns the name of the Perfetto trace that convert makes of an input.
func defaultOutput(name string) string {
	if name == standard {
		return standard
	}
	return inputs.Stem(name) + ".pftrace"
}
