package diff

import (
	"fmt"
	"testing"

	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// The page of a comparison, tested and not, fits narrow and wide windows, and can be used without seeing. On a phone each
// value of a process has the title of its column.
func TestPage(t *testing.T) {
	slower := gallery("render", "gallery", 60, 20, shuffled(20))
	tested := compare(t, repeated(5, gallery("render", "gallery", 60, 20, shuffled(0)).side("a.ftrace")), repeated(5, slower.side("b.ftrace")), Options{})
	for name, d := range map[string]*Diff{"tested": tested, "untested": compare(t, before(), after(), Options{})} {
		page := []byte(write(t, d, "html", WriteOptions{}))
		b := browsertest.New(t)
		for _, width := range slow.Of([]int64{390}, []int64{390, 1280}) {
			for _, scheme := range slow.Of([]string{"dark"}, []string{"light", "dark"}) {
				what := fmt.Sprintf("%s, %d pixels, %s", name, width, scheme)
				b.Show(page, width, 1000, scheme)
				b.Screenshot(fmt.Sprintf("diff-%s-%d-%s", name, width, scheme))
				b.CheckNoSidewaysScroll(what)
				b.CheckAccessible(what)
				b.CheckQuiet()
			}
		}
		const titles = `(() => {
			const cells = [...document.querySelectorAll("table[class*=as-cards] tbody td:not(.name)")];
			return cells.length > 4 && cells.every(c => !c.textContent || c.closest("details:not([open]), [hidden]") || getComputedStyle(c, "::before").content.startsWith('"'));
		})()`
		if b.Show(page, 390, 1000, "light"); !browsertest.Eval[bool](b, titles) {
			t.Errorf("%s: values without a title on a phone", name)
		}
	}
}
