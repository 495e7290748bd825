package inputs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ohframe"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/pattern"
	"ohframe/internal/record/meta"
)

// DescriptionOf returns the name of the file that says how the named trace was recorded.
func DescriptionOf(name string) string { return Stem(name) + meta.Extension }

// defaultSamples is the file that hiperf writes unless another name is given.
const defaultSamples = "perf.data"

// SamplesOf returns the name of the recording of hiperf beside the named trace; empty if there is
// none. meta.Open opens it.
func SamplesOf(name string) string { return beside(name, meta.Samples) }

// eventsOf returns the name of the output of hisysevent beside the named trace; empty without one.
// meta.Open opens it.
func eventsOf(name string) string { return beside(name, meta.Events) }

// Beside returns the names of the files beside the named trace that belong to it.
func Beside(name string) (list []string) {
	for _, extension := range []string{meta.Extension, meta.Samples, meta.Events} {
		if file := beside(name, extension); file != "" {
			list = append(list, file)
		}
	}
	return list
}

func beside(name, extension string) string {
	if name == Standard {
		return ""
	}
	file := Stem(name) + extension
	if _, err := os.Lstat(file); err != nil || file == name {
		return ""
	}
	return file
}

// Recorded returns how the named trace was recorded: nil if no file says so. The error is
// that of a file that cannot be used. The trace is readable without it.
func Recorded(name string) (*meta.Meta, error) {
	if name == Standard {
		return nil, nil
	}
	file := beside(name, meta.Extension)
	if file == "" {
		return nil, nil
	}
	return meta.Read(file)
}

// SessionOf returns what identifies the call of "ohframe record" that recorded the named trace:
// the folder of several runs if the description does not say so. It is empty if unknown.
func SessionOf(name string, m *meta.Meta) string {
	switch {
	case m == nil:
		return ""
	case m.Session == "" && m.Run != nil:
		return filepath.Dir(name)
	}
	return m.Session
}

// ownTraceName matches the base name of a trace that an application takes of itself, without the
// extension: OpenHarmony, hiviewdfx_hitrace, interfaces/native/innerkits/src/hitrace_meter.cpp.
var ownTraceName = pattern.New(`^(.+)_\d{8}_\d{6}$`)

// UseRecorded sets the options that follow from how the named trace was recorded; m may be nil.
// It keeps a clock offset that the user has chosen.
func UseRecorded(name string, m *meta.Meta, o *ohframe.Options, clockChosen bool) {
	if own := ownTraceName().FindStringSubmatch(Stem(filepath.Base(name))); own != nil {
		o.Recording.FullNames = []string{own[1]}
	}
	if m == nil {
		return
	}
	if m.Clock == "mono" && !clockChosen {
		o.Recording.ClockOffset = new(trace.Duration)
	}
	if m.App != nil {
		o.Recording.FullNames = []string{m.App.Bundle}
	}
}

// Files are the open files beside a trace that causes of late frames need.
type Files struct {
	// Samples is the name of the recording of hiperf that is read; empty without one.
	Samples  string
	warnings []trace.Warning
	open     []io.Closer
}

// Open opens a recording of hiperf, whose name may be empty, and the output of hisysevent beside the
// named trace, and sets the options for them. One that cannot be opened is a warning.
func (f *Files) Open(name, samples string, o *ohframe.Options, open func(path string) (io.ReadCloser, error)) {
	add := func(path string) io.ReadCloser {
		if path == "" {
			return nil
		}
		r, err := open(path)
		if err != nil {
			f.Warn(Ignored(path, err))
			return nil
		}
		f.open = append(f.open, r)
		return r
	}
	if r := add(samples); r != nil {
		f.Samples, o.Samples.Input, o.Samples.Optional = samples, r, o.Samples.Offset == nil
	}
	if r := add(eventsOf(name)); r != nil {
		o.Recording.SystemEvents = r
	}
}

// Ignored returns the warning of a file beside a trace that cannot be used.
func Ignored(path string, err error) string {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Sprintf("%s ignored: %v", path, err)
}

// Warn adds a warning about the files.
func (f *Files) Warn(text string) {
	f.warnings = append(f.warnings, trace.Warning{Code: trace.WarnSkipped, Text: text})
}

// Close closes the files.
func (f *Files) Close() {
	for _, c := range f.open {
		c.Close()
	}
}

// AddTo adds the warnings about the files to those about the trace, and puts the name of the file into
// those about its samples, which otherwise say that they are about the samples in the trace.
func (f *Files) AddTo(warnings []trace.Warning) []trace.Warning {
	for i := range warnings {
		if w := &warnings[i]; f.Samples != "" {
			w.Text = strings.Replace(w.Text, diag.SamplesUnused, f.Samples+" is not used", 1)
			if rest, ok := strings.CutPrefix(w.Text, diag.OfSamples); ok {
				w.Text = f.Samples + ": " + rest
			}
		}
	}
	return append(warnings, f.warnings...)
}
