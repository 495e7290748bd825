package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/internal/brief"
	"ohframe/internal/condition"
	"ohframe/internal/diag"
	"ohframe/internal/diff"
	"ohframe/internal/flags"
	"ohframe/internal/fleet"
	"ohframe/internal/text"
)

type diffFlags struct {
	formatFlag
	outputFlag
	Map  flags.Repeated[diff.Mapping] `flag:"map" usage:"compare process OLD with NEW: {OLD=NEW}, repeatable"`
	Base fleet.Where                  `flag:"base" usage:"cut the inputs into those with {DIM=VALUE}"`
	New  fleet.Where                  `flag:"new" usage:"and those with {DIM=VALUE}"`
	flags.MeasureFlag
	unitFlag
	failOnFlag
	budgetsFlag
	MinEffect string `flag:"min-effect" usage:"smallest changes that count: {MEASURE=1pp}" default:"1pp, 2%"`
	Merge     string `flag:"merge" usage:"write both to {OUT.tar}, on one timeline"`
	processFlag
	allFlag
	whereFlag
	flags.NoCausesFlag
	flags.StrictFlag
	flags.Trace
}

func diffCommand() *cli.Command {
	return newCommand(cli.Command{
		Name:      "diff",
		Usage:     "compare two traces, or sets of traces, and test the changes",
		ArgsUsage: "BASE… [--] NEW…",
		Description: "BASE and NEW are inputs as of report. The exit code is 2 if a condition of\n" +
			"--fail-on, such as jank_rate>+2pp, holds, and 3 if one cannot be checked.",
	}, &diffFlags{
		MeasureFlag: flags.NewMeasureFlag(),
		formatFlag:  formats(diff.Formats),
		Map:         flags.Repeated[diff.Mapping]{Parse: diff.ParseMapping},
	}, runDiff, flags.Rule{Flags: []string{"base"}, Needs: "new"}, flags.Rule{Flags: []string{"new"}, Needs: "base"})
}

func runDiff(c *call, f *diffFlags) error {
	r, err := newReader(c)
	if err != nil {
		return err
	}
	r.interactions, r.layers = true, true
	options, err := diffOptions(c, f, r)
	if err != nil {
		return r.fails("Frame comparison", err)
	}
	sides := sideInputs
	if c.IsSet("base") {
		sides = func(c *call) ([2][]input, [2]string, error) { return cutInputs(c, f.Base, f.New) }
	}
	inputs, names, err := sides(c)
	if err != nil {
		return r.fails("Frame comparison", err)
	}
	if err := checkIDs(options.FailOn, f.Process, max(len(inputs[0]), len(inputs[1]))); err != nil {
		return r.fails("Frame comparison", err)
	}
	if c.IsSet("merge") {
		if err := checkMerge(f, inputs); err != nil {
			return err
		}
	}
	d, err := compareInputs(c, inputs, names, r, options)
	if err != nil {
		return r.fails("Frame comparison", err)
	}
	if c.IsSet("merge") {
		if err := merge(c, r, f.Merge, inputs, d); err != nil {
			return err
		}
	}
	err = writeOutput(c, func(out io.Writer, style text.Style) error {
		return diff.Write(out, d, r.format, diff.WriteOptions{
			Style: style, Verbose: f.All, Gate: r.gate(d.Checks()), Skipped: r.skipped,
		})
	})
	if err != nil {
		return err
	}
	if hint := d.Hint(); hint != "" {
		fmt.Fprintf(os.Stderr, "hint: no application is in both traces; %s\n", hint)
	}
	return r.finish(d.Checks())
}

// compareInputs compares the inputs of two sides.
func compareInputs(c *call, inputs [2][]input, names [2]string, r *reader, o diff.Options) (*diff.Diff, error) {
	for _, side := range inputs {
		warnTwice(side, "a trace and its copy are not independent runs")
	}
	warnDebugUI(inputs)
	sides, err := readSides(c, inputs, names, r)
	if err != nil {
		return nil, err
	}
	return await(c.Context, func() (*diff.Diff, error) { return diff.Compare(sides[0], sides[1], o) })
}

