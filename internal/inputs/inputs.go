// Package inputs finds the traces that the arguments of commands stand for.
//
//	file            itself
//	folder          the traces in it, or a dataset of a fleet
//	@FILE           the files and folders that are named in FILE
//	runs/*.ftrace   what matches, if no shell has expanded it
//
// A folder that has only folders stands for what is in these if Options.Sessions is set.
//
// A folder stands for its files, in the order of their names, without
//
//   - hidden files, and descriptions of recordings, see package meta,
//   - files that are clearly no traces: reports, tables, pictures, archives of diff --merge,
//   - copies of other traces in the folder: conversions, compressed copies,
//   - of the runs of "ohframe record --runs", those that are cold or invalid, and all
//     files that are no runs.
//
// The last three are listed, so that users learn what was skipped. A file that is given by
// its name is never skipped.
package inputs

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ohframe/internal/diag"
	"ohframe/internal/record/meta"
	"ohframe/internal/text"
)

// Standard is the name of standard input.
const Standard = "-"

// Input is a trace to read.
type Input struct {
	Path string
	// Size is the number of bytes of a file; zero if unknown.
	Size int64
	// Mode is that of a file; zero if unknown.
	Mode fs.FileMode
	// Dataset: the path is that of the dataset of a fleet.
	Dataset bool
	// Err is the error of a file or folder that cannot be examined, and of a folder
	// without traces.
	Err error
}

// Folder is a folder with skipped files.
type Folder struct {
	Path    string
	Skipped []Skipped
}

// Skipped is a file that was skipped.
type Skipped struct {
	Name string
	// Why says why; empty if the name says enough.
	Why string
}

// maxNamed is the number of skipped files that a warning names.
const maxNamed = 6

// Warning lists the skipped files on one line.
func (f *Folder) Warning() string {
	var names []string
	for i, s := range f.Skipped {
		switch {
		case i == maxNamed:
			names = append(names, fmt.Sprintf("%d more", len(f.Skipped)-i))
		case i > maxNamed:
		case s.Why == "":
			names = append(names, s.Name)
		default:
			names = append(names, fmt.Sprintf("%s (%s)", s.Name, s.Why))
		}
	}
	return text.Count(len(f.Skipped), "file") + " skipped: " + strings.Join(names, ", ")
}

// Set is what arguments stand for.
type Set struct {
	Inputs []Input
	// Folders are the folders with skipped files.
	Folders []Folder
	// Read are the files that Expand has read: lists, and descriptions of recordings with
	// the traces that they name.
	Read []string
	// Hidden are the traces in Options.Without.
	Hidden []string
	// Others are the files of folders and lists that are not inputs if Options.Only is
	// set: it excludes them, or they were skipped.
	Others []string
	// Events are the files that Options.Events accepts, whatever Options.Only says.
	Events []Input
	// Beside are such files that nobody has named: event.json, and NAME.event.json of a trace NAME, beside a
	// file that is named.
	Beside []Input
}

// Options select what a folder stands for.
type Options struct {
	// Recursive includes the folders in a folder. Then a folder may have no traces.
	Recursive bool
	// Sessions makes a folder without traces stand for those in its folders. Each of them is a
	// session of recordings.
	Sessions bool
	// Without is the path of a folder that is left out; it may be empty or missing.
	Without string
	// Only, if not nil, reports whether a file of a folder or of a list is wanted. The
	// system is not asked about other files of a folder, except about forms of a wanted trace.
	Only func(path string) bool
	// Events, if not nil, is called for each file of type JSON but descriptions of recordings. It
	// reports whether the file is an event of the system, which a trace may belong to.
	Events func(path string) bool
	// Dataset, if not nil, reports whether a folder is a dataset, which is an input.
	Dataset func(path string) bool
	// Timeout is the longest time of opening a list or of reading on in one; zero for any.
	Timeout time.Duration
}

