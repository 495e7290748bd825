package sampling

import (
	"fmt"
	"io"
	"slices"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/perfdata"
)

// Read reads all samples of a recording, at most Limits.Samples. Their times are those of the
// profile's clock. The error is that of package perfdata.
func Read(r io.ReaderAt, size int64, o perfdata.Options) (*sample.Recording, error) {
	in, err := perfdata.Open(r, size, o)
	if err != nil {
		return nil, err
	}
	return all(in, o.Limits)
}

// ReadScripts is Read for profiles of ArkTS.
func ReadScripts(r io.ReaderAt, s perfdata.Scripts, o perfdata.Options) (*sample.Recording, error) {
	in, err := perfdata.OpenScripts(r, s, o)
	if err != nil {
		return nil, err
	}
	return all(in, o.Limits)
}

func all(in *perfdata.Reader, l trace.Limits) (*sample.Recording, error) {
	var err error
	rec, limit, over := &sample.Recording{}, l.WithDefaults().Samples, 0
	var s sample.Sample // one for all: it is on the heap
	for {
		if err = in.Next(&s); err != nil {
			break
		}
		if len(rec.Samples) == limit {
			over++
			continue
		}
		if n := len(rec.Samples); n == cap(rec.Samples) { // append grows large slices by a quarter
			rec.Samples = slices.Grow(rec.Samples, min(max(n, 1024), limit-n))
		}
		rec.Samples = append(rec.Samples, s)
	}
	if err != io.EOF {
		return nil, err
	}
	rec.Profile, rec.Warnings = in.Profile(), in.Warnings()
	if over > 0 {
		rec.Warnings = append(rec.Warnings, trace.Warning{
			Code: trace.WarnOverLimit, Count: over, Text: fmt.Sprintf("%s beyond the limit (limit: samples); skipped", diag.Count(over, "sample")),
		})
	}
	sortByTime(rec.Samples)
	return rec, nil
}
