package ohframe

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/result"
)

// storedAbout is what a stored trace has beside the content of package result.
type storedAbout struct {
	Result    string // result.Format
	Format    string
	Converted bool            `json:",omitempty"`
	Stacks    *why.Stacks     `json:",omitempty"`
	OfSamples int             `json:",omitempty"` // how many of the warnings are about samples: the first
	Warnings  []trace.Warning `json:",omitempty"` // those after the warnings about causes
}

// Store returns all but the samples of a trace in about a hundredth of the bytes of a text trace. Only the
// version of ohframe that wrote them reads them, with Restore. They are not compressed.
func (t *Trace) Store() []byte {
	about := storedAbout{result.Format(), t.Format, t.Converted, t.Stacks, t.ofSamples, t.Warnings[min(len(t.Warnings), len(t.skipped)+len(causetext.Warnings(t.Causes))):]}
	head, err := json.Marshal(about)
	if err != nil {
		panic(err) // texts and numbers
	}
	r := result.Stored{Timeline: t.Timeline, Causes: t.Causes, Lines: t.totals, Warnings: t.skipped}
	return r.Append(append(binary.AppendUvarint(nil, uint64(len(head))), head...))
}

// Restore returns the trace that Store has stored. Of the options it uses Causes, without which those that
// are stored are left out, Measures, and Limits. The error is an *Error: of another version, a limit, or damage.
func Restore(stored []byte, o Options) (*Trace, error) {
	length, n := binary.Uvarint(stored)
	if n <= 0 || length > uint64(len(stored)-n) {
		return nil, &Error{What: errStored.Error(), Err: errStored}
	}
	var about storedAbout
	if err := json.Unmarshal(stored[n:][:length], &about); err != nil {
		return nil, &Error{What: errStored.Error(), Err: errStored}
	}
	if about.Result != result.Format() {
		return nil, &Error{What: ErrStoredVersion.Error(), Err: ErrStoredVersion}
	}
	r, err := result.Read(bytes.NewReader(stored[n:][length:]), o.Limits)
	if err != nil {
		return nil, asError(err)
	}
	if !o.Causes {
		r.Causes, about.Stacks = nil, nil
		about.Warnings = about.Warnings[min(about.OfSamples, len(about.Warnings)):]
	}
	t := newTrace(r.Timeline, r.Causes, r.Lines, r.Warnings)
	t.Format, t.Converted, t.Stacks, t.asked = about.Format, about.Converted, about.Stacks, o.Causes
	t.Warnings = append(t.Warnings, about.Warnings...)
	return t, t.keepMeasures(o.Measures)
}

var errStored = errors.New("the stored trace is damaged")
