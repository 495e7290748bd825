package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/term"

	"ohframe/internal/atomicfile"
	"ohframe/internal/brief"
	"ohframe/internal/flags"
	"ohframe/internal/text"
)

// standardOutput is os.Stdout, and keeps the first error for run to report: the
// library ignores errors when it prints help. Work that await has abandoned may
// still write, so access is atomic.
type standardOutput struct{ failure atomic.Pointer[error] }

func (s *standardOutput) Write(b []byte) (n int, err error) {
	if err := s.err(); err != nil {
		return 0, err
	}
	if n, err = os.Stdout.Write(b); err != nil {
		s.failure.Store(&err)
	}
	return n, err
}

// err returns the first error, or nil.
func (s *standardOutput) err() error {
	if err := s.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// output is the destination of a command: a file that appears completely or not at
// all, or a stream, such as standard output or a pipe. Writes to a stream are
// buffered, so that nothing is written if the input turns out not to be a trace.
type output struct {
	io.Writer
	buffer *bufio.Writer
	zip    *gzip.Writer     // nil unless the name ends in .gz
	file   *atomicfile.File // nil for a stream
	stream *os.File         // nil for a file and for standard output
	name   string           // of a file
	inputs *openedFiles     // of the command
}

// createOutput opens the named output. It fails if that is one of the files that the
// command reads or a terminal.
func createOutput(c *call, name string) (*output, error) {
	inputs := c.used
	if name == standard {
		if err := checkStream(os.Stdout, name, inputs); err != nil {
			return nil, err
		}
		return newOutput(c.App.Writer, name), nil
	}
	mode, replaces := inputs.mode, false
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fileError(name, err)
	case info.IsDir():
		return nil, &failure{file: name, what: "is a directory", hint: "-o FILE names a file"}
	case !info.Mode().IsRegular(): // a device or a pipe is not replaced
		return openStream(c.Context, name, inputs)
	case inputs.contains(info):
		return nil, sameFileError(name)
	default:
		mode, replaces = info.Mode().Perm(), true
	}
	path, err := linkTarget(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	f, err := atomicfile.Create(path, mode)
	if err != nil {
		folder := filepath.Dir(path)
		// In a folder of the kernel, creating a file fails with the same error.
		if _, missing := os.Stat(folder); errors.Is(missing, fs.ErrNotExist) {
			err = fmt.Errorf("the folder %s does not exist", folder)
		}
		return nil, fileError(name, err)
	}
	o := newOutput(f, name)
	o.file, o.name, o.inputs = f, name, inputs
	if replaces { // the umask does not apply to the file that is there
		if err := f.Chmod(mode); err != nil {
			o.discard()
			return nil, fileError(name, err)
		}
	}
	return o, nil
}

// linkTarget returns the path of the file that a name stands for if it is a link. The file
// need not exist.
func linkTarget(name string) (string, error) {
	const most = 40 // as in Linux
	for range most {
		info, err := os.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return name, nil // creating the file reports the error
		}
		target, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) { // filepath.Join would remove a link before ".."
			target = filepath.Dir(name) + string(filepath.Separator) + target
		}
		name = target
	}
	return "", errors.New("too many links")
}

// newOutput returns an output that writes to w, compressed if the name ends in .gz.
func newOutput(w io.Writer, name string) *output {
	o := &output{buffer: bufio.NewWriterSize(w, 64<<10)}
	o.Writer = o.buffer
	if strings.HasSuffix(name, ".gz") {
		o.zip = gzip.NewWriter(o.buffer)
		o.Writer = o.zip
	}
	return o
}

// openStream opens a device or a pipe as an output.
func openStream(ctx context.Context, name string, inputs *openedFiles) (*output, error) {
	// Opening a pipe blocks until its other end is opened.
	f, err := await(ctx, func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) })
	if err != nil {
		return nil, fileError(name, err)
	}
	if err := checkStream(f, name, inputs); err != nil {
		f.Close()
		return nil, err
	}
	o := newOutput(f, name)
	o.stream = f
	return o, nil
}

// outputName returns the name of an output in messages.
func outputName(name string) string {
	if name == standard {
		return "standard output"
	}
	return name
}

// checkStream refuses a terminal, where binary output is useless, and a stream that
// appends to an input.
func checkStream(f *os.File, name string, inputs *openedFiles) error {
	if term.IsTerminal(int(f.Fd())) {
		return &failure{file: outputName(name), what: "is a terminal", hint: "-o FILE writes to a file"}
	}
	return checkAppends(f, name, inputs)
}

