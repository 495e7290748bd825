package diff

import (
	"fmt"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// overlapping counts the pairs of labels of a chart that overlap.
const overlapping = `[...document.querySelectorAll("figure svg")].reduce((n, svg) => {
	const boxes = [...svg.querySelectorAll("text")].map(t => t.getBoundingClientRect());
	return n + boxes.filter((a, i) => boxes.some((b, j) => j < i && a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom)).length;
}, 0)`

// Pages of few frames, of many and of several runs fit into windows of all sizes, in either
// scheme, and can be used without seeing or a mouse.
func TestPages(t *testing.T) {
	list := conditions(t, "jank_rate>+2%,longest_streak>+1,fps<-5%")
	pair := func(n int) *Diff {
		s := func(name string, slower int) Side {
			return gallery("gallery", "render_service", n, 20, func(i int) int { return 2 + i*7919%(9+slower) }).side(name)
		}
		return compare(t, s("before.ftrace", 0), s("after.ftrace", 6), Options{FailOn: list})
	}
	pages := []struct {
		name string
		*Diff
	}{{"everything", everything(t)}, {"one", pair(1)}}
	for _, n := range slow.Of([]int{100}, []int{10, 10_000, 200_000}) {
		pages = append(pages, struct {
			name string
			*Diff
		}{fmt.Sprint(n), pair(n)})
	}
	var base, rates []Side
	for i := range 5 {
		base = append(base, gallery("gallery", "render_service", 100, 20, func(k int) int { return 2 + (k+i)%9 }).side(fmt.Sprint("base", i)))
		g := gallery("gallery", "render_service", 100, 20, func(k int) int { return 4 + (k+i)*7919%200 })
		for k, f := range g.Frames {
			f.Period = []trace.Duration{8 * ms, 10 * ms, 11 * ms, 16 * ms}[k/2%4]
		}
		rates = append(rates, g.side(fmt.Sprint("new", i)))
	}
	pages = append(pages, struct {
		name string
		*Diff
	}{"runs", compare(t, Join("base", base), Join("new", rates), Options{})})
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			if page.name != "runs" {
				slow.Skip(t)
			}
			b := browsertest.New(t)
			written := []byte(write(t, page.Diff, "html", WriteOptions{}))
			for _, width := range slow.Of([]int64{390}, []int64{390, 1280, 2560}) {
				for _, scheme := range slow.Of([]string{"dark"}, []string{"light", "dark"}) {
					what := fmt.Sprintf("%d pixels, %s", width, scheme)
					b.Show(written, width, 1000, scheme)
					b.Screenshot(fmt.Sprintf("diff-%s-%d-%s", page.name, width, scheme))
					browsertest.Eval[bool](b, `document.querySelectorAll("details").forEach((d, i) => d.open = i < 1) || true`)
					b.CheckNoSidewaysScroll(what)
					b.CheckAccessible(what)
					if n := browsertest.Eval[int](b, overlapping); n > 0 {
						t.Errorf("%s: %d labels of charts overlap", what, n)
					}
					b.CheckQuiet()
				}
			}
		})
	}
}
