package record

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// writePackage writes a package with one file.
func writePackage(t *testing.T, path, name, content string) {
	t.Helper()
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	z := zip.NewWriter(f)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestNewSides(t *testing.T) {
	t.Chdir(t.TempDir())
	writePackage(t, "a.hap", "module.json", `{"app": {"bundleName": "com.example.a"}, "module": {"name": "entry"}}`)
	writePackage(t, "old.HAP", "config.json", `{"app": {"bundleName": "com.example.old"}}`)
	writePackage(t, "other.hap", "resources.index", "")
	writePackage(t, "text.hap", "module.json", "hello")
	writePackage(t, "nameless.hap", "module.json", "{}")
	writePackage(t, "quoted.hap", "module.json", `{"app": {"bundleName": "a.b'; reboot"}}`)
	writePackage(t, "long.hap", "module.json", `{"module": "`+strings.Repeat("x", maxModule)+`", "app": {"bundleName": "com.example.a"}}`)
	for name, mode := range map[string]os.FileMode{"no.hap": 0o644, "one.sh": 0o755, "two.sh": 0o755, "data": 0o644, "com.example.file": 0o755} {
		must.Do(t, os.WriteFile(name, []byte("#!/bin/sh\n"), mode))
	}
	must.Do(t, os.Mkdir("com.example.folder", 0o777))
	must.Do(t, os.Mkdir("folder.hap", 0o777))
	app := Options{App: "com.example.a", Ability: "Main"}
	for _, x := range []struct {
		words string
		o     Options
		want  string // of each side: the application, its ability, and what is installed or run
		err   string
	}{
		{"a.hap old.HAP", Options{}, "com.example.a//a.hap com.example.old//old.HAP", ""},
		{"a.hap a.hap", app, "com.example.a/Main/a.hap com.example.a/Main/a.hap", ""},
		{"a.hap a.hap", Options{Drive: "/swipe"}, "com.example.a//a.hap/swipe com.example.a//a.hap/swipe", ""},
		{"com.example.a com.example.b/Other", Options{}, "com.example.a// com.example.b/Other/", ""},
		{"com.example.folder com.example.b", Options{}, "com.example.folder// com.example.b//", ""},
		{"one.sh two.sh", app, "com.example.a/Main/one.sh com.example.a/Main/two.sh", ""},
		{"one.sh com.example.file", app, "com.example.a/Main/one.sh com.example.a/Main/com.example.file", ""},
		{"", Options{}, "", "two sides are needed, not 0"},
		{"a.hap", Options{}, "", "two sides are needed, not 1"},
		{"a.hap a.hap a.hap", Options{}, "", "two sides are needed, not 3"},
		{"a.hap one.sh", Options{}, "", "a.hap is a package, one.sh is a program: they must be alike"},
		{"a.hap com.example.b", Options{}, "", "com.example.b is an application: they must be alike"},
		{"a.hap old.HAP", app, "", "old.HAP: contains com.example.old, not com.example.a"},
		{"none.hap a.hap", Options{}, "", "none.hap: "},
		{"no.hap a.hap", Options{}, "", "no.hap: not a package"},
		{"other.hap a.hap", Options{}, "", "other.hap: not a package: it has no module.json"},
		{"folder.hap a.hap", Options{}, "", "folder.hap: not a package"},
		{"text.hap a.hap", Options{}, "", "text.hap: module.json: invalid character"},
		{"nameless.hap a.hap", Options{}, "", `nameless.hap: module.json: "" is not the name of an application`},
		{"quoted.hap a.hap", Options{}, "", "is not the name of an application"},
		{"long.hap a.hap", Options{}, "", "long.hap: module.json: unexpected EOF"},
		{"one.sh two.sh", Options{}, "", "programs need an application"},
		{"one.sh two.sh", Options{App: "com.example.a", Drive: "/swipe"}, "", "the sides are programs already"},
		{"one.sh data", app, "", "data: not a program"},
		{"com.example.a com.example.b", app, "", "the sides name the applications already"},
		{"old new", Options{}, "", `"old" is not a file, nor the name of an application`},
	} {
		sides, err := NewSides(strings.Fields(x.words), &x.o)
		if x.err != "" {
			if err == nil || !strings.Contains(err.Error(), x.err) {
				t.Errorf("%q: got %v, want %s", x.words, err, x.err)
			}
			continue
		}
		var got []string
		for i, s := range sides {
			if s.Name != sideNames[i] {
				t.Errorf("%q: the folder of side %d is %q", x.words, i, s.Name)
			}
			if strings.HasSuffix(x.words, ".sh") || strings.HasSuffix(x.words, ".file") {
				s.Drive = filepath.Base(s.Drive)
			}
			got = append(got, s.App+"/"+s.Ability+"/"+s.Package+s.Drive)
		}
		if err != nil || strings.Join(got, " ") != x.want {
			t.Errorf("%q: got %q, %v, want %q", x.words, got, err, x.want)
		}
	}
}
