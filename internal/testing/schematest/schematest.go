// Package schematest derives what documents and SQL state of a record from its struct: the json tag
// of a field is its name, and its comment its meaning. Without one, that is the meaning of the measure
// at its path, else the comment of the field before it, which has the same type then.
package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/testing/must"
)

// Field is a field of a record, as its JSON has it.
type Field struct {
	Name    string
	Type    reflect.Type // without its pointer
	JSON    string       // such as "integer or null"
	Meaning string       // a phrase in lower case
	Joined  bool         // the meaning is that of the field before
	Long    bool         // only long forms of a document have it (package brief)
}

// Fields returns the fields of a struct, those of embedded structs among them: no two may have one name. Meanings
// are those of measures by their paths, which begin with the given one and a dot unless it is empty.
func Fields(t testing.TB, typ reflect.Type, path string, meanings map[string]string) (list []Field) {
	t.Helper()
	defer func() {
		names := map[string]bool{}
		for _, f := range list {
			if names[f.Name] {
				t.Errorf("%v has the key %q twice in JSON", typ, f.Name)
			}
			names[f.Name] = true
		}
	}()
	comments := commentsOf(t, typ)
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner, null := f.Type, ""
		if inner.Kind() == reflect.Pointer {
			inner, null = inner.Elem(), " or null"
		} else if inner.String() == "trace.PID" || inner.Kind() == reflect.String && inner.Implements(reflect.TypeFor[json.Marshaler]()) {
			null = " or null"
		}
		if strings.Contains(options, "omit") {
			null = " or absent"
		}
		switch {
		case f.Anonymous:
			for _, field := range Fields(t, inner, path, meanings) {
				if null == " or absent" && !strings.HasSuffix(field.JSON, null) {
					field.JSON += null
				}
				list = append(list, field)
			}
			continue
		case !f.IsExported() || name == "-" || name == "":
			continue
		}
		field := Field{Name: name, Type: inner, JSON: jsonType(inner) + null, Long: f.Tag.Get("brief") == "-"}
		if field.Meaning = comments[f.Name]; field.Meaning == "" {
			field.Meaning = meanings[strings.TrimPrefix(path+"."+name, ".")]
		}
		if n := len(list); n > 0 {
			before := list[n-1]
			same := field.JSON == before.JSON && field.Long == before.Long
			if field.Meaning == "" && same {
				field.Meaning = before.Meaning
			}
			field.Joined = same && field.Meaning == before.Meaning
		}
		list = append(list, field)
	}
	return list
}

// Meanings returns those of measures by their paths, behind the path of their subject. In a list of stages
// the path has brackets instead of the name of a stage.
func Meanings(lists map[string]stats.MeasureList) map[string]string {
	meanings := map[string]string{}
	for subject, list := range lists {
		for _, m := range slices.Backward(list) { // of two at one path the first counts
			path := stage.ReplaceAllString(m.Path, "stages[].")
			meanings[strings.TrimPrefix(subject+"."+path, ".")] = m.Meaning
		}
	}
	return meanings
}

var stage = regexp.MustCompile(`^stages\.[a-z_]+\.`)

// jsonType returns what encoding/json makes of a type.
func jsonType(typ reflect.Type) string {
	if Element(typ) != typ {
		return "list"
	} else if typ.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()) {
		return "string"
	}
	return map[reflect.Kind]string{
		reflect.Struct: "object", reflect.Map: "object", reflect.String: "string", reflect.Float64: "number", reflect.Bool: "boolean",
		reflect.Int: "integer", reflect.Int32: "integer", reflect.Int64: "integer",
	}[typ.Kind()]
}

// Element returns the type of the elements of a list, which may be an iter.Seq or have text.Lazy elements,
// without their pointer; other types as they are.
func Element(typ reflect.Type) reflect.Type {
	switch typ.Kind() {
	case reflect.Func:
		typ = typ.In(0).In(0)
	case reflect.Slice:
		if typ = typ.Elem(); typ.Kind() == reflect.Func {
			typ = typ.Out(0)
		}
	default:
		return typ
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ
}

// repository returns the folder of the repository.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod above: ", err)
	return ""
}

// packages has the comments of the fields of each struct of each package.
var packages = map[string]map[string]map[string]string{}