// Expand returns what the arguments stand for. The error, a *diag.Error, is that of a
// name that does not exist, a pattern that matches nothing, or a list that is empty or
// cannot be read.
func Expand(args []string, o Options) (*Set, error) {
	x := newExpansion(o)
	for _, arg := range args {
		if err := x.argument(arg); err != nil {
			return nil, err
		}
	}
	x.beside()
	return &x.Set, nil
}

// ExpandList returns what the lines of a list name: files and folders, relative to folder.
// Lines that are empty or begin with # are skipped. Names that do not exist are inputs with an
// error. fleet/beam reads lists from other places than files.
func ExpandList(r io.Reader, folder string, o Options) (*Set, error) {
	x := newExpansion(o)
	if err := x.list(r, folder); err != nil {
		return nil, err
	}
	x.beside()
	return &x.Set, nil
}

func newExpansion(o Options) *expansion {
	x := &expansion{Options: o}
	if o.Without != "" {
		x.without, _ = os.Stat(o.Without)
	}
	return x
}

type expansion struct {
	Set
	Options
	without fs.FileInfo // may be nil
	named   []string    // files that are no events
}

func (x *expansion) argument(arg string) error {
	if arg == Standard {
		x.Inputs = append(x.Inputs, Input{Path: arg})
		return nil
	}
	_, err := os.Lstat(arg)
	if runtime.GOOS == "windows" && strings.ContainsAny(arg, "*?") {
		err = fs.ErrNotExist // the error of Windows says that no file can have such a name
	}
	switch {
	case !errors.Is(err, fs.ErrNotExist): // opening it reports any other error
		x.path(arg)
		return nil
	case strings.HasPrefix(arg, "@"):
		return x.listFile(arg[1:])
	case !strings.ContainsAny(arg, "*?["):
		return pathError(arg, err)
	}
	matches, err := filepath.Glob(arg)
	if err != nil {
		return diag.New(err, "", "%s: not a pattern such as base/*.ftrace", arg)
	}
	matches = slices.DeleteFunc(matches, func(match string) bool { return hides(arg, match) })
	if len(matches) == 0 {
		return diag.New(fs.ErrNotExist, "", "%s: no file matches", arg)
	}
	for _, match := range matches {
		x.path(match)
	}
	return nil
}

// hides reports whether a pattern matches only because a wildcard matches the dot of a
// hidden file or folder. In a shell it does not.
func hides(pattern, match string) bool {
	split := func(s string) []string { return strings.Split(filepath.ToSlash(filepath.Clean(s)), "/") }
	elements, names := split(pattern), split(match)
	for i := range min(len(elements), len(names)) {
		if strings.HasPrefix(names[i], ".") && !strings.HasPrefix(elements[i], ".") {
			return true
		}
	}
	return false
}

// pathError returns the error of a file without the operation of the system that failed.
func pathError(name string, err error) error {
	what := err
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		what = path.Err
	}
	hint := ""
	if e := (*diag.Error)(nil); errors.As(err, &e) {
		hint = e.Hint
	}
	return diag.New(err, hint, "%s: %v", name, what)
}

func (x *expansion) listFile(name string) error {
	f, err := Within(context.Background(), x.Timeout, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return pathError(name, err)
	}
	defer f.Close()
	x.Read = append(x.Read, name)
	before := len(x.Inputs) + len(x.Others)
	r := io.Reader(f)
	if x.Timeout > 0 {
		r = patient{f, x.Timeout}
	}
	if err := x.list(r, filepath.Dir(name)); err != nil {
		return pathError(name, err)
	}
	if len(x.Inputs)+len(x.Others) == before {
		return diag.New(nil, "", "%s: the list is empty", name)
	}
	return nil
}

