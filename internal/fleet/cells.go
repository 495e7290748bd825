package fleet

import (
	"reflect"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/frametable"
)

// cell is a column of a file: its tag for package parquet, which begins with its name, and a
// pointer to the variable that its values are written from and read to.
type cell struct {
	tag string
	to  any
}

func (c *cell) name() string {
	name, _, _ := strings.Cut(c.tag, ",")
	return name
}

// wanted are the columns of a table that are read or written, besides those that identify a
// row and what it counts.
type wanted struct {
	table      table
	dims       []string
	sums       bool
	histograms int  // how many of the first
	details    bool // causes and worst frames
	examples   bool // of causes; hangs
}

// everything is all columns of a table.
func everything(t table, dims []string) wanted {
	_, histograms := t.histograms()
	return wanted{t, dims, true, histograms, true, true}
}

// ofCauses is the columns of a table that a ranking needs.
func ofCauses(t table, dims []string) wanted {
	return wanted{table: t, dims: dims, details: true, examples: true}
}

// cells returns the columns of a table in the order of the file.
func (r *Row) cells(w wanted) []cell {
	var list []cell
	add := func(tag string, to any) { list = append(list, cell{tag, to}) }
	add("trace", &r.Trace)
	list = append(list, dimCells(w.dims, &r.Dims)...)
	add("format,dict", &r.Format)
	add("kind,dict", &r.Kind)
	add("process,dict", &r.Process)
	add("pid", &r.PID)
	if w.table == ofLayers {
		add("layer,dict", &r.Layer)
		add("layer_name,dict", &r.LayerName)
		add("queue_id", &r.QueueID)
		add("cadence_ns", &r.Cadence)
	}
	if w.table == ofInteractions {
		add("interaction", &r.Interaction)
		add("scene,dict", &r.Scene)
		add("page,dict", &r.Page)
		add("input,dict", &r.Input)
		add("response_ns", &r.Response)
		add("completion_ns", &r.Completion)
	}
	add("recorded,timestamp(microsecond)", &r.Recorded)
	counts := w.table.counts()
	for i, c := range columns {
		if c.tables[w.table] != nil && (w.sums || i == counts || w.histograms > 0 && c.Name == "duration_max_ns") {
			add(c.Name, &r.Numbers[i])
		}
	}
	if w.histograms > 0 && w.table != ofLayers {
		add("duration_min_ns", &r.Shortest)
	}
	first, _ := w.table.histograms()
	for i := first; i < first+w.histograms; i++ {
		add(stats.Distributions[i]+"_bucket,list", &r.Histograms[i].Buckets)
		add(stats.Distributions[i]+"_count,list", &r.Histograms[i].Counts)
	}
	if w.details && w.table != ofLayers {
		add("cause,list", &r.Causes.Names)
		add("cause_frames,list", &r.Causes.Frames)
		add("cause_lost_ns,list", &r.Causes.Lost)
		if w.examples {
			add("cause_vsync_id,list", &r.Causes.VsyncIDs)
			add("cause_start_ns,list", &r.Causes.Starts)
			add("cause_overrun_ns,list", &r.Causes.Overruns)
		}
		if w.examples && w.table == ofFrames {
			add("hang_cause,list", &r.Hangs.Names)
			add("hang_count,list", &r.Hangs.Frames)
			add("hang_ns,list", &r.Hangs.Lost)
			add("hang_longest_ns,list", &r.Hangs.Overruns)
			add("hang_start_ns,list", &r.Hangs.Starts)
		}
		add("worst_vsync_id,list", &r.Worst.VsyncIDs)
		add("worst_start_ns,list", &r.Worst.Starts)
		add("worst_overrun_ns,list", &r.Worst.Overruns)
	}
	return list
}

func (f *Failure) cells(dims []string) []cell {
	list := append([]cell{{"trace", &f.Trace}}, dimCells(dims, &f.Dims)...)
	return append(list, cell{"size", &f.Size}, cell{"reason,dict", &f.Reason}, cell{"message", &f.Message})
}

// frameRow is a frame of a trace: what ohframe frames has of it, the trace and its dimensions.
type frameRow struct {
	frametable.Row
	Trace string
	Dims  []*string
}

func (f *frameRow) cells(dims []string) []cell {
	var list []cell
	row := reflect.ValueOf(&f.Row).Elem()
	for _, field := range reflect.VisibleFields(row.Type()) {
		// In a dataset, trace says what input does.
		if c := (cell{tag: field.Tag.Get("parquet")}); field.IsExported() && c.name() != "input" {
			c.to = row.FieldByIndex(field.Index).Addr().Interface()
			list = append(list, c)
		}
	}
	list = append(list, cell{"trace", &f.Trace})
	return append(list, dimCells(dims, &f.Dims)...)
}

// dimCells returns the columns of dimensions. If values has another length, it is replaced by unknown ones.
func dimCells(names []string, values *[]*string) (list []cell) {
	if len(*values) != len(names) {
		*values = make([]*string, len(names))
	}
	for i, name := range names {
		list = append(list, cell{name + ",dict", &(*values)[i]})
	}
	return list
}

func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// storedRow is what the dataset has of a trace for commands that would otherwise read it.
type storedRow struct {
	Trace     string
	Dims      []*string
	Recorded  *int64  // as of Row
	Recording *string // meta.Meta as JSON; nil if it is unknown how the trace was recorded
	// Unreliable: its data is unreliable, see package quality.
	Unreliable bool
	Result     []byte // ohframe.Trace.Store
	damaged    bool   // parts of it cannot be read
}

// cells returns the columns, without the result unless it is wanted.
func (r *storedRow) cells(dims []string, result bool) []cell {
	list := append([]cell{{"trace", &r.Trace}}, dimCells(dims, &r.Dims)...)
	list = append(list, cell{"recorded,timestamp(microsecond)", &r.Recorded}, cell{"recording,dict", &r.Recording}, cell{"unreliable", &r.Unreliable})
	if result {
		list = append(list, cell{"result", &r.Result})
	}
	return list
}

// Keys of the metadata of a part.
const (
	keySchema     = "ohframe.fleet.schema"
	keyVersion    = "ohframe.version"
	keyOptions    = "ohframe.fleet.options"    // hash of the options that decide the rows
	keyInputs     = "ohframe.fleet.inputs"     // hash of the names and sizes of the shard's traces
	keyShard      = "ohframe.fleet.shard"      // "K of N"
	keyTraces     = "ohframe.fleet.traces"     // number of the shard's traces, failures included
	keyRepeat     = "ohframe.fleet.repeat"     // "true" if another attempt may give other rows
	keyCauses     = "ohframe.fleet.causes"     // whether causes were looked for
	keyDamaged    = "ohframe.fleet.damaged"    // number of damaged traces in the shard
	keyUnreliable = "ohframe.fleet.unreliable" // number of the shard's traces with unreliable data
)

// schemaVersion changes if columns change their meaning.
const schemaVersion = "10"

// rowsPerGroup bounds the memory of readers: a row of traces has some hundred numbers.
const rowsPerGroup = 1 << 13

// builtIn are the names of the columns that are not dimensions.
var builtIn = func() (names []string) {
	add := func(list []cell) {
		for _, c := range list {
			if !slices.Contains(names, c.name()) {
				names = append(names, c.name())
			}
		}
	}
	for t := range tables {
		add(new(Row).cells(everything(t, nil)))
	}
	add(new(Failure).cells(nil))
	add(new(EventRow).cells(nil))
	add(new(storedRow).cells(nil, true))
	return names
}()
