package report

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ohframe/analyzer/why"
	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/slow"
)

// Pages of no frames and of many fit into windows of all sizes, in either scheme, and can
// be used without seeing or a mouse.
func TestPages(t *testing.T) {
	one := film()
	one.Timeline.Frames = one.Timeline.Frames[:1]
	pages := []struct {
		name   string
		inputs []Input
	}{
		{"none", sample()},
		{"one", []Input{inputOf("one.ftrace", one.Timeline)}},
		{"causes", []Input{explained("FlushLayoutTask", "Worker")}},
		{"unbroken", []Input{unbroken()}},
		{"several", []Input{film(), film()}},
		{"interactions", []Input{flings(), flings()}},
		{"layers", []Input{screen(), screen()}},
	}
	for _, n := range slow.Of([]int{10}, []int{10, 10_000, 200_000}) {
		pages = append(pages, struct {
			name   string
			inputs []Input
		}{fmt.Sprint(n), []Input{inputOf("long.ftrace", longTimeline(n, 1))}})
	}
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			if !slices.Contains([]string{"several", "interactions", "layers", "unbroken"}, page.name) {
				slow.Skip(t)
			}
			b := &browser{browsertest.New(t)}
			written := []byte(write(t, page.inputs, "html", Options{}))
			for _, width := range slow.Of([]int64{390}, []int64{390, 1280, 2560}) {
				for _, scheme := range slow.Of([]string{"dark"}, []string{"light", "dark"}) {
					what := fmt.Sprintf("%d pixels, %s", width, scheme)
					begun := time.Now()
					b.Show(written, width, 1000, scheme)
					t.Logf("%s: %d KB, opened in %s", what, len(written)>>10, time.Since(begun).Round(time.Millisecond))
					b.Screenshot(fmt.Sprintf("page-%s-%d-%s", page.name, width, scheme))
					eval[bool](b, `(() => { window.folded = [...document.querySelectorAll("article[hidden]")]; folded.forEach((a) => a.hidden = false); return true })()`)
					b.CheckNoSidewaysScroll(what)
					if scrolled := eval[[]string](b, `[...document.querySelectorAll(".scroll")].filter((s) => s.scrollWidth > s.clientWidth).map((s) => s.ariaLabel)`); width < 400 && len(scrolled) > 0 {
						t.Errorf("%s: tables %q have columns that a phone does not show", what, scrolled)
					}
					eval[bool](b, `folded.forEach((a) => a.hidden = true) || true`)
					eval[bool](b, `document.querySelectorAll("article:not([hidden]) details").forEach((d, i) => d.open = i < 3) || true`)
					b.CheckAccessible(what)
					b.CheckQuiet()
				}
			}
		})
	}
}

// unbroken is a trace whose slices have long names that no line can end in, such as those of C++ symbols.
func unbroken() Input {
	const long = "WithoutBreaksWithoutBreaksWithoutBreaksWithoutBreaksWithoutBreaksWithoutBreaksWithoutBreaksWithoutBreaksWithoutBreaks"
	in := explained("FlushLayoutTask"+long, "Worker"+long)
	for _, e := range in.Causes.Frames {
		instance := why.Instance{Time: 5 * ms1, Arguments: []why.Argument{{Name: "source", Value: long}}}
		e.Shares[0].Instances = []why.Instance{instance, instance, instance}
	}
	return in
}
