package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/diag"
	"ohframe/internal/exit"
	"ohframe/internal/fleet"
	"ohframe/internal/quality"
	"ohframe/internal/report"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// reader reads the inputs of a command, and collects what is wrong with them. If there are
// several, it skips those that cannot be read or have no complete frames.
type reader struct {
	c       *call
	format  string                       // --format
	process func(*analyzer.Process) bool // --process
	causes  bool                         // look for causes of late frames
	pieces  bool                         // with their pieces, which pages draw
	// interactions, layers and summaries report that those of an input without frames are an answer, too.
	interactions, layers, summaries bool
	// lacks returns why an input has nothing that the command measures; nil if it has.
	lacks func(*ohframe.Trace) *failure
	side  string // name of a side whose inputs are read; empty without sides
	// several reports that the next inputs are skipped if they fail.
	several bool
	// beside: datasets are an answer without the next inputs.
	beside  bool
	total   int
	skipped []view.Input
	// failure is the error of an input that is not skipped.
	failure   error
	bad       []condition.BadInput // inputs that --strict does not accept
	unchecked []string             // what is missing, so that conditions cannot be checked for it
	hint      string               // the last one that was printed
	said      map[string][]string  // warnings of the inputs of a comparison, by their names
}

// newReader returns a reader for a command that writes one of the formats. The error is that
// of a flag.
func newReader(c *call) (*reader, error) {
	r := &reader{c: c, causes: !c.NoCauses, lacks: lacksFrames}
	var err error
	if r.format, err = formatOption(c); err != nil {
		return nil, err
	}
	r.pieces = r.format == "html"
	if r.process, err = processOption(c); err != nil {
		return nil, err
	}
	_, err = traceOptions(c)
	return r, err
}

// each reads the inputs, one after the other, and calls use with those that are left. The
// error is that of an interruption, of use, or that none is left.
func (r *reader) each(list []input, use func(in input, t *ohframe.Trace) error) error {
	r.several = len(list) > 1 || r.beside
	skipped := len(r.skipped)
	var stored []*fleet.Stored
	for _, in := range list {
		if in.stored != nil {
			stored = append(stored, in.stored)
		}
	}
	next, stop := iter.Pull2(fleet.ReadStored(r.c.Context, stored, ohframe.Options{Causes: r.causes, Measures: r.c.Measure.List}))
	defer stop()
	for _, in := range list {
		var t *ohframe.Trace
		var err error
		if in.stored == nil {
			t, err = readInput(r.c, in, r.causes, r.pieces)
		} else if t, err, _ = next(); err == nil {
			printWarnings(in.name, diag.Texts(t.Warnings))
		} else if !errors.Is(err, ohframe.ErrLimit) {
			return err // what is left of a damaged dataset is no answer
		}
		if t, err = r.checked(in.name, t, fileError(in.name, err)); err == nil && t != nil {
			err = use(in, t)
		}
		if err != nil {
			return err
		}
	}
	if len(r.skipped)-skipped == len(list) && !r.beside {
		return r.none(len(list))
	}
	said := map[*fleet.Dataset]bool{}
	for _, s := range stored {
		if d := s.Dataset; !said[d] {
			said[d] = true
			missing := d.Warnings()
			if failed := d.Failed(); failed != "" && len(r.c.Where) == 0 {
				missing = append(missing, failed)
			}
			for _, missing := range missing {
				r.total, r.skipped = r.total+1, append(r.skipped, view.Input{Name: text.Printable(d.Dir), Skipped: missing})
			}
		}
	}
	return nil
}

