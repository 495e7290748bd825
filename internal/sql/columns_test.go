package sql_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
)

// derived are the tables with columns that are fields of a struct: those that select a path in its
// JSON. The names, types and comments of the columns follow from the fields.
var derived = []table{
	{name: "ohos_interaction", module: "interactions", of: reflect.TypeFor[stats.Interaction](), rename: map[string]string{"id": "interaction", "process": "process_name"},
		macro: "_ohos_interaction"},
	{name: "ohos_launch_stage", module: "interactions", of: reflect.TypeFor[stats.LaunchStage](), rename: map[string]string{"begin_ns": "ts", "dur_ns": "dur"}},
	{name: "ohos_layer", module: "layers", of: reflect.TypeFor[stats.Layer](), rename: map[string]string{"id": "layer_id", "process": "process_name"}, macro: "_ohos_layer"},
	{name: "ohos_refresh_rate", module: "refresh", of: reflect.TypeFor[stats.RefreshRate](), rename: map[string]string{"start_ns": "ts", "duration_ns": "dur"}},
	{name: "ohos_component", module: "components", of: reflect.TypeFor[stats.Component](), rename: map[string]string{"process": "process_name"}, list: true},
	{name: "ohos_state_variable", module: "components", of: reflect.TypeFor[stats.StateVariable](), rename: map[string]string{"process": "process_name"}, list: true},
	{name: "ohos_requester", module: "vsyncs", of: reflect.TypeFor[stats.Requester](), rename: map[string]string{"process": "process_name"}, list: true},
	{name: "ohos_callback", module: "vsyncs", of: reflect.TypeFor[stats.Callback](), rename: map[string]string{"process": "process_name", "id": "display_sync"}, list: true},
	{name: "ohos_fps", module: "fps", of: reflect.TypeFor[stats.Process](), strip: []string{"fps."}, rename: map[string]string{"fps.rate_hz": "fps", "fps.all_hz": "fps_all"}},
	{name: "ohos_hitch", module: "fps", of: reflect.TypeFor[stats.Hitch]()},
	{name: "ohos_hitches", module: "fps", of: reflect.TypeFor[stats.Process](), strip: []string{"hitches."}, rename: map[string]string{"hitches.time_ns": "dur"}},
	{name: "ohos_jank", module: "jank", of: reflect.TypeFor[stats.Process](), strip: []string{"frames.", "stutter."},
		rename: map[string]string{"frames.complete": "frames", "longest_streak.frames": "longest_streak", "longest_streak.start_ns": "longest_streak_ts"}},
	{name: "ohos_blame", module: "jank", of: reflect.TypeFor[stats.Process](), strip: []string{"whole_frames.", "blame."}},
	{name: "ohos_frame_duration", module: "stages", of: reflect.TypeFor[stats.Process](), strip: []string{"durations."}},
	{name: "ohos_stage", module: "stages", of: reflect.TypeFor[stats.StageTimes]()},
}

// table is a table or view.
type table struct {
	name, module string
	of           reflect.Type
	strip        []string          // beginnings of paths that names of columns do not have
	rename       map[string]string // columns by path, for names that do not follow the rule
	// macro or list selects the fields of a table that has all of them, except those that it has from
	// elsewhere: a macro for a path, or _ohos_of if rows are entries of a list.
	macro string
	list  bool
}

// item returns what selects a field.
func (v table) item(f schematest.Field) string {
	kind := f.Type.Kind()
	text := v.macro + "!('" + f.Name + "')"
	switch {
	case v.list:
		text = "_ohos_of!('" + f.Name + "')"
		if kind == reflect.Bool {
			text = "coalesce(" + text + ", FALSE)"
		}
	case kind == reflect.Bool:
		text = v.macro + "_is!('" + f.Name + "')"
	case f.Type == reflect.TypeFor[trace.Time]():
		text += " + s.moved"
	}
	name, _ := v.column(f)
	return text + " AS " + name
}

// selects reports whether an item selects a field in the way of the table, which may not exist.
func (v table) selects(item string) bool {
	return v.macro != "" && strings.HasPrefix(item, v.macro) || v.list && strings.Contains(item, "_ohos_of!(")
}

// fields returns the fields of a type that have one value, by their paths, in order.
func fields(t *testing.T, of, typ reflect.Type, path string) (list []schematest.Field) {
	for _, f := range schematest.Fields(t, typ, path, meanings[of]) {
		if path != "" {
			f.Name = path + "." + f.Name
		}
		if f.JSON == "list" {
			continue
		} else if strings.HasPrefix(f.JSON, "object") {
			list = append(list, fields(t, of, f.Type, f.Name)...)
			continue
		}
		list = append(list, f)
	}
	return list
}

// meanings are those of the measures of a type, by their paths.
var meanings = map[reflect.Type]map[string]string{
	reflect.TypeFor[stats.Process]():     schematest.Meanings(map[string]stats.MeasureList{"": stats.Measures}),
	reflect.TypeFor[stats.Interaction](): schematest.Meanings(map[string]stats.MeasureList{"": stats.InteractionMeasures}),
	reflect.TypeFor[stats.Layer]():       schematest.Meanings(map[string]stats.MeasureList{"": stats.LayerMeasures}),
	reflect.TypeFor[stats.StageTimes]():  stageMeanings(),
}