// commentsOf returns the comments of the fields of a struct, each as one line.
func commentsOf(t testing.TB, typ reflect.Type) map[string]string {
	t.Helper()
	structs := packages[typ.PkgPath()]
	if structs == nil {
		structs = map[string]map[string]string{}
		packages[typ.PkgPath()] = structs
		files, err := filepath.Glob(filepath.Join(repository(t), strings.TrimPrefix(typ.PkgPath(), "ohframe"), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no source of %s: %v", typ.PkgPath(), err)
		}
		for _, name := range files {
			file := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments))(t)
			ast.Inspect(file, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					if s, ok := spec.Type.(*ast.StructType); ok {
						structs[spec.Name.Name] = fieldComments(s)
					}
				}
				return true
			})
		}
	}
	return structs[typ.Name()]
}

func fieldComments(s *ast.StructType) map[string]string {
	comments := map[string]string{}
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			comments[name.Name] = strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
		}
	}
	return comments
}

// Document compares the objects in the section "JSON" of a document with a type, which is "the
// document", and returns the fields of each object by its path. An object has a heading of the third
// level and a list of its fields; other lines are the document's own. With OHFRAME_UPDATE_DOCS it
// writes the lists, in order. The types in elsewhere are described in another document. Objects of
// packages whose paths begin with byHand have lists of their own, whose names and types are compared.
func Document(t *testing.T, file string, typ reflect.Type, meanings map[string]string, byHand string, elsewhere ...reflect.Type) map[string][]Field {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	const start = "\n## JSON\n"
	before, section, found := strings.Cut(string(text), start)
	section, after, _ := strings.Cut(section, "\n## ")
	about, sections, _ := strings.Cut(section, "\n### ")
	if !found {
		t.Fatalf("%s has no section JSON", file)
	}
	own := map[string]string{} // what the document has of an object
	for _, text := range strings.Split(sections, "\n### ") {
		title, text, _ := strings.Cut(text, "\n")
		own[title] = strings.TrimSpace(text)
	}
	var out strings.Builder
	if about = strings.Trim(about, "\n"); about != "" {
		out.WriteString("\n" + about + "\n")
	}
	objects, paths := map[string][]Field{}, []string{}
	types, described := map[string]reflect.Type{}, map[reflect.Type]string{}
	var add func(path string, typ reflect.Type)
	add = func(path string, typ reflect.Type) {
		fields := Fields(t, typ, path, meanings)
		objects[path], types[path], paths = fields, typ, append(paths, path)
		if at, known := described[typ]; !known || own[titleOf(at)] == "" && own[titleOf(path)] != "" {
			described[typ] = path // where the document has it, else the first
		}
		for _, f := range fields {
			if inner := Element(f.Type); inner.Kind() == reflect.Struct && inner != typ && !slices.Contains(elsewhere, inner) {
				add(pathOf(path, f), inner)
			}
		}
	}
	add(root, typ)
	for _, path := range paths {
		typ, title := types[path], titleOf(path)
		text := own[title]
		switch {
		case described[typ] != path:
			continue
		case byHand != "" && strings.HasPrefix(typ.PkgPath(), byHand):
			checkList(t, file, path, text, objects[path], described)
		default:
			text = withList(t, path, text, objects[path], described)
		}
		out.WriteString("\n### " + title + "\n\n" + text + "\n")
	}
	lists := Links(file, out.String())
	if after != "" {
		after = "\n## " + after
	}
	Update(t, file, before+start+lists+after)
	return objects
}

// Links returns the text of a document with the paths that its links to documents need: it is in docs or in testdata/api.
func Links(file, text string) string {
	if filepath.Base(filepath.Dir(file)) == "docs" {
		return text
	}
	return besides.ReplaceAllString(text, "](../../docs/$1")
}

var besides = regexp.MustCompile(`\]\((\w+\.md)`)

// root is the path of a document itself.
const root = "the document"

// titleOf returns the heading of an object.
func titleOf(path string) string {
	if path == root {
		return "The document"
	}
	return "`" + path + "`"
}

func pathOf(object string, f Field) string {
	path := strings.TrimPrefix(object+"."+f.Name, root+".")
	if strings.HasPrefix(f.JSON, "list") {
		path += "[]"
	}
	return path
}

// Columns compares the list of columns behind a line of a document with the fields of a type. With
// OHFRAME_UPDATE_DOCS it writes the list.
func Columns(t *testing.T, file, line string, typ reflect.Type) {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	before, rest, found := strings.Cut(string(text), line+"\n\n- ")
	list, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no list behind %q", file, line)
	}
	list = Links(file, withList(t, line, "- "+list, Fields(t, typ, "", nil), nil))
	Update(t, file, before+line+"\n\n"+list+"\n\n"+after)
}