// diffOptions returns the options that the flags set.
func diffOptions(c *call, f *diffFlags, r *reader) (o diff.Options, err error) {
	o.Process, o.Pattern, o.Map, o.Unit = r.process, f.Process, f.Map.List, f.Unit
	o.Command = func(m diff.Mapping) string {
		words := []string{"ohframe"}
		for _, word := range append(slices.Clone(os.Args[1:]), "--map", m.Base+"="+m.New) {
			words = append(words, text.Quoted(word))
		}
		return strings.Join(words, " ")
	}
	if o.FailOn, err = conditions(c, condition.OfChanges); err != nil {
		return o, err
	}
	for i := range o.FailOn {
		if limit := &o.FailOn[i]; limit.OfCauses() && f.NoCauses {
			return o, &failure{what: fmt.Sprintf("--no-causes: the condition %s is on causes", limit)}
		}
	}
	if c.IsSet("min-effect") {
		if o.MinEffect, err = condition.ParseLimits(f.MinEffect, slices.Concat(stats.Tested[:], stats.TestedAcrossRates[:])); err != nil {
			return o, fmt.Errorf("--min-effect: %w", err)
		}
	}
	return o, nil
}

// sideInputs returns the traces of both sides, and the names of the sides.
func sideInputs(c *call) (sides [2][]input, names [2]string, err error) {
	args := c.Args().Slice()
	hint := "ohframe diff BASE NEW, ohframe diff BASE… -- NEW…, or ohframe diff INPUT… --base DIM=VALUE --new DIM=VALUE"
	var given [2][]string
	if i := slices.Index(args, "--"); i >= 0 {
		given = [2][]string{args[:i], args[i+1:]}
		if slices.Contains(given[1], "--") {
			return sides, names, &failure{what: "more than one --: diff compares two sides", hint: hint}
		}
	} else if len(args) == 2 {
		given = [2][]string{args[:1], args[1:]}
	} else {
		return sides, names, &failure{what: fmt.Sprintf("two inputs are needed, not %d", len(args)), hint: hint}
	}
	all := 0
	for i := range sides {
		if sides[i], err = expandInputs(c, given[i]); err != nil {
			return sides, names, err
		}
		if len(sides[i]) == 0 {
			return sides, names, &failure{what: [2]string{"no input before --", "no input after --"}[i], hint: hint}
		}
		names[i] = sideName(given[i], sides[i])
		for _, in := range sides[i] {
			if in.name == standard {
				all++
			}
		}
	}
	if all > 1 {
		return sides, names, &failure{file: inputName(standard), what: "cannot be read twice"}
	}
	return sides, names, nil
}

// cutInputs returns the inputs of two sides that are those with some values.
func cutInputs(c *call, base, new fleet.Where) (sides [2][]input, names [2]string, err error) {
	list, err := severalInputs(c)
	if err != nil {
		return sides, names, err
	}
	names = [2]string{base.Text(), new.Text()}
	for i, w := range []fleet.Where{base, new} {
		if sides[i], err = selected([2]string{"base", "new"}[i], w, list); err != nil {
			return sides, names, err
		}
	}
	type key struct { // traces of several datasets may have one name
		name   string
		stored *fleet.Stored
	}
	of := map[key]bool{}
	for _, in := range sides[0] {
		of[key{in.name, in.stored}] = true
	}
	if i := slices.IndexFunc(sides[1], func(in input) bool { return of[key{in.name, in.stored}] }); i >= 0 {
		return sides, names, &failure{file: sides[1][i].name, what: fmt.Sprintf("has both %s and %s", names[0], names[1]), hint: "a trace is on one side"}
	}
	return sides, names, nil
}

// readSides reads the inputs of both sides. It keeps only the measures of several inputs.
func readSides(c *call, inputs [2][]input, sideNames [2]string, r *reader) (sides [2]diff.Side, err error) {
	r.said = map[string][]string{}
	for i, list := range inputs {
		var runs []diff.Side
		var read []string // the names of their files
		r.side = sideNames[i]
		err := r.each(list, func(in input, t *ohframe.Trace) error {
			measures, err := measure(c, t.Timeline, stats.Options{Compare: true, Lengths: r.format == "html", Own: r.process})
			if err != nil {
				return err
			}
			run := diff.Side{Name: inputName(in.name), Recording: recordingOf(in), Timeline: t.Timeline, Stats: measures, Quality: t.Quality}
			if r.format == brief.Format {
				run.Commands = commandsAbout(c, in.name, t.Timeline)
			}
			run.Costs = diff.NewCosts(measures, t.Timeline, t.Causes, run.Commands)
			if len(list) > 1 || !c.IsSet("merge") {
				run.Release()
			}
			runs, read = append(runs, run), append(read, in.name)
			r.said[in.name] = append(r.said[in.name], diag.Texts(t.Warnings)...)
			return nil
		})
		if err == nil && r.failure != nil {
			err = r.failure
		}
		if err != nil {
			return sides, err
		}
		completeSessions(runs, read)
		sides[i] = diff.Join(sideNames[i], runs)
	}
	return sides, nil
}