// stageMeanings are those of the measures of a stage, by their paths within it.
func stageMeanings() map[string]string {
	list := map[string]string{}
	for path, meaning := range schematest.Meanings(map[string]stats.MeasureList{"": stats.Measures}) {
		list[strings.TrimPrefix(path, "stages[].")] = meaning
	}
	return list
}

// column returns the name and the type of the column of a field: times end in _ts, facts begin
// with is_.
func (v table) column(f schematest.Field) (name, typ string) {
	name = f.Name
	for _, prefix := range v.strip {
		name = strings.TrimPrefix(name, prefix)
	}
	name, typ = strings.ReplaceAll(name, ".", "_"), "LONG"
	switch kind := f.Type.Kind(); {
	case f.Type == reflect.TypeFor[trace.Time]():
		name, typ = strings.TrimSuffix(name, "_ns")+"_ts", "TIMESTAMP"
	case f.Type == reflect.TypeFor[trace.Duration]():
		typ = "DURATION"
	case kind == reflect.Bool:
		name, typ = "is_"+name, "BOOL"
	case kind == reflect.Float64:
		typ = "DOUBLE"
	case f.JSON == "string" || kind == reflect.String:
		typ = "STRING"
	}
	return cmp.Or(v.rename[f.Name], name), typ
}

// Columns of derived tables are declared and selected as their fields say. "make docs" writes them.
func TestColumns(t *testing.T) {
	texts := map[string]string{}
	for _, v := range derived {
		path := "ohos/" + v.module + ".sql"
		if texts[path] == "" {
			text := must.Get(os.ReadFile(path))(t)
			texts[path] = strings.ReplaceAll(string(text), "\r\n", "\n")
		}
		texts[path] = v.write(t, texts[path])
	}
	for path, text := range maps.All(texts) {
		schematest.Update(t, path, text)
	}
}

var (
	declaredAs = regexp.MustCompile(`(?m)^((?:  -- .*\n)+)  (\w+) ([A-Z]\w*(?:\([\w.]+\))?),?$`)
	selectedAs = regexp.MustCompile(`^[^']*'(?:debug\.\w+\.)?([\w.]+)'[^']* AS (\w+)$`)
)

// write returns the text of a module with the table as its fields say.
func (v table) write(t *testing.T, text string) string {
	t.Helper()
	all := fields(t, v.of, v.of, "")
	byPath := map[string]schematest.Field{}
	for _, f := range all {
		byPath[f.Name] = f
	}
	before, rest, found := strings.Cut(text, " "+v.name+"(\n")
	head, rest, _ := strings.Cut(rest, "\n)\nAS\n")
	body, after, ended := strings.Cut(rest, ";\n")
	if !found || !ended {
		t.Fatalf("%s: no table %s", v.module, v.name)
	}
	from, items, to := selected(body, byPath)
	if len(items) == 0 {
		t.Fatalf("%s selects no field", v.name)
	}
	declared, order := map[string]string{}, []string{}
	for _, m := range declaredAs.FindAllStringSubmatch(head, -1) {
		declared[m[2]], order = m[1]+"  "+m[2]+" "+m[3], append(order, m[2])
	}
	whole := v.macro != "" || v.list
	var list, names []string // what is selected, and the columns if all fields are
	add := func(f schematest.Field) {
		name, typ := v.column(f)
		if slices.Contains(items, name) {
			return // from elsewhere
		}
		object := f.Name[:strings.LastIndex(f.Name, ".")+1]
		meaning := regexp.MustCompile("[`\"](\\w+)[`\"]").ReplaceAllStringFunc(f.Meaning, func(quoted string) string {
			if other, ok := byPath[object+strings.Trim(quoted, "`\"")]; ok {
				quoted, _ = v.column(other)
			}
			return quoted
		})
		if whole && object != "" {
			meaning = strings.TrimSuffix(object, ".") + ": " + meaning
		}
		declared[name] = comment(schematest.SQL(meaning)) + "  " + name + " " + typ
		list, names = append(list, v.item(f)), append(names, name)
	}
	next := 0
	for i, item := range items {
		path := pathOf(item, byPath)
		if whole && v.selects(item) {
			until := slices.IndexFunc(all, func(f schematest.Field) bool { return f.Name == path })
			if !slices.ContainsFunc(items[i+1:], v.selects) {
				until = len(all) - 1
			}
			for ; next <= until; next++ {
				add(all[next])
			}
			continue
		}
		if path != "" {
			add(byPath[path])
			if want := names[len(names)-1]; !strings.HasSuffix(item, " AS "+want) {
				t.Errorf("%s: the column of %s is called %s: %s", v.name, path, want, item)
			}
			list = list[:len(list)-1]
		}
		list, names = append(list, item), append(names, item[strings.LastIndexAny(item, " .")+1:])
	}
	if !whole {
		names = order
	}
	for i, name := range names {
		names[i] = declared[name]
	}
	return before + " " + v.name + "(\n" + strings.Join(names, ",\n") + "\n)\nAS\n" + from + wrap(list, byPath, from) + to + ";\n" + after
}

