package causes

import (
	"fmt"
	"testing"

	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// Pages with functions and flame graphs fit into windows of all sizes, in either scheme, and can be
// used without seeing or a mouse.
func TestPages(t *testing.T) {
	slow.Skip(t)
	tl, c := sampled()
	b := browsertest.New(t)
	for name, o := range map[string]Options{"process": {}, "frame": {Vsync: 10}} {
		written := []byte(write(t, "html", tl, c, o))
		for _, width := range []int64{390, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				what := fmt.Sprintf("%s, %d pixels, %s", name, width, scheme)
				b.Show(written, width, 1000, scheme)
				if n := browsertest.Eval[int](b, `document.querySelectorAll(".flame .lane").length`); n != 4 {
					t.Errorf("%s: %d rows", what, n)
				}
				b.CheckNoSidewaysScroll(what)
				b.CheckAccessible(what)
				b.CheckQuiet()
			}
		}
	}
}
