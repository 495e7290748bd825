package fleet

import (
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Keys of the metadata of a part.
const (
	keySchema     = "ohframe.fleet.schema"
	keyVersion    = "ohframe.version"
	keyOptions    = "ohframe.fleet.options"    // hash of the options that decide the rows
	keyInputs     = "ohframe.fleet.inputs"     // hash of the names and sizes of the shard's traces
	keyShard      = "ohframe.fleet.shard"      // "K of N"
	keyTraces     = "ohframe.fleet.traces"     // number of the shard's traces, failures included
	keyRepeat     = "ohframe.fleet.repeat"     // "true" if another attempt may give other rows
	keyUnreliable = "ohframe.fleet.unreliable" // number of the shard's traces with unreliable data
)

// schemaVersion changes if columns change their meaning.
const schemaVersion = "2"

// rowsPerGroup bounds the memory of readers: a row of traces has some hundred numbers.
const rowsPerGroup = 1 << 13

// builtIn are the names of the columns that are not dimensions, in the order of the
// dataset; the dimensions are between them, after trace_xxh3.
var builtIn = func() (names []string) {
	for _, f := range append(headFields(), tailFields()...) {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		names = append(names, name)
	}
	return append(names, "reason", "message")
}()

func field(tag string, value any) reflect.StructField {
	return reflect.StructField{Type: reflect.TypeOf(value), Tag: reflect.StructTag(`parquet:"` + tag + `"`)}
}

func headFields() []reflect.StructField {
	return []reflect.StructField{field("trace", ""), field("trace_xxh3", "")}
}

func tailFields() []reflect.StructField {
	fields := []reflect.StructField{
		field("format,dict", ""), field("kind,dict", ""), field("process,dict", ""), field("pid", int32(0)), field("size", int64(0)),
		field("recorded,optional,timestamp(microsecond)", int64(0)),
	}
	for _, c := range sums {
		fields = append(fields, field(c.name, int64(0)))
	}
	for _, c := range peaks {
		fields = append(fields, field(c.name, int64(0)))
	}
	for _, name := range histogramNames {
		fields = append(fields, field(name+"_bucket,list", []int32{}), field(name+"_count,list", []int64{}))
	}
	return append(fields,
		reflect.StructField{Type: reflect.TypeFor[[]string](), Tag: `parquet:"cause,list" parquet-element:",dict"`},
		field("cause_frames,list", []int64{}), field("cause_lost_ns,list", []int64{}),
		field("worst_vsync_id,list", []int64{}), field("worst_start_ns,list", []int64{}), field("worst_overrun_ns,list", []int64{}))
}

func dimFields(dims []string) (fields []reflect.StructField) {
	for _, name := range dims {
		fields = append(fields, field(name+",optional,dict", ""))
	}
	return fields
}

// newSchema returns a schema with the columns in the order of the fields.
func newSchema(name string, parts ...[]reflect.StructField) *parquet.Schema {
	var fields []reflect.StructField
	for _, part := range parts {
		fields = append(fields, part...)
	}
	for i := range fields {
		fields[i].Name = "F" + strconv.Itoa(i)
	}
	return parquet.NewSchema(name, parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
}

func traceSchema(dims []string) *parquet.Schema {
	return newSchema("traces", headFields(), dimFields(dims), tailFields())
}

func failureSchema(dims []string) *parquet.Schema {
	return newSchema("failures", []reflect.StructField{field("trace", "")}, dimFields(dims),
		[]reflect.StructField{field("size", int64(0)), field("reason,dict", ""), field("message", "")})
}

// values builds a row of a file, column by column.
type values struct {
	row    parquet.Row
	column int
}

func (v *values) add(value parquet.Value, repetition, definition int) {
	v.row = append(v.row, value.Level(repetition, definition, v.column))
}

func (v *values) text(s string) {
	v.add(textValue(s), 0, 0)
	v.column++
}

// textValue returns a string as the value of a column, which must be UTF-8.
func textValue(s string) parquet.Value {
	return parquet.ByteArrayValue([]byte(strings.ToValidUTF8(s, "\uFFFD")))
}

func (v *values) number(n int64) {
	v.add(parquet.Int64Value(n), 0, 0)
	v.column++
}

func (v *values) optional(value parquet.Value, known bool) {
	if known {
		v.add(value, 0, 1)
	} else {
		v.add(parquet.NullValue(), 0, 0)
	}
	v.column++
}

func (v *values) dims(dims []*string) {
	for _, d := range dims {
		if d == nil {
			v.optional(parquet.Value{}, false)
		} else {
			v.optional(textValue(*d), true)
		}
	}
}

// list adds a list of n values.
func (v *values) list(n int, value func(i int) parquet.Value) {
	if n == 0 {
		v.add(parquet.NullValue(), 0, 0)
	}
	for i := range n {
		v.add(value(i), min(i, 1), 1)
	}
	v.column++
}

func (v *values) addRow(r *Row) {
	v.row, v.column = v.row[:0], 0
	v.text(r.Trace)
	v.text(r.Hash)
	v.dims(r.Dims)
	v.text(r.Format)
	v.text(string(r.Kind))
	v.text(r.Process)
	v.add(parquet.Int32Value(int32(r.PID)), 0, 0)
	v.column++
	v.number(r.Size)
	if r.Recorded == nil {
		v.optional(parquet.Value{}, false)
	} else {
		v.optional(parquet.Int64Value(*r.Recorded), true)
	}
	for _, n := range r.Sums {
		v.number(n)
	}
	for _, n := range r.Peaks {
		v.number(n)
	}
	for _, h := range r.Histograms {
		v.list(len(h), func(i int) parquet.Value { return parquet.Int32Value(int32(h[i].Bucket)) })
		v.list(len(h), func(i int) parquet.Value { return parquet.Int64Value(h[i].N) })
	}
	v.list(len(r.Causes), func(i int) parquet.Value { return textValue(r.Causes[i].Name) })
	v.list(len(r.Causes), func(i int) parquet.Value { return parquet.Int64Value(r.Causes[i].Frames) })
	v.list(len(r.Causes), func(i int) parquet.Value { return parquet.Int64Value(int64(r.Causes[i].Lost)) })
	v.list(len(r.Worst), func(i int) parquet.Value { return parquet.Int64Value(r.Worst[i].VsyncID) })
	v.list(len(r.Worst), func(i int) parquet.Value { return parquet.Int64Value(int64(r.Worst[i].Start)) })
	v.list(len(r.Worst), func(i int) parquet.Value { return parquet.Int64Value(int64(r.Worst[i].Overrun)) })
}

func (v *values) addFailure(f *Failure) {
	v.row, v.column = v.row[:0], 0
	v.text(f.Trace)
	v.dims(f.Dims)
	v.number(f.Size)
	v.text(string(f.Reason))
	v.text(f.Message)
}

// newWriter returns a writer of a file with the given columns.
func newWriter(w io.Writer, schema *parquet.Schema) *parquet.GenericWriter[any] {
	return parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsPerGroup),
		// The library's default has its version, which would change the bytes.
		parquet.CreatedBy("ohframe", schemaVersion, ""))
}