func (x *expansion) list(r io.Reader, folder string) error {
	lines := bufio.NewScanner(r)
	var paths []string
	for lines.Scan() {
		name := strings.TrimSpace(lines.Text())
		switch {
		case name == "" || name[0] == '#':
		case isAddress(name) || filepath.IsAbs(name):
			paths = append(paths, name)
		default:
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return diag.New(err, "@FILE names a text with the name of one trace in each line", "not a list: a line has more than %d KiB", bufio.MaxScanTokenSize>>10)
	} else if err != nil {
		return err
	}
	if x.Only == nil {
		for _, path := range paths {
			x.path(path)
		}
		return nil
	}
	// A folder belongs to all shards, so that each asks about every name.
	infos, errs := stat(paths)
	for i, path := range paths {
		x.listed(path, infos[i], errs[i])
	}
	return nil
}

// isAddress reports whether a name is an address in an object store.
func isAddress(name string) bool { return strings.Contains(name, "://") }

// stat returns information about files; nothing about addresses. Storage may answer slowly, so
// several are asked about at once.
func stat(paths []string) ([]fs.FileInfo, []error) {
	infos, errs := make([]fs.FileInfo, len(paths)), make([]error, len(paths))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(len(paths), 4*runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := range next {
				infos[i], errs[i] = os.Stat(paths[i])
			}
		})
	}
	for i, path := range paths {
		if !isAddress(path) {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	return infos, errs
}

// listed adds what a line of a list names. info is nil if nothing is known.
func (x *expansion) listed(path string, info fs.FileInfo, err error) {
	switch {
	case info != nil && info.IsDir():
		x.folder(path, info)
	case x.event(path):
	case !x.Only(path):
		x.Others, x.named = append(x.Others, path), append(x.named, path)
	default:
		x.named = append(x.named, path)
		in := Input{Path: path, Err: err}
		if info != nil {
			in.Size, in.Mode = info.Size(), info.Mode()
		}
		x.Inputs = append(x.Inputs, in)
	}
}

// path adds a file, or the files in a folder.
func (x *expansion) path(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		x.Inputs = append(x.Inputs, Input{Path: path, Err: err})
	case info.IsDir():
		x.folder(path, info)
	case x.event(path):
	default:
		x.named = append(x.named, path)
		x.Inputs = append(x.Inputs, Input{Path: path, Size: info.Size(), Mode: info.Mode()})
	}
}

// beside adds the events beside the files that are named.
func (x *expansion) beside() {
	if x.Options.Events == nil {
		return
	}
	known := map[string]bool{}
	for _, in := range x.Set.Events {
		known[filepath.Clean(in.Path)] = true
	}
	var paths []string
	for _, name := range x.named {
		for _, path := range []string{filepath.Join(filepath.Dir(name), eventName), Stem(name) + "." + eventName} {
			if path = filepath.Clean(path); !known[path] && !isAddress(name) {
				known[path], paths = true, append(paths, path)
			}
		}
	}
	given := x.Set.Events
	x.Set.Events = nil
	infos, _ := stat(paths)
	for i, path := range paths {
		if infos[i] != nil && infos[i].Mode().IsRegular() {
			x.event(path)
		}
	}
	x.Set.Beside, x.Set.Events = x.Set.Events, given
}

// eventName is the name of the file of an event beside its trace, which may precede it.
const eventName = "event.json"

