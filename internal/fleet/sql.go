package fleet

import (
	_ "embed"
	"fmt"
	"math"
	"reflect"
	"strings"

	"ohframe/internal/diag"
	"ohframe/internal/pattern"
)

//go:embed views.sql
var viewsSQL string

// engine is what differs between the databases that have views.
type engine struct {
	title, view string // the name, and what begins the statement of a view
	types       map[reflect.Kind]string
	list, null  string // formats of the type of a list, and of one that has null
	// files are formats of a view of files: a column by name and type, a time in UTC by its name, and all of it
	// by what begins the statement, its name, the columns and the pattern of the files.
	column, time, files string
	// each are formats of a row for each element of lists: a list with the name of its elements, and all of it
	// by the names, the pairs and the lists.
	pair, each string
}

// Engines are the engines that Dataset.SQL has views for.
var Engines = []string{"duckdb", "clickhouse", "spark"}

var engines = map[string]engine{
	"duckdb": {
		title: "DuckDB", view: "CREATE OR REPLACE VIEW",
		types: map[reflect.Kind]string{reflect.String: "VARCHAR", reflect.Int32: "INTEGER", reflect.Int64: "BIGINT"},
		list:  "%s[]", null: "%s", column: `"%[1]s"::%[2]s AS "%[1]s"`,
		// A day of the file's TIMESTAMPTZ would be one of the session's time zone.
		time:  `make_timestamp(epoch_us("%[1]s")) AS "%[1]s"`,
		files: "%s %s AS SELECT\n  %s\n  FROM read_parquet('%s');\n",
		pair:  "unnest(%s) AS %s", each: "SELECT trace, kind, process, pid, %[2]s FROM traces",
	},
	"clickhouse": {
		title: "ClickHouse, and clickhouse-local with files below its folder user_files", view: "CREATE OR REPLACE VIEW",
		types: map[reflect.Kind]string{reflect.String: "String", reflect.Int32: "Int32", reflect.Int64: "Int64"},
		list:  "Array(%s)", null: "Nullable(%s)", column: "`%s` %s", time: "`%s` Nullable(DateTime64(6, ''UTC''))",
		// By default what a file does not have is 0.
		files: "%s %s AS SELECT * FROM file('%[4]s', 'Parquet', '\n  %[3]s')\n" +
			"  SETTINGS input_format_parquet_allow_missing_columns = 0, input_format_null_as_default = 0;\n",
		pair: "%s AS %s", each: "SELECT trace, kind, process, pid, %[1]s FROM traces ARRAY JOIN %[2]s",
	},
	"spark": {
		title: "Spark SQL, 3.3 or later. Days are those of the session, in UTC with SET TIME ZONE 'UTC'", view: "CREATE OR REPLACE TEMPORARY VIEW",
		types: map[reflect.Kind]string{reflect.String: "STRING", reflect.Int32: "INT", reflect.Int64: "BIGINT"},
		list:  "ARRAY<%s>", null: "%s", column: "`%s` %s", time: "`%s` TIMESTAMP",
		files: "%s %s (\n  %s)\n  USING parquet OPTIONS (path '%s');\n",
		pair:  "%s AS %s", each: "SELECT trace, kind, process, pid, x.* FROM traces LATERAL VIEW inline(arrays_zip(%[3]s)) x AS %[1]s",
	},
}

// columnOf returns a column of a view of files.
func (e *engine) columnOf(c cell) string {
	if strings.Contains(c.tag, ",timestamp") {
		return fmt.Sprintf(e.time, c.name())
	}
	t, format := reflect.TypeOf(c.to).Elem(), "%s"
	switch t.Kind() {
	case reflect.Slice:
		t, format = t.Elem(), e.list
	case reflect.Pointer:
		t, format = t.Elem(), e.null
	}
	return fmt.Sprintf(e.column, c.name(), fmt.Sprintf(format, e.types[t.Kind()]))
}