// checkAppends refuses a stream that appends to an input: reading would never end.
func checkAppends(f *os.File, name string, inputs *openedFiles) error {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && inputs.contains(info) {
		return sameFileError(name)
	}
	return nil
}

func sameFileError(name string) error {
	return &failure{file: outputName(name), what: "input and output are the same file", hint: "-o FILE names another output"}
}

// flush writes buffered data, of a file to the disk.
func (o *output) flush() error {
	if o.zip != nil {
		if err := o.zip.Close(); err != nil {
			return err
		}
	}
	if err := o.buffer.Flush(); err != nil || o.file == nil {
		return err
	}
	return o.file.Sync()
}

// commit closes the output, which must be flushed, and gives a file its name.
func (o *output) commit() error {
	switch {
	case o.file != nil:
		// The command may have opened the file that this one replaces only now.
		if info, err := os.Stat(o.name); err == nil && o.inputs.contains(info) {
			return sameFileError(o.name)
		}
		return o.file.Commit()
	case o.stream != nil:
		return o.stream.Close()
	}
	return nil
}

// discard closes the output and removes the temporary file. After commit it does
// nothing.
func (o *output) discard() {
	switch {
	case o.file != nil:
		o.file.Discard()
	case o.stream != nil:
		o.stream.Close()
	}
}

// formats returns the flag that selects one of the formats, by default the first.
func formats(list []string) formatFlag { return formatFlag{flags.ChoiceOf(list...)} }

// formatExtensions are the extensions of output files that select a format.
var formatExtensions = map[string]string{
	".json": "json", ".csv": "csv", ".html": "html", ".htm": "html", ".parquet": "parquet", ".md": "markdown", ".xml": "junit",
}

// textExtension is that of files in the default format, which is for people. Files without
// an extension have that, too.
const textExtension = ".txt"

// formatOption returns the format that --format sets, or else the one that the extension of
// the output file selects. It is an error if they differ, or if the extension is unknown and
// --format is not set.
func formatOption(c *call) (string, error) {
	formats := c.Format.Of
	isSet := c.IsSet("format")
	format, name := c.Format.Value, c.Output
	extension := strings.ToLower(filepath.Ext(strings.TrimSuffix(name, ".gz")))
	byName, known := formatExtensions[extension]
	switch {
	case known && byName == "parquet" && strings.HasSuffix(name, ".gz"):
		return "", &failure{file: name, what: "Parquet files are compressed already, and readers expect them without gzip", hint: "use the extension .parquet"}
	case isSet && known && byName != format && !(format == brief.Format && byName == "json"):
		return "", &failure{file: name, what: fmt.Sprintf("the extension contradicts --format %s", format), hint: "leave out --format, or use another extension"}
	case isSet || extension == "" || extension == textExtension:
		return format, nil
	case slices.Contains(formats, byName):
		return byName, nil
	}
	extensions := []string{textExtension}
	for e, format := range formatExtensions {
		if slices.Contains(formats, format) {
			extensions = append(extensions, e)
		}
	}
	slices.Sort(extensions)
	return "", &failure{
		file: name, what: fmt.Sprintf("%s has no format for %s files", c.Command.Name, extension),
		hint: fmt.Sprintf("use one of %s, or set --format %s", strings.Join(extensions, ", "), strings.Join(formats, "|")),
	}
}

// writeOutput opens the file that --output names, or standard output, and calls
// write with it and the style of text on it.
func writeOutput(c *call, write func(out io.Writer, style text.Style) error) error {
	return writeOutputTo(c, c.Output, write)
}

// writeOutputTo is writeOutput to the named file; empty is standard output.
func writeOutputTo(c *call, name string, write func(out io.Writer, style text.Style) error) error {
	if name == "" || name == standard {
		if err := checkAppends(os.Stdout, standard, c.used); err != nil {
			return err
		}
		return writeTo(c.Context, newOutput(c.App.Writer, standard), standard, func(out io.Writer) error {
			return write(out, styleOf(os.Stdout))
		})
	}
	out, err := createOutput(c, name)
	if err != nil {
		return err
	}
	return writeTo(c.Context, out, name, func(out io.Writer) error { return write(out, styleOf(nil)) })
}

// writeTo calls write with the output and commits it. name is for messages.
func writeTo(ctx context.Context, out *output, name string, write func(out io.Writer) error) error {
	defer out.discard()
	err := awaitError(ctx, func() error {
		if err := write(out); err != nil {
			return err
		}
		return out.flush()
	})
	if err == nil {
		err = out.commit()
	}
	return fileError(outputName(name), err)
}