// event adds a file to the events if it is one. Pipes and devices are not opened: they may block, or
// never end.
func (x *expansion) event(path string) bool {
	if x.Options.Events == nil || extension(path) != ".json" || strings.HasSuffix(path, meta.Extension) {
		return false
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() || !x.Options.Events(path) {
		return false
	}
	in := Input{Path: path}
	if err == nil {
		in.Size, in.Mode = info.Size(), info.Mode()
	}
	x.Set.Events = append(x.Set.Events, in)
	return true
}

func (x *expansion) folder(path string, info fs.FileInfo) {
	if x.without != nil && os.SameFile(info, x.without) {
		hidden := &expansion{Options: Options{Recursive: x.Recursive}}
		hidden.folder(path, info)
		for _, in := range hidden.Inputs {
			x.Hidden = append(x.Hidden, in.Path)
		}
		return
	}
	if x.Options.Dataset != nil && x.Options.Dataset(path) {
		x.Inputs = append(x.Inputs, Input{Path: path, Dataset: true})
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		x.Inputs = append(x.Inputs, Input{Path: path, Err: err})
		return
	}
	f := &folder{path: path}
	if x.Options.Events != nil {
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			return !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && x.event(filepath.Join(path, e.Name()))
		})
	}
	for _, e := range x.wanted(path, entries) {
		f.add(e)
	}
	files := f.traces()
	if x.Only != nil {
		files = slices.DeleteFunc(files, func(in Input) bool { return !x.Only(in.Path) })
		f.skipped = slices.DeleteFunc(f.skipped, func(s Skipped) bool { return !x.Only(filepath.Join(path, s.Name)) })
		x.others(path, entries, files)
	}
	sessions := len(files) == 0 && x.Sessions && x.sessions(f)
	x.Inputs = append(x.Inputs, files...)
	x.Read = append(x.Read, f.read...)
	if len(f.skipped) > 0 {
		slices.SortFunc(f.skipped, func(a, b Skipped) int { return cmp.Compare(a.Name, b.Name) })
		x.Folders = append(x.Folders, Folder{path, f.skipped})
	}
	switch {
	case x.Recursive:
		for _, name := range f.folders {
			x.path(filepath.Join(path, name))
		}
	case len(files) == 0 && !sessions:
		hint := ""
		if len(f.folders) > 0 && !x.Sessions {
			hint = "the folders in it are not read; " + filepath.Join(path, "*") + " names them"
		}
		x.Inputs = append(x.Inputs, Input{Path: path, Err: diag.New(errNoTraces, hint, "%v", errNoTraces)})
	}
}

var errNoTraces = errors.New("the folder has no traces")

// sessions adds the traces in the folders of a folder, and reports whether there are any.
func (x *expansion) sessions(f *folder) bool {
	x.Sessions = false // their folders are not read
	defer func() { x.Sessions = true }()
	before := len(x.Inputs)
	for _, name := range f.folders {
		x.path(filepath.Join(f.path, name))
		if last := len(x.Inputs) - 1; last >= before && errors.Is(x.Inputs[last].Err, errNoTraces) {
			x.Inputs = x.Inputs[:last]
			f.skip(name, "a folder without traces")
		}
	}
	return len(x.Inputs) > before
}

// wanted returns the entries of a folder that have to be examined: if Only is set, without
// files of other stems than those of wanted files.
func (x *expansion) wanted(path string, entries []fs.DirEntry) []fs.DirEntry {
	if x.Only == nil {
		return entries
	}
	stems := map[string]bool{}
	for _, e := range entries {
		if !e.IsDir() && x.Only(filepath.Join(path, e.Name())) {
			stems[Stem(e.Name())] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e fs.DirEntry) bool {
		return !e.IsDir() && !strings.HasSuffix(e.Name(), meta.Extension) && !strings.HasSuffix(e.Name(), meta.Samples) && !stems[Stem(e.Name())]
	})
}

// others adds the files of a folder that are not among its traces.
func (x *expansion) others(path string, entries []fs.DirEntry, traces []Input) {
	found := map[string]bool{}
	for _, in := range traces {
		found[in.Path] = true
	}
	for _, e := range entries {
		if file := filepath.Join(path, e.Name()); !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !found[file] {
			x.Others = append(x.Others, file)
		}
	}
}

// folder is the content of a folder.
type folder struct {
	path    string
	folders []string
	files   []Input
	skipped []Skipped
	// descriptions are those of recordings, by the names of the files.
	descriptions map[string]*meta.Meta
	// damaged is the first description that cannot be used; nil if all can.
	damaged *Input
	// read are the descriptions and the files that they name.
	read []string
}

