package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"ohframe/internal/fleet"
	"ohframe/internal/inputs"
	"ohframe/internal/text"
)

// openedFiles are the files that a command reads, or may read. None may be an output, and a new output
// is readable only by the users that may read all of them.
type openedFiles struct {
	files  []fs.FileInfo
	mode   fs.FileMode // of new outputs, before the umask
	inputs int         // traces
}

// newFile is the mode of new files, before the umask.
const newFile fs.FileMode = 0o666

// uses says that the command may read files, which need not exist, before it opens an output.
func uses(c *call, names ...string) {
	for _, name := range names {
		if name == standard {
			c.used.add(os.Stdin)
		} else {
			c.used.add(unopened(name))
		}
	}
}

// unopened is the name of a file.
type unopened string

// Stat returns information about the file.
func (name unopened) Stat() (fs.FileInfo, error) { return os.Stat(string(name)) }

// add adds a file. What opens a file for a command calls it.
func (u *openedFiles) add(file interface{ Stat() (fs.FileInfo, error) }) {
	if info, err := file.Stat(); err == nil {
		u.files = append(u.files, info)
		u.mode = derivedMode(u.mode, info.Mode())
	}
}

// contains reports whether a file is one of those that the command reads.
func (u *openedFiles) contains(info fs.FileInfo) bool {
	for _, other := range u.files {
		if os.SameFile(info, other) {
			return true
		}
	}
	return false
}

// derivedMode returns a mode without access for the group and for others if those may not
// read the file that the input has the mode of.
func derivedMode(mode, input fs.FileMode) fs.FileMode {
	if !input.IsRegular() { // the mode of a pipe says nothing
		return mode
	}
	for _, class := range []struct{ read, all fs.FileMode }{{0o040, 0o070}, {0o004, 0o007}} {
		if input&class.read == 0 {
			mode &^= class.all
		}
	}
	return mode
}

// expandInputs returns the inputs that arguments stand for, and warns of files in folders
// that are skipped. See package inputs. A side of a comparison may be a folder of sessions.
func expandInputs(c *call, args []string) ([]input, error) {
	events, side := fleet.NewEvents(c.Context, fleet.Files{}, 0), c.Command.Name == "diff" && !c.IsSet("base")
	set, err := await(c.Context, func() (*inputs.Set, error) {
		return inputs.Expand(args, inputs.Options{Sessions: side, Recursive: c.IsSet("base") || c.IsSet("by") || c.IsSet("over"), Events: events.Read, Dataset: fleet.IsDataset})
	})
	if err != nil {
		return nil, err
	}
	for _, f := range set.Folders {
		printWarnings(f.Path, []string{f.Warning()})
	}
	var list []input
	for _, in := range set.Inputs {
		// A reader that skips inputs finds out again that a file is missing.
		if in.Err != nil && !(skipsInputs(c) && len(set.Inputs) > 1 && errors.Is(in.Err, fs.ErrNotExist)) {
			return nil, fileError(in.Path, in.Err)
		}
		if !in.Dataset {
			list = append(list, inputOf(in.Path))
			continue
		}
		stored, err := storedInputs(c, in.Path)
		if err != nil {
			return nil, err
		}
		list = append(list, stored...)
	}
	uses(c, set.Read...)
	for _, event := range slices.Concat(set.Events, set.Beside) {
		uses(c, event.Path)
	}
	addEvents(list, events, set)
	given := list
	if list, err = selected("where", c.Where, given); err != nil {
		if side {
			err = fileError(sideName(args, given), err)
		}
		return nil, err
	}
	if err := checkPerf(c, list); err != nil {
		return nil, err
	}
	c.used.inputs += len(list)
	for _, in := range list {
		if in.stored != nil {
			continue // its file is not read
		}
		uses(c, in.name)
		uses(c, inputs.Beside(in.name)...)
		if samples, _ := samplesOf(c, in.name); samples != "" {
			uses(c, samples)
		}
	}
	return list, nil
}

// selected returns the inputs that have the values of a flag.
func selected(flag string, w fleet.Where, list []input) ([]input, error) {
	return fleet.Select(flag, w, list, func(in input) (string, fleet.Values) { return in.name, in.values })
}

// storedInputs returns the traces of a dataset.
func storedInputs(c *call, dir string) ([]input, error) {
	d, err := openDataset(c, dir)
	if err != nil {
		return nil, err
	}
	stored, err := await(c.Context, func() ([]*fleet.Stored, error) { return d.List(c.Context) })
	if err != nil {
		return nil, err
	}
	if len(stored) == 0 {
		return nil, &failure{file: dir, what: "the dataset has no traces", hint: "its table failures says why"}
	}
	if !skipsInputs(c) {
		return nil, &failure{
			file: dir, what: fmt.Sprintf("a dataset has no events of traces, which %s needs", c.Command.Name),
			hint: fmt.Sprintf("ohframe %s -- %s", c.Command.Name, text.Quoted(stored[0].Name)),
		}
	}
	for _, name := range []string{"clock-offset", "from", "to", "entry", "limit", "perf"} {
		if c.IsSet(name) {
			return nil, &failure{file: dir, what: fmt.Sprintf("--%s is for reading traces, which a dataset does not have", name), hint: "name the traces, or run ohframe fleet run with the flag"}
		}
	}
	var list []input
	for _, s := range stored {
		list = append(list, input{name: s.Name, values: s.Values, meta: s.Meta, stored: s})
	}
	return list, nil
}

// addEvents gives inputs their events, and the values of their dimensions.
func addEvents(list []input, events *fleet.Events, set *inputs.Set) {
	found := make([]fleet.Input, len(list))
	for i, in := range list {
		if in.stored == nil {
			found[i] = fleet.Input{Name: in.name, Recording: in.meta}
		}
	}
	for _, unused := range events.Give(found, set, nil) {
		if err := unused.Event.Err; err != nil {
			printWarnings(unused.Name, []string{"ignored: " + err.Error()})
		}
	}
	for i := range list {
		if list[i].stored != nil {
			continue
		}
		list[i].event, list[i].values = found[i].Event, fleet.ValuesOf(found[i])
	}
}

// skipsInputs reports whether a command skips inputs that fail, see reader.
func skipsInputs(c *call) bool {
	return slices.Contains([]string{"report", "frames", "why", "diff"}, c.Command.Name)
}

// defaultOutput returns the name of the Perfetto trace that convert makes of an input.
func defaultOutput(name string) string {
	if name == standard {
		return standard
	}
	return inputs.Stem(name) + ".pftrace"
}