// sideName returns the name of a side of several traces: the folder that was given, or the
// names of the first trace and the last.
func sideName(given []string, list []input) string {
	if len(given) == 1 {
		if info, err := os.Stat(given[0]); err == nil && info.IsDir() {
			return given[0]
		}
	}
	first, last := list[0].name, list[len(list)-1].name
	if len(list) == 1 {
		return inputName(first)
	}
	if filepath.Dir(first) == filepath.Dir(last) {
		last = filepath.Base(last)
	}
	return inputName(first) + " … " + inputName(last)
}

// checkMerge checks --merge before any input is read.
func checkMerge(f *diffFlags, inputs [2][]input) error {
	name, output := f.Merge, f.Output
	switch {
	case name == standard && (output == standard || output == ""):
		return &failure{what: "--merge: the comparison goes to standard output, too", hint: "-o FILE writes the comparison to a file"}
	case name == output:
		return &failure{what: "--merge and -o name the same file"}
	}
	switch filepath.Ext(strings.TrimSuffix(name, ".gz")) {
	case "", ".tar", ".tgz":
	default:
		return &failure{file: name, what: "--merge writes a tar archive", hint: "name it OUT.tar"}
	}
	first := []input{inputs[0][0], inputs[1][0]}
	for _, in := range first {
		if in.stored != nil {
			return &failure{file: in.stored.Dataset.Dir, what: "a dataset has no events of traces, which --merge needs", hint: fmt.Sprintf("ohframe diff --merge %s -- %s -- %s", text.Quoted(name), text.Quoted(first[0].name), text.Quoted(first[1].name))}
		}
	}
	if len(inputs[0])+len(inputs[1]) > 2 {
		return &failure{what: "--merge: needs one trace on each side"}
	}
	for _, in := range first {
		if info, err := os.Stat(in.name); in.name == standard || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return &failure{file: inputName(in.name), what: "cannot be read twice, as --merge does", hint: "save it to a file first"}
		}
	}
	return nil
}

// merge writes both traces to the archive that --merge names. It prints the warnings about what is left out of it.
func merge(c *call, r *reader, outName string, inputs [2][]input, d *diff.Diff) error {
	out, err := createOutput(c, outName)
	if err != nil {
		return err
	}
	trace := func(i int) func(io.Writer) error {
		return func(w io.Writer) error {
			warnings, err := writePerfetto(c, inputs[i][0], w, outName)
			name := inputs[i][0].name
			warnings = slices.DeleteFunc(warnings, func(warning string) bool { return slices.Contains(r.said[name], warning) })
			printWarnings(name, warnings)
			r.said[name] = append(r.said[name], warnings...) // it is written twice
			return err
		}
	}
	return writeTo(c.Context, out, outName, func(out io.Writer) error { return d.Merge(out, trace(0), trace(1)) })
}

// writePerfetto writes an input as a Perfetto trace, and returns the warnings about it. One that is a Perfetto trace is
// copied.
func writePerfetto(c *call, in input, w io.Writer, outName string) ([]string, error) {
	file, err := openInput(c, in.name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	summary, err := convertInto(c, in, file, w, outName, true)
	if err != nil {
		return nil, err
	}
	return diag.Texts(summary.Warnings), nil
}

// warnDebugUI warns of traces that were recorded with --debug-ui.
func warnDebugUI(sides [2][]input) {
	for _, in := range slices.Concat(sides[0], sides[1]) {
		if in.meta != nil && len(in.meta.DebugUI) > 0 {
			printWarnings(in.name, []string{"recorded with --debug-ui, which slows the application down: its times are not comparable"})
		}
	}
}

// warnTwice warns of traces that are more than one input of a list, also of several datasets. why says why that matters.
func warnTwice(list []input, why string) {
	var files []fs.FileInfo
	times := map[any]int{}
	var twice []string
	for _, in := range list {
		var key any
		if in.stored != nil {
			key = in.stored.ID()
		} else if info, err := os.Stat(in.name); err == nil { // reading the file reports the error
			i := slices.IndexFunc(files, func(other fs.FileInfo) bool { return os.SameFile(info, other) })
			if i < 0 {
				i, files = len(files), append(files, info)
			}
			key = i
		} else {
			continue
		}
		if times[key]++; times[key] == 2 {
			twice = append(twice, in.name)
		}
	}
	if n := len(twice) - 1; n >= 0 {
		others := ""
		if n > 0 {
			others = fmt.Sprintf(", and %s", text.Count(n, "other trace"))
		}
		printWarnings(twice[0], []string{"given more than once" + others + "; " + why})
	}
}