func (f *folder) add(e fs.DirEntry) {
	name, path := e.Name(), filepath.Join(f.path, e.Name())
	switch {
	case strings.HasPrefix(name, "."):
		return
	case e.IsDir():
		f.folders = append(f.folders, name)
		return
	case strings.HasSuffix(name, meta.Extension):
		f.describe(path)
		return
	case strings.HasSuffix(name, meta.Samples), strings.HasSuffix(name, meta.Events), name == defaultSamples:
		return
	}
	info, err := os.Stat(path) // of what a link leads to
	switch {
	case err != nil:
		f.files = append(f.files, Input{Path: path, Err: err})
	case info.IsDir():
		f.skip(name, "a link to a folder")
	case !info.Mode().IsRegular(): // opening a pipe may block
		f.skip(name, "not a file")
	case isNoTrace(path):
		f.skip(name, "")
	default:
		f.files = append(f.files, Input{Path: path, Size: info.Size(), Mode: info.Mode()})
	}
}

func (f *folder) skip(name, why string) { f.skipped = append(f.skipped, Skipped{name, why}) }

func (f *folder) describe(path string) {
	f.read = append(f.read, path)
	m, err := meta.Read(path)
	if err == nil {
		err = m.Check()
	}
	if err != nil {
		f.damaged = cmp.Or(f.damaged, &Input{Path: path, Err: &fs.PathError{Op: "read", Path: path, Err: err}})
		return
	}
	if f.descriptions == nil {
		f.descriptions = map[string]*meta.Meta{}
	}
	f.descriptions[m.Trace] = m
	f.read = append(f.read, filepath.Join(f.path, m.Trace))
}

// traces returns the traces of the folder, and skips the other files.
func (f *folder) traces() []Input {
	byStem := map[string][]string{}
	for _, in := range f.files {
		name := filepath.Base(in.Path)
		byStem[Stem(name)] = append(byStem[Stem(name)], name)
	}
	f.files = slices.DeleteFunc(f.files, func(in Input) bool {
		name := filepath.Base(in.Path)
		why := derived(name, byStem[Stem(name)])
		if why != "" {
			f.skip(name, why)
		}
		return why != ""
	})
	for _, m := range f.descriptions {
		if m.Run != nil {
			return f.runs()
		}
	}
	return f.files // a reader of the trace reports a damaged description
}

// runs returns the traces of the valid runs, in the order of their numbers. Cold ones
// count only if there are no others.
func (f *folder) runs() []Input {
	if f.damaged != nil {
		return []Input{*f.damaged} // whether that run is valid is unknown
	}
	runOf := func(in Input) *meta.Run {
		if m := f.descriptions[filepath.Base(in.Path)]; m != nil {
			return m.Run
		}
		return nil
	}
	for name := range f.descriptions {
		path := filepath.Join(f.path, name)
		if _, err := os.Lstat(path); err != nil {
			f.files = append(f.files, Input{Path: path, Err: err}) // it may have been deleted
		}
	}
	anyWarm := false // among all runs, not only those that Options.Only selects
	for _, m := range f.descriptions {
		anyWarm = anyWarm || m.Run != nil && m.Run.Problem == "" && !m.Run.Cold
	}
	var runs []Input
	for _, in := range f.files {
		switch run, name := runOf(in), filepath.Base(in.Path); {
		case run == nil:
			f.skip(name, "not one of the runs")
		case run.Problem != "":
			f.skip(name, fmt.Sprintf("run %d, invalid: %s", run.Number, run.Problem))
		case run.Cold && anyWarm:
			f.skip(name, fmt.Sprintf("run %d, cold", run.Number))
		default:
			runs = append(runs, in)
		}
	}
	slices.SortStableFunc(runs, func(a, b Input) int { return cmp.Compare(runOf(a).Number, runOf(b).Number) })
	return runs
}
