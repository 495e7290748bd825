package main

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/klauspost/compress/gzip"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

// output is where a command writes: a file that appears whole or not at all, or
// a stream, such as standard output or a pipe. A stream gets nothing before a
// buffer is full, and so stays empty where the input turns out to be no trace.
type output struct {
	io.Writer
	buffer *bufio.Writer
	zip    *gzip.Writer // nil unless the name ends in .gz
	file   *os.File
	path   string // of the file; empty for a stream
}

// createOutput opens the named output, which must be none of the inputs; binary
// output is not written to a terminal.
func createOutput(name string, inputs []string) (*output, error) {
	if name == standard {
		return streamOutput(os.Stdout, name, inputs)
	}
	path := name
	if info, err := os.Stat(name); err == nil {
		switch {
		case info.IsDir():
			return nil, &failure{file: name, what: "is a directory", hint: "-o FILE names a file"}
		case !info.Mode().IsRegular(): // a device or a pipe cannot be replaced
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return nil, fileError(name, err)
			}
			return streamOutput(f, name, inputs)
		case isInput(info, inputs):
			return nil, sameFileError(name)
		}
		// A link stays: what it leads to is replaced.
		if path, err = filepath.EvalSymlinks(name); err != nil {
			return nil, fileError(name, err)
		}
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fileError(name, err)
	}
	go removeOn(interrupts, f.Name())
	return newOutput(f, name, path), nil
}

// newOutput returns the output with the given name that goes to f. Its bytes are
// compressed if the name says so.
func newOutput(f *os.File, name, path string) *output {
	o := &output{buffer: bufio.NewWriterSize(f, 64<<10), file: f, path: path}
	o.Writer = o.buffer
	if strings.HasSuffix(name, ".gz") {
		o.zip = gzip.NewWriter(o.buffer)
		o.Writer = o.zip
	}
	return o
}

func streamOutput(f *os.File, name string, inputs []string) (*output, error) {
	if term.IsTerminal(int(f.Fd())) {
		return nil, &failure{file: outputName(name), what: "is a terminal", hint: "-o FILE writes to a file"}
	}
	if err := checkStream(f, name, inputs); err != nil {
		return nil, err
	}
	return newOutput(f, name, ""), nil
}

// outputName is how the output is called in messages.
func outputName(name string) string {
	if name == standard {
		return "standard output"
	}
	return name
}

// checkStream refuses a stream that appends to an input: reading it would never end.
func checkStream(f *os.File, name string, inputs []string) error {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && isInput(info, inputs) {
		return sameFileError(name)
	}
	return nil
}

func isInput(info fs.FileInfo, inputs []string) bool {
	return slices.ContainsFunc(inputs, func(name string) bool {
		stat := os.Stdin.Stat
		if name != standard {
			stat = func() (fs.FileInfo, error) { return os.Stat(name) }
		}
		in, err := stat()
		return err == nil && os.SameFile(info, in)
	})
}

func sameFileError(name string) error {
	return &failure{file: outputName(name), what: "input and output are the same file", hint: "-o FILE names another output"}
}

// removeOn keeps an interrupt from leaving a temporary file behind.
func removeOn(interrupts <-chan os.Signal, temporary string) {
	s := <-interrupts
	os.Remove(temporary)
	printError(&failure{what: s.String()})
	os.Exit(1)
}

// commit makes the output appear under its name.
func (o *output) commit() error {
	if o.zip != nil {
		if err := o.zip.Close(); err != nil {
			return err
		}
	}
	if err := o.buffer.Flush(); err != nil {
		return err
	}
	if o.path == "" {
		return nil
	}
	// Temporary files are private; the output is as any new file.
	if err := o.file.Chmod(0o666 &^ umask()); err != nil {
		return err
	}
	if err := o.file.Close(); err != nil {
		return err
	}
	return os.Rename(o.file.Name(), o.path)
}

// discard removes what was not committed.
func (o *output) discard() {
	if o.path != "" {
		o.file.Close()
		os.Remove(o.file.Name())
	}
}

// writeOutput writes what a command found to the file that --output names, else
// to standard output. It tells write whether that is a terminal.
func writeOutput(c *cli.Context, write func(out *bufio.Writer, terminal bool) error) error {
	name := c.String("output")
	inputs := c.Args().Slice()
	if name == "" || name == standard {
		if err := checkStream(os.Stdout, standard, inputs); err != nil {
			return err
		}
		out := bufio.NewWriter(os.Stdout)
		if err := write(out, term.IsTerminal(int(os.Stdout.Fd()))); err != nil {
			return fileError(outputName(standard), err)
		}
		return fileError(outputName(standard), out.Flush())
	}
	file, err := createOutput(name, inputs)
	if err != nil {
		return err
	}
	defer file.discard()
	out := bufio.NewWriter(file)
	if err := write(out, false); err != nil {
		return fileError(name, err)
	}
	if err := out.Flush(); err != nil {
		return fileError(name, err)
	}
	return fileError(name, file.commit())
}