// filesView returns the view of the parts of a table, with its columns.
func (e *engine) filesView(name, dir string, cells []cell) string {
	var columns []string
	for _, c := range cells {
		columns = append(columns, e.columnOf(c))
	}
	return fmt.Sprintf(e.files, e.view, name, strings.Join(columns, ",\n  "), joinPath(dir, name, "part-*.parquet"))
}

// eachOf returns the rows of elements of lists: "LIST AS NAME, LIST AS NAME".
func (e *engine) eachOf(text string) string {
	var names, pairs, lists []string
	for pair := range strings.SplitSeq(text, ", ") {
		list, name, _ := strings.Cut(pair, " AS ")
		names, lists = append(names, name), append(lists, list)
		pairs = append(pairs, fmt.Sprintf(e.pair, list, name))
	}
	join := func(list []string) string { return strings.Join(list, ", ") }
	return fmt.Sprintf(e.each, join(names), join(pairs), join(lists))
}

var placeholder = pattern.New(`\{\{([A-Z]+)(?: OF)? ?(.*?)\}\}`)

// SQL returns the views of the dataset for one of the Engines.
func (d *Dataset) SQL(name string) (string, error) {
	// Escapes of quotes and of patterns differ between the engines.
	if strings.ContainsAny(d.Dir, "'\\*?[]{}\n") {
		return "", &diag.Error{What: "the name of the folder has characters that are special in SQL or in patterns", Hint: "rename the folder"}
	}
	if len(d.some) > 0 { // the views would read its parts
		return "", &diag.Error{What: fmt.Sprintf("shard %d is not complete", d.some[0]), Hint: "run with --resume"}
	}
	e := engines[name]
	return placeholder().ReplaceAllStringFunc(viewsSQL, func(s string) string {
		switch match := placeholder().FindStringSubmatch(s); match[1] {
		case "ENGINE":
			return e.title
		case "VIEW":
			return e.view
		case "EACH":
			return e.eachOf(match[2])
		case "RATES":
			return rates(match[2])
		case "PERCENTILES":
			return percentiles(match[2])
		}
		var views strings.Builder
		for t, folder := range tableFolders {
			views.WriteString(e.filesView(folder, d.Dir, new(Row).cells(everything(table(t), d.Dims))))
		}
		views.WriteString(e.filesView(eventsFolder, d.Dir, new(EventRow).cells(d.Dims)))
		views.WriteString(e.filesView(failuresFolder, d.Dir, new(Failure).cells(d.Dims)))
		return views.String()
	}), nil
}

// rates returns the compared ratios of a table as columns. An alias may have the name of a column of a
// layer.
func rates(folder string) string {
	prefix, t := "", table(0)
	for tableFolders[t] != folder {
		t++
	}
	if t == ofLayers {
		prefix = "l."
	}
	sum := func(names []string) string { return "sum(" + prefix + strings.Join(names, ") + sum("+prefix) + ")" }
	var columns []string
	for _, name := range compared[t] {
		if a := measures.Named(name).Aggregate; a.Times == "" {
			part, factor := sum(a.Parts), ""
			if len(a.Parts) > 1 {
				part = "(" + part + ")"
			}
			if units := a.WholeUnit / a.PartUnit; units != 1 { // a float: a product of integers could exceed 64 bits
				factor = fmt.Sprintf(" * 1e%.0f", math.Log10(units))
			}
			columns = append(columns, fmt.Sprintf("%s%s / nullIf(%s, 0) AS %s", part, factor, sum(a.Wholes), name))
		}
	}
	return strings.Join(columns, ",\n    ")
}

// percentiles returns the compared percentiles of times as columns of rows that have each time, its place
// among them, and their number.
func percentiles(times string) string {
	var columns []string
	for _, m := range measures {
		if a := m.Aggregate; a.Times == times && a.Peak == "" {
			columns = append(columns, fmt.Sprintf("min(CASE WHEN %[1]s_count >= %[2]d AND %[1]s_place * 1000 >= %[1]s_count * %[3]d THEN %[1]s_ns END) / 1e6 AS %[4]s",
				times, a.Least, a.Thousandth, m.Name))
		}
	}
	return strings.Join(columns, ",\n    ")
}
