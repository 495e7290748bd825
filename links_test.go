package ohframe_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// Every link of a document leads to a file and a heading that exist, and so do documents that the
// program names.
func TestLinks(t *testing.T) {
	code := regexp.MustCompile("(?s)```.*?```")
	link := regexp.MustCompile(`\]\(([^)\s#]*)(?:#([^)\s]*))?\)`)
	named := regexp.MustCompile(`\bdocs/(?:dev/)?[\w-]+\.md\b`)
	links := 0
	must.Do(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (path == "build" || strings.HasPrefix(path, ".git")) {
			return filepath.SkipDir
		}
		switch filepath.Ext(path) {
		case ".md":
			for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(read(t, path), ""), -1) {
				target := path
				if strings.Contains(m[1], ":") {
					continue
				} else if m[1] != "" {
					target = filepath.Join(filepath.Dir(path), m[1])
				}
				links++
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s: link to %s: %v", path, m[1], err)
				} else if m[2] != "" && !headings(read(t, target))[m[2]] {
					t.Errorf("%s: no heading #%s in %s", path, m[2], target)
				}
			}
		case ".go", ".ts", ".sql", ".sh", ".mk":
			for _, name := range named.FindAllString(read(t, path), -1) {
				if _, err := os.Stat(name); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
		return nil
	}))
	if links < 100 {
		t.Errorf("%d links found", links)
	}
}

// headings returns the anchors of a document, in the form that code hosts give them.
func headings(text string) map[string]bool {
	dropped := regexp.MustCompile(`\]\([^)]*\)|[^\w\- ]`)
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		anchors[strings.ReplaceAll(strings.ToLower(dropped.ReplaceAllString(m[1], "")), " ", "-")] = true
	}
	return anchors
}

func read(t *testing.T, path string) string {
	return string(must.Get(os.ReadFile(path))(t))
}