// listItem is an item of a list of fields with its further lines.
var listItem = regexp.MustCompile("(?m)^- `([a-z_0-9`, ]+)` \\((.+?)\\): .*\n?(^  .*\n?)*")

// withList returns the text of an object with the list of its fields.
func withList(t *testing.T, path, text string, fields []Field, described map[reflect.Type]string) string {
	t.Helper()
	var list strings.Builder
	for i := 0; i < len(fields); {
		f, names := fields[i], "`"+fields[i].Name+"`"
		if f.Meaning == "" {
			t.Errorf("%s.%s has no comment", path, f.Name)
		}
		for i++; i < len(fields) && fields[i].Joined; i++ {
			names += ", `" + fields[i].Name + "`"
		}
		list.WriteString("- " + names + " (" + f.JSON + "): " + Markdown(f.Meaning) + elsewhere(path, f, described))
		if f.Long {
			list.WriteString("; not in evidence")
		}
		list.WriteString("\n")
	}
	at := listItem.FindStringIndex(text)
	if at == nil {
		return strings.TrimSpace(text + "\n\n" + list.String())
	}
	return strings.TrimSpace(text[:at[0]] + list.String() + listItem.ReplaceAllString(text[at[0]:], ""))
}

// elsewhere says where the fields of the objects in a field are, if that is another path.
func elsewhere(path string, f Field, described map[reflect.Type]string) string {
	if at := described[Element(f.Type)]; at != "" && at != pathOf(path, f) {
		return "; fields as in `" + at + "`"
	}
	return ""
}

var fieldsAs = regexp.MustCompile("; fields as in `[^`]*`")

// checkList compares the list of an object with its fields.
func checkList(t *testing.T, file, path, text string, fields []Field, described map[reflect.Type]string) {
	t.Helper()
	var got, want []string
	for _, m := range listItem.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(m[1], "`, `") {
			got = append(got, name+" ("+m[2]+")"+fieldsAs.FindString(m[0]))
		}
	}
	for _, f := range fields {
		want = append(want, f.Name+" ("+f.JSON+")"+elsewhere(path, f, described))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s has the fields\n%q\nwant\n%q", file, path, got, want)
	}
}

var (
	quoted   = regexp.MustCompile(`"([^" ]*)"`)
	document = regexp.MustCompile(`docs/(\w+\.md)`)
)

// Markdown returns a meaning for a document.
func Markdown(meaning string) string {
	meaning = strings.ReplaceAll(quoted.ReplaceAllString(meaning, "`$1`"), "nil", "null")
	return document.ReplaceAllString(meaning, "[$1]($1)")
}

// SQL returns a meaning for the comment of a column.
func SQL(meaning string) string {
	meaning = strings.NewReplacer("nil", "NULL", "null", "NULL", "`", "'").Replace(quoted.ReplaceAllString(meaning, "'$1'"))
	return strings.ToUpper(meaning[:1]) + meaning[1:] + "."
}

// Measures compares the table of measures behind a line of a document with their declarations. With
// OHFRAME_UPDATE_DOCS it writes the table.
func Measures(t testing.TB, file, line string, list stats.MeasureList) {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	before, rest, found := strings.Cut(string(text), line+"\n\n|")
	_, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no table behind %q", file, line)
	}
	var table strings.Builder
	table.WriteString("| measure | in JSON | is |\n|---|---|---|\n")
	for _, m := range list {
		fmt.Fprintf(&table, "| `%s` | `%s` | %s |\n", m.Name, m.Path, Markdown(m.Meaning))
	}
	Update(t, file, before+line+"\n\n"+table.String()+"\n"+after)
}

// Update compares a file with its generated text. With OHFRAME_UPDATE_DOCS it writes the file.
func Update(t testing.TB, file, want string) {
	t.Helper()
	if os.Getenv("OHFRAME_UPDATE_DOCS") != "" {
		must.Do(t, os.WriteFile(file, []byte(want), 0o666))
		return
	}
	got := must.Get(os.ReadFile(file))(t)
	// A checkout on Windows may have other line ends.
	if string(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n"))) != want {
		t.Errorf("%s is out of date: run make docs", file)
	}
}
