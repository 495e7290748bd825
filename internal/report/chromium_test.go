package report

import (
	"bytes"
	"testing"

	"github.com/chromedp/chromedp"

	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// browser shows reports.
type browser struct{ *browsertest.Browser }

// newBrowser opens a page in slow tests. TestPages opens one page in the quick set, too.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	slow.Skip(t)
	return &browser{browsertest.New(t)}
}

// open shows a report in a window of the given size, in the "light" scheme or
// the "dark" one, and picks com.example.app if it has late frames.
func (b *browser) open(inputs []Input, width, height int64, scheme string) {
	b.Helper()
	var page bytes.Buffer
	must.Do(b, Write(&page, inputs, "html", Options{}))
	b.Show(page.Bytes(), width, height, scheme)
	eval[bool](b, `(() => {
		const option = [...document.querySelectorAll("#pick option")].find(o => o.textContent.startsWith("com.example.app"));
		if (option) pick(document.getElementById(option.value));
		return true;
	})()`)
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	b.Do(steps...)
}

func eval[T any](b *browser, expression string) T {
	b.Helper()
	return browsertest.Eval[T](b.Browser, expression)
}