// checked returns an input that was read, or nil if it is skipped or failed. It prints a warning if the input is
// skipped or unreliable, unless the result names the latter. The error is that of an interruption.
func (r *reader) checked(name string, t *ohframe.Trace, err error) (*ohframe.Trace, error) {
	r.total++
	if err != nil {
		if r.c.Context.Err() != nil {
			return nil, err
		}
		r.fail(name, err)
		return nil, nil
	}
	q := t.Quality
	f := r.lacks(t)
	switch {
	case f != nil && r.summaries && len(t.Timeline.Summaries) > 0:
		return t, nil
	case f != nil:
		f.file = inputName(name)
		if r.interactions && (r.hasInteractions(t.Timeline) || len(t.Timeline.OwnMeasures) > 0) || r.layers && r.hasLayers(t.Timeline) {
			if q.Verdict == stats.Unreliable {
				r.addBad(name, f.what)
			} else {
				r.addBad(name, notGood(q, t.Warnings))
			}
			printWarnings(name, []string{f.what})
			if f.hint != r.hint {
				printHint(f.hint)
				r.hint = f.hint
			}
			return t, nil
		}
		if r.several {
			r.fail(name, f)
			return nil, nil
		}
		r.failure = f // its output is written all the same
	default:
		r.addBad(name, notGood(q, t.Warnings))
		if !r.c.Strict {
			warnUnreliable(name, q)
		}
	}
	return t, nil
}

// addBad adds an input that --strict does not accept, unless why is empty.
func (r *reader) addBad(name, why string) {
	if why != "" {
		r.bad = append(r.bad, condition.BadInput{Name: text.Printable(inputName(name)), Text: why})
	}
}

// notGood returns why --strict does not accept an input that could be read: it is unreliable or damaged.
// The quality may be nil.
func notGood(q *quality.Quality, warnings []trace.Warning) string {
	if i := slices.IndexFunc(warnings, func(w trace.Warning) bool { return w.Code == trace.WarnDamaged }); i >= 0 {
		return "damaged: " + warnings[i].Text
	}
	if q != nil && q.Verdict == stats.Unreliable {
		return "data quality: " + q.String()
	}
	return ""
}

// hasInteractions reports whether a timeline has interactions or hangs of the selected processes.
func (r *reader) hasInteractions(t *analyzer.Timeline) bool {
	hang := func(h analyzer.Hang) bool { return r.process == nil || r.process(h.Process) }
	return slices.ContainsFunc(t.Hangs, hang) || slices.ContainsFunc(t.Interactions, func(i *analyzer.Interaction) bool { return r.process == nil || r.process(i.Process) })
}

// hasLayers reports whether a timeline has layers of the selected processes.
func (r *reader) hasLayers(t *analyzer.Timeline) bool {
	return slices.ContainsFunc(t.Layers, func(l *analyzer.Layer) bool { return r.process == nil || l.Process != nil && r.process(l.Process) })
}

// warnUnreliable prints a warning if the measures of a trace are unreliable. That a trace
// has no frames is said elsewhere.
func warnUnreliable(name string, q *quality.Quality) {
	if q.Frames() > 0 && q.Verdict == stats.Unreliable {
		printWarnings(name, []string{"data quality: " + q.String()})
	}
}

// fail skips an input, or keeps its error.
func (r *reader) fail(name string, err error) {
	what, hint := strings.TrimPrefix(err.Error(), inputName(name)+": "), hintOf(err)
	r.skipped = append(r.skipped, view.Input{Name: text.Printable(inputName(name)), Skipped: what})
	if !r.several {
		r.failure = err
		return
	}
	printWarnings(name, []string{"skipped: " + what})
	if hint != r.hint {
		printHint(hint)
		r.hint = hint
	}
}

// fails returns an error that leaves nothing to write. Formats for continuous integration have it
// all the same, and the inputs that were skipped: a missing file of results shows no reason.
func (r *reader) fails(title string, err error) error {
	if r.c.Context.Err() != nil || !slices.Contains(view.GateFormats, r.format) {
		return err
	}
	d := &view.Document{Title: title, Gate: view.GateReport{Inputs: r.skipped, Gate: condition.Gate{Strict: true}}}
	if r.failure == nil { // otherwise it is one of the skipped
		d.Gate.Error = err.Error()
	}
	if err := writeOutput(r.c, func(out io.Writer, style text.Style) error { return view.Write(out, d, r.format, style) }); err != nil {
		return err
	}
	return err
}

