package causes

import (
	"fmt"
	"testing"

	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// Pages of a trace with interactions, of one of them and of a frame fit narrow and wide windows, and can be used without
// seeing.
func TestPages(t *testing.T) {
	timeline, c := clicks()
	for name, o := range map[string]Options{"all": {}, "interaction": {Interaction: timeline.Interactions[1]}, "frame": {Vsync: 7}} {
		page := []byte(writeInteractions(t, "html", o, timeline, c))
		b := browsertest.New(t)
		for _, width := range slow.Of([]int64{390}, []int64{390, 1280}) {
			for _, scheme := range slow.Of([]string{"dark"}, []string{"light", "dark"}) {
				what := fmt.Sprintf("%s, %d pixels, %s", name, width, scheme)
				b.Show(page, width, 1000, scheme)
				b.Screenshot(fmt.Sprintf("why-%s-%d-%s", name, width, scheme))
				b.CheckNoSidewaysScroll(what)
				browsertest.Eval[bool](b, `document.querySelectorAll("details").forEach(d => d.open = true) || true`)
				b.CheckAccessible(what)
				b.CheckQuiet()
			}
		}
	}
}