// pathOf returns the path of the field that an item selects, if it selects one.
func pathOf(item string, byPath map[string]schematest.Field) string {
	m := selectedAs.FindStringSubmatch(item)
	if m == nil || byPath[m[1]].Name == "" {
		return ""
	}
	return m[1]
}

// selected returns the items of the first SELECT with fields, and the text around them.
func selected(body string, byPath map[string]schematest.Field) (before string, items []string, after string) {
	for _, at := range regexp.MustCompile(`(?m)^ *SELECT\n`).FindAllStringIndex(body, -1) {
		indent, _, _ := strings.Cut(body[at[0]:], "SELECT")
		list, _, found := strings.Cut(body[at[1]:], "\n"+indent+"FROM")
		if !found {
			continue
		}
		items := split(list)
		if slices.ContainsFunc(items, func(item string) bool { return pathOf(item, byPath) != "" }) {
			return body[:at[1]], items, body[at[1]+len(list):]
		}
	}
	return "", nil, ""
}

// split splits a list at its commas outside of brackets.
func split(list string) (items []string) {
	depth, start := 0, 0
	for i, c := range list {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			items, start = append(items, strings.TrimSpace(list[start:i])), i+1
		}
	}
	return append(items, strings.TrimSpace(list[start:]))
}

// wrap returns the list of the SELECT at the end of a text. Fields are as many on a line as fit.
func wrap(items []string, byPath map[string]schematest.Field, from string) string {
	var lines []string
	joined := false
	indent, _, _ := strings.Cut(from[strings.LastIndex(strings.TrimSuffix(from, "\n"), "\n")+1:], "SELECT")
	for _, item := range items {
		path := pathOf(item, byPath)
		if last := len(lines) - 1; joined && path != "" && len(lines[last])+len(item) < 110 {
			lines[last] += ", " + item
		} else {
			lines = append(lines, indent+"  "+item)
		}
		joined = path != ""
	}
	return strings.Join(lines, ",\n")
}

// comment returns a comment in lines.
func comment(text string) string {
	var lines strings.Builder
	line := "  --"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 97 {
			lines.WriteString(line + "\n")
			line = "  --"
		}
		line += " " + word
	}
	return lines.String() + line + "\n"
}

// checkTable compares the derived columns of a table, below others that say which row it is, with
// values of its type. each yields these, and what the others are.
func checkTable(t *testing.T, session *engine.Session, name, others string, each func(yield func(value any, others ...any))) {
	t.Helper()
	v := derived[slices.IndexFunc(derived, func(v table) bool { return v.name == name })]
	module := must.Get(os.ReadFile("ohos/" + v.module + ".sql"))(t)
	_, body, _ := strings.Cut(string(module), " "+name+"(\n")
	body, _, _ = strings.Cut(body, ";\n")
	columns, paths := strings.Split(others, ", "), []string{}
	if others == "" {
		columns = nil
	}
	for _, f := range fields(t, v.of, v.of, "") {
		if column, _ := v.column(f); regexp.MustCompile(`(?m)^  `+column+` [A-Z]`).MatchString(body) && (v.macro != "" || v.list || strings.Contains(body, "'"+f.Name+"'") || strings.Contains(body, "."+f.Name+"'")) {
			columns, paths = append(columns, name+"."+column), append(paths, f.Name)
		}
	}
	if len(paths) < 2 {
		t.Fatalf("%s has the fields %q", name, paths)
	}
	var want rows
	each(func(value any, others ...any) {
		for _, path := range paths {
			others = append(others, valueAt(reflect.ValueOf(value), path))
		}
		want.add(others...)
	})
	from := name
	if strings.Contains(others, "process.") {
		from += " JOIN process USING (upid)"
	}
	compare(t, name, query(t, session, "SELECT "+strings.Join(columns, ", ")+" FROM "+from), want)
}

// valueAt returns the value at a path of JSON, as SQL has it: nil if it is unknown.
func valueAt(v reflect.Value, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		if v = reflect.Indirect(v); !v.IsValid() {
			return nil
		}
		all := reflect.VisibleFields(v.Type())
		i := slices.IndexFunc(all, func(f reflect.StructField) bool {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return tag == name
		})
		v = v.FieldByIndex(all[i].Index)
	}
	if v = reflect.Indirect(v); !v.IsValid() || v.Interface() == trace.UnknownPID {
		return nil
	}
	if name, ok := v.Interface().(fmt.Stringer); ok && v.Type() == reflect.TypeFor[stats.Stage]() {
		return name.String()
	}
	switch v.Kind() {
	case reflect.String:
		return text(v.String())
	case reflect.Bool:
		return v.Bool()
	case reflect.Float64:
		return v.Float()
	}
	return v.Int()
}