// none returns the error if no input is left of n.
func (r *reader) none(n int) error {
	if r.failure != nil {
		return r.failure
	}
	return &failure{file: r.side, what: fmt.Sprintf("no input is left, %d skipped", n)}
}

// gate returns what decides how the command ends. An input that has nothing to measure, and was not
// skipped, makes that unknown if there are conditions.
func (r *reader) gate(checks []condition.Check) condition.Gate {
	g := condition.Gate{Checks: checks, Strict: r.c.Strict, Total: r.total, Skipped: len(r.skipped), Bad: r.bad}
	if len(checks) == 0 {
		return g
	}
	g.Unchecked = slices.Clone(r.unchecked)
	for _, in := range r.skipped {
		g.Unchecked = append(g.Unchecked, in.Name+": not checked: "+in.Skipped)
	}
	if r.failure != nil {
		g.Unchecked = append(g.Unchecked, r.failure.Error())
	}
	return g
}

// finish returns the error with which the command ends after its output: that of inputs without complete
// frames, or that of the gate. It prints how many inputs were skipped.
func (r *reader) finish(checks []condition.Check) error {
	if r.failure != nil && len(checks) == 0 || len(r.skipped) == r.total && r.total > 0 {
		return r.none(r.total)
	}
	g := r.gate(checks)
	err := g.Err()
	if result := (*exit.Result)(nil); errors.As(err, &result) {
		if result.Code == exit.CannotTell && len(checks) > 0 {
			result.Hint = hintOf(r.failure)
			if slices.ContainsFunc(checks, func(c condition.Check) bool { return c.Text == condition.NotSelected }) {
				result.Hint = "--process leaves out processes that conditions name"
			}
		}
	} else if s := g.String(); g.Skipped > 0 {
		fmt.Fprintf(os.Stderr, "ohframe: %s\n", s)
	}
	return err
}

// lacksFrames returns why an input has no complete frames; nil if it has some.
func lacksFrames(in *ohframe.Trace) *failure {
	if in.Quality.Frames() > 0 {
		return nil
	}
	e := report.NoFrames(in.Timeline, in.Quality)
	return &failure{what: e.What, hint: e.Hint}
}

// conditions returns the conditions of --fail-on and --budgets that are of a kind.
func conditions(c *call, kind condition.Kind) (list condition.Conditions, err error) {
	if c.IsSet("fail-on") {
		if list, err = condition.Parse(c.FailOn, kind); err != nil {
			return nil, fmt.Errorf("--fail-on: %w", err)
		}
	}
	if !c.IsSet("budgets") {
		return list, nil
	}
	name := c.Budgets
	file, err := openInput(c, name)
	if err != nil {
		if _, fault := condition.Parse(name, kind); fault == nil {
			err = &failure{what: fmt.Sprintf("--budgets: %q is no file", name), hint: "--fail-on takes conditions, --budgets a file of them"}
		}
		return nil, err
	}
	defer file.Close()
	budgets, err := condition.ParseFile(file, name, kind)
	return append(list, budgets...), fileError(name, err)
}

// checkIDs returns an error if a condition or --process selects a process id, although there are several traces, of a
// comparison on one side: each has ids of its own.
func checkIDs(list condition.Conditions, process string, traces int) error {
	check := func(where, name string) error {
		if _, err := strconv.Atoi(name); err != nil || traces < 2 {
			return nil
		}
		return &failure{file: where, what: "the process id " + name + " is of one trace, not of several", hint: "write the name of the process: each trace has ids of its own"}
	}
	for _, c := range list {
		where := "--fail-on"
		if c.File != "" {
			where = fmt.Sprintf("%s:%d", c.File, c.Line)
		}
		if err := check(where, c.Process); err != nil {
			return err
		}
	}
	return check("--process", process)
}
