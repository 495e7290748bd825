//go:build !js

package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/record/meta"
)

func newStoredRow(s source, in Input, t *ohframe.Trace) *storedRow {
	r := &storedRow{Trace: s.name, Dims: s.dims, Recorded: cmp.Or(recorded(t.Timeline), s.recorded), Unreliable: t.Quality.Verdict == stats.Unreliable, Result: t.Store()}
	r.damaged = slices.ContainsFunc(t.Warnings, func(w trace.Warning) bool { return w.Code == trace.WarnDamaged })
	if in.Recording != nil {
		text, _ := json.Marshal(in.Recording) // it has texts, numbers and times
		r.Recording = new(string(text))
	}
	return r
}

// storedOptions are those of the table. A result has a page of its own, so that it is read without the others,
// and no statistics, which would repeat it.
var storedOptions = []parquet.WriterOption{
	parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.PageBufferSize(16 << 10),
	parquet.SkipPageBounds("result"), parquet.SkipPageStatistics("result"),
}

// groupBytes is the size of the results of a group of rows, which the writer keeps in memory.
const groupBytes = 16 << 20

func (w *shardWriter) writeStored(r *storedRow) error {
	if err := w.put(resultsFolder, r.cells(w.plan.Dims, true)); err != nil {
		return err
	}
	if w.pending += len(r.Result); w.pending < groupBytes {
		return nil
	}
	w.pending = 0
	return w.writers[resultsFolder].Flush()
}

// List lists the traces of a dataset, in the order of their names within each shard.
func (d *Dataset) List(ctx context.Context) (list []*Stored, err error) {
	for _, name := range d.results {
		f, err := d.open(ctx, name)
		if err != nil {
			return nil, err
		}
		var r storedRow
		row := int64(0)
		err = f.read(newRecord("results", r.cells(d.Dims, false)), func() {
			s := &Stored{Dataset: d, Name: r.Trace, Values: Values{}, Unreliable: r.Unreliable, part: name, row: row}
			for i, value := range r.Dims {
				if value != nil {
					s.Values[d.Dims[i]] = *value
				}
			}
			if r.Recorded != nil {
				s.Values[recordedDay] = day(*r.Recorded)
				s.Recorded = new(*r.Recorded)
			}
			if r.Recording != nil {
				s.Meta = &meta.Meta{}
				if err := json.Unmarshal([]byte(*r.Recording), s.Meta); err != nil {
					panic(err) // which read makes an error
				}
			}
			list = append(list, s)
			row++
		})
		f.close()
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ReadStored yields the traces of a list in its order, as ohframe.Read returns them. Several are decoded at once, and no
// more are in memory. An error is that of the context or of the dataset, or ohframe.ErrLimit of a trace.
func ReadStored(ctx context.Context, list []*Stored, o ohframe.Options) iter.Seq2[*ohframe.Trace, error] {
	type outcome struct {
		trace *ohframe.Trace
		err   error
	}
	return func(yield func(*ohframe.Trace, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		outcomes := make(chan chan outcome, runtime.GOMAXPROCS(0))
		go func() {
			defer close(outcomes)
			var reader storedReader
			defer reader.close()
			for _, s := range list {
				to := make(chan outcome, 1)
				select {
				case outcomes <- to:
				case <-ctx.Done():
					return
				}
				b, err := reader.read(ctx, s)
				if err != nil {
					to <- outcome{err: err}
					continue
				}
				go func() {
					t, err := s.restore(b, o)
					to <- outcome{t, err}
				}()
			}
		}()
		for range list {
			var o outcome
			select {
			case to, ok := <-outcomes:
				if ok {
					o = <-to
				}
			case <-ctx.Done():
			}
			if err := context.Cause(ctx); err != nil {
				o = outcome{err: err}
			}
			if !yield(o.trace, o.err) {
				return
			}
		}
	}
}

// restore decodes what the dataset has of a trace.
func (s *Stored) restore(b []byte, o ohframe.Options) (*ohframe.Trace, error) {
	t, err := ohframe.Restore(b, o)
	switch {
	case err == nil || errors.Is(err, ohframe.ErrLimit):
		return t, err
	case errors.Is(err, ohframe.ErrStoredVersion):
		err = fmt.Errorf("version %s has stored the results, which only it reads", s.Dataset.Version)
	}
	return nil, damagedPart(s.part, err)
}

// storedReader reads what parts have of traces. It keeps one part open.
type storedReader struct {
	name   string // of the part
	f      *partFile
	reader parquet.Rows
	record *record
	row    storedRow
	next   int64 // the row that reader is at
}

func (r *storedReader) close() {
	if r.f != nil {
		r.reader.Close()
		r.f.close()
		r.f, r.name = nil, ""
	}
}

func (r *storedReader) read(ctx context.Context, s *Stored) (b []byte, err error) {
	defer func() {
		if value := recover(); value != nil { // the library's on some damaged files
			err = fmt.Errorf("damaged: %v", value)
		}
		if err != nil {
			r.close()
			err = damagedPart(s.part, err)
		}
	}()
	if r.name != s.part {
		r.close()
		f, err := s.Dataset.open(ctx, s.part, parquet.SkipPageIndex(false))
		if err != nil {
			return nil, err
		}
		r.record = newRecord("results", []cell{{"result", &r.row.Result}})
		r.f, r.name, r.next, r.reader = f, s.part, 0, parquet.NewReader(f.File, r.record.schema)
	}
	if r.next != s.row {
		if err := r.reader.SeekToRow(s.row); err != nil {
			return nil, err
		}
	}
	var rows [1]parquet.Row
	if n, err := r.reader.ReadRows(rows[:]); n == 0 {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	r.next = s.row + 1
	if err := r.record.load(rows[0]); err != nil {
		return nil, err
	}
	return slices.Clone(r.row.Result), nil
}
