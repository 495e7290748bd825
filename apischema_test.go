package ohframe_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "ohframe/internal/perfettopb"
	"ohframe/internal/testing/compatibility"
	"ohframe/internal/testing/must"
)

// TestSchema lists every field of the schema with its number and type.
func TestSchema(t *testing.T) {
	var lines []string
	var describe func(messages protoreflect.MessageDescriptors, enums protoreflect.EnumDescriptors)
	describe = func(messages protoreflect.MessageDescriptors, enums protoreflect.EnumDescriptors) {
		for i := range enums.Len() {
			for j := range enums.Get(i).Values().Len() {
				v := enums.Get(i).Values().Get(j)
				lines = append(lines, fmt.Sprintf("%s.%s = %d", enums.Get(i).FullName(), v.Name(), v.Number()))
			}
		}
		for i := range messages.Len() {
			m := messages.Get(i)
			for j := range m.Fields().Len() {
				f := m.Fields().Get(j)
				typ := f.Kind().String()
				if f.Message() != nil {
					typ = string(f.Message().FullName())
				} else if f.Enum() != nil {
					typ = string(f.Enum().FullName())
				}
				lines = append(lines, fmt.Sprintf("%s = %d %s %s", f.FullName(), f.Number(), f.Cardinality(), typ))
			}
			describe(m.Messages(), m.Enums())
		}
	}
	protoregistry.GlobalFiles.RangeFilesByPackage("perfetto.protos", func(f protoreflect.FileDescriptor) bool {
		describe(f.Messages(), f.Enums())
		return true
	})
	slices.Sort(lines)
	compatibility.Check(t, filepath.Join("testdata", "api", "schema.txt"), strings.Join(lines, "\n")+"\n")
}

var (
	sqlComment = regexp.MustCompile(`(?m)--.*$`)
	sqlSpace   = regexp.MustCompile(`\s+`)
	// A declaration goes to the AS before its query.
	sqlPublic = regexp.MustCompile(`(?s)CREATE OR REPLACE PERFETTO (TABLE|VIEW|FUNCTION|MACRO) ([a-z]\w*)\s*\((.*?)\)\s*(RETURNS\s+[^;]*?)?\s*AS\b`)
	sqlEvery  = regexp.MustCompile(`CREATE OR REPLACE PERFETTO (?:TABLE|VIEW|FUNCTION|MACRO) [a-z]\w*`)
)

// TestSQL lists the tables, views and functions of the SQL modules, with their columns.
func TestSQL(t *testing.T) {
	modules, err := filepath.Glob(filepath.Join("internal", "sql", "ohos", "*.sql"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	var list strings.Builder
	for _, path := range modules {
		content := must.Get(os.ReadFile(path))(t)
		text := sqlComment.ReplaceAllString(string(content), "")
		found := sqlPublic.FindAllStringSubmatch(text, -1)
		if want := len(sqlEvery.FindAllString(text, -1)); len(found) != want {
			t.Errorf("%s: %d of %d declarations are understood: each public one has its columns in brackets", path, len(found), want)
		}
		for _, m := range found {
			name := strings.TrimSuffix(filepath.Base(path), ".sql")
			fmt.Fprintf(&list, "%s: %s %s %s\n", name, strings.ToLower(m[1]), m[2], sqlSpace.ReplaceAllString(m[4], " "))
			for _, column := range strings.Split(m[3], ",") {
				if column = strings.TrimSpace(sqlSpace.ReplaceAllString(column, " ")); column != "" {
					fmt.Fprintf(&list, "\t%s\n", column)
				}
			}
		}
	}
	compatibility.Check(t, filepath.Join("testdata", "api", "sql.txt"), list.String())
}
