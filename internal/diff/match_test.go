package diff

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

func processes(list ...*stats.Process) Side {
	return Side{Name: "x.ftrace", Stats: &stats.Report{Processes: list}}
}

func process(kind stats.Kind, pid trace.PID, name string) *stats.Process {
	return &stats.Process{Kind: kind, PID: pid, Name: name}
}

// parseProcesses parses processes such as "a10 gallery; r1 render_service": an application and a
// render service with their ids.
func parseProcesses(s string) Side {
	var list []*stats.Process
	for one := range strings.SplitSeq(s, "; ") {
		id, name, _ := strings.Cut(one, " ")
		pid, _ := strconv.Atoi(id[1:])
		list = append(list, process(map[byte]stats.Kind{'a': stats.Application, 'r': stats.RenderService}[id[0]], trace.PID(pid), name))
	}
	return processes(list...)
}

func TestMatchProcesses(t *testing.T) {
	for _, test := range []struct{ name, base, new, mappings, want string }{
		{"by name, the first with the first", "a10 gallery; a11 notes; a12 notes", "a20 notes; a21 camera; a22 gallery", "", "10-22 name, 11-20 name, 12-0 , 0-21 "},
		{"without a name by id", "a10; a11", "a11; a12", "", "10-0 , 11-11 name, 0-12 "},
		{"render services by kind, whatever their names are", "a10 gallery; r1 render_service", "a20 gallery; r2 /system/bin/surfaceflinger", "", "10-20 name, 1-2 kind"},
		{"a name before the kind", "r1 other; r2 render_service", "r3 render_service; r4 surfaceflinger", "", "1-4 kind, 2-3 name"},
		{"15 bytes are the end of a longer name, in either trace", "a10 example.gallery; a11 com.example.notes", "a20 m.example.notes; a21 com.example.gallery", "", "10-21 name_end, 11-20 name_end"},
		{"fewer bytes are not", "a10 xample.gallery", "a20 com.example.gallery", "", "10-0 , 0-20 "},
		{"an application and a render service of one name are two", "a10 x; r10 x", "r20 x; a20 x", "", "10-20 name, 10-20 name"},
		{"mappings go before names, by name or id, with any character", `a10 gallery; a11 a,"b"; a12`, "a20 gallery; a21 photos; a22 c=d", `gallery=photos; a,"b"=20; 12=c=d`, "10-21 map, 11-20 map, 12-22 map"},
		{"mappings of two of one name", "a10 x; a11 x", "a20 y; a21 y", "x=y; x=y", "10-20 map, 11-21 map"},
		{"a mapping of a process on both sides of a frame", "a10 sf; r10 sf", "r20 rs; a20 rs", "sf=rs; sf=rs", "10-20 map, 10-20 map"},
		{"a mapping has names as --process does, a whole name first", "a10 example.gallery; a11 gallery; a12 [notes", "a20 com.example.music; a21 com.example.photos; a22 x",
			"com.example.gallery=Photos; gallery=*.music; [notes=22", "10-21 map, 11-20 map, 12-22 map"},
	} {
		var mappings []Mapping
		for s := range strings.SplitSeq(test.mappings, "; ") {
			if m, err := ParseMapping(s); err == nil {
				mappings = append(mappings, m)
			}
		}
		matches, err := matchProcesses(parseProcesses(test.base), parseProcesses(test.new), mappings)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, m := range matches {
			var base, new trace.PID
			if m.base != nil {
				base = m.base.PID
			}
			if m.new != nil {
				new = m.new.PID
			}
			if m.base != nil && m.new != nil && m.base.Kind != m.new.Kind {
				t.Errorf("%s: an application and a render service", test.name)
			}
			got = append(got, fmt.Sprintf("%d-%d %s", base, new, m.by))
		}
		must.Equal(t, strings.Join(got, ", "), test.want, "%s", test.name)
	}
}

func TestMatchErrors(t *testing.T) {
	base, new := parseProcesses("a10 gallery; r1 render_service"), parseProcesses("a20 photos; r2 surfaceflinger")
	for _, test := range []struct {
		mappings   []Mapping
		what, hint string
	}{
		{[]Mapping{{"camera", "photos"}}, "--map camera=photos: x.ftrace has no process camera", "it has gallery, render_service"},
		{[]Mapping{{"gallery", "gallery"}}, "--map gallery=gallery: x.ftrace has no process gallery", "it has photos, surfaceflinger"},
		{[]Mapping{{"gallery", "photos"}, {"gallery", "photos"}}, "--map gallery=photos: process gallery is already mapped", ""},
		{[]Mapping{{"gallery", "surfaceflinger"}}, "--map gallery=surfaceflinger: one is the application, the other the render service", ""},
		{[]Mapping{{"a", "photos"}, {"r", "photos"}}, "--map r=photos: r matches several processes of x.ftrace", "it matches gallery, render_service"},
		{[]Mapping{{"[", "photos"}}, `--map [=photos: "[" is no pattern such as com.example.* and no process id`, ""},
		{[]Mapping{{"\x1b", "1"}}, `--map "\x1b"=1: x.ftrace has no process "\x1b"`, "it has gallery, render_service"},
	} {
		_, err := matchProcesses(base, new, test.mappings)
		e := (*Error)(nil)
		if !errors.As(err, &e) || e.What != test.what || e.Hint != test.hint {
			t.Errorf("%v: %v", test.mappings, err)
		}
	}
}

func TestParseMapping(t *testing.T) {
	if m, err := ParseMapping("a,b=c=d"); err != nil || m != (Mapping{"a,b", "c=d"}) {
		t.Errorf("got %v, %v", m, err)
	}
	for _, s := range []string{"", "a", "=", "a=", "=b"} {
		if _, err := ParseMapping(s); err == nil {
			t.Errorf("%q is a mapping", s)
		}
	}
}
