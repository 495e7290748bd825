package analyzer

import (
	"io"

	"ohframe/analyzer/hitrace"
)

// Analyze reads a whole text trace and returns its timeline. The reader tells
// afterwards what it did not understand.
func Analyze(r *hitrace.Reader, options Options) (*Timeline, error) {
	b := NewBuilder(options)
	for {
		e, err := r.ReadEvent()
		if err == io.EOF {
			return b.Timeline(), nil
		}
		if err != nil {
			return nil, err
		}
		b.Add(e)
	}
}
