package diff

import (
	"fmt"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// Pages of few frames, of many and of several runs fit into windows of all sizes, in either
// scheme, and can be used without seeing or a mouse.
func TestPages(t *testing.T) {
	pages := map[string]*Diff{"everything": everything(t)}
	for _, n := range []int{1, 10_000} {
		s := func(name string, slower int) Side {
			return gallery("gallery", "render_service", n, 20, func(i int) int { return 2 + i*7919%(9+slower) }).side(name)
		}
		pages[fmt.Sprint(n)] = compare(t, s("before.ftrace", 0), s("after.ftrace", 6), Options{})
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
	pages["runs"] = compare(t, Join("base", base), Join("new", rates), Options{FailOn: conditions(t, "jank_rate>+2%,longest_streak>+1,fps<-5%")})
	for name, d := range pages {
		t.Run(name, func(t *testing.T) {
			if name != "runs" {
				slow.Skip(t)
			}
			b := browsertest.New(t)
			written := []byte(write(t, d, "html", WriteOptions{}))
			for _, width := range slow.Of([]int64{390}, []int64{390, 1280, 2560}) {
				for _, scheme := range slow.Of([]string{"dark"}, []string{"light", "dark"}) {
					what := fmt.Sprintf("%d pixels, %s", width, scheme)
					b.Show(written, width, 1000, scheme)
					b.Screenshot(fmt.Sprintf("diff-%s-%d-%s", name, width, scheme))
					browsertest.Eval[bool](b, `document.querySelectorAll("details").forEach((d, i) => d.open = i < 1) || true`)
					b.CheckNoSidewaysScroll(what)
					b.CheckAccessible(what)
					b.CheckQuiet()
				}
			}
		})
	}
}
