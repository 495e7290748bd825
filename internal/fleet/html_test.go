package fleet

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ohframe/internal/atomicfile"
	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
)

func TestMain(m *testing.M) {
	atomicfile.Durable = slow.Enabled()
	browsertest.Main(m)
}

// The page of a fleet fits into windows of all sizes, in either scheme, and can be used
// without seeing or a mouse.
func TestPage(t *testing.T) {
	b := browsertest.New(t)
	// The letter that a file begins with is the build.
	build := must.Get(ParseRule("build=([a-z])[^/]*$"))(t)
	dir := t.TempDir()
	run(t, &Runner{Dir: dir}, traces(t), Options{Read: withCauses, Shards: 1, Rules: []Rule{build}})
	d := opened(t, dir)
	by := []string{"kind", "build"}
	r := must.Get(NewReport(t.Context(), d, Query{By: by}))(t)
	var page bytes.Buffer
	must.Do(t, r.Write(&page, "html", text.Style{}))
	if strings.Contains(page.String(), ">Devices<") || strings.Contains(page.String(), " device<") {
		t.Error("the page of traces without devices has columns for them")
	}
	for _, width := range slow.Of([]int64{390}, []int64{390, 1280, 2560}) {
		for _, scheme := range slow.Of([]string{"dark"}, []string{"light", "dark"}) {
			what := fmt.Sprintf("%d pixels, %s", width, scheme)
			b.Show(page.Bytes(), width, 1000, scheme)
			b.Screenshot(fmt.Sprintf("fleet-%d-%s", width, scheme))
			for selector, want := range map[string]int{".uplot": 1, "table": 2, ".legend li": 2} { // applications and render services
				if n := browsertest.Eval[int](b, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector)); n != want {
					t.Errorf("%s: %d of %s, want %d", what, n, selector, want)
				}
			}
			b.CheckNoSidewaysScroll(what)
			b.CheckAccessible(what)
			b.CheckQuiet()
		}
	}
}
