package text

import (
	"testing"

	"ohframe/internal/testing/must"
)

func TestFunction(t *testing.T) {
	for name, want := range map[string]string{
		"OHOS::AppExecFwk::MainThread::HandleLaunchAbility": "MainThread::HandleLaunchAbility",
		"RSSurfaceRenderNodeDrawable::OnDraw[a::b::c]":      "RSSurfaceRenderNodeDrawable::OnDraw[a::b::c]",
		"a::b<c::d::e>::f(g::h)":                            "b<c::d::e>::f(g::h)",
		"RSUniRender:QuickPrepareScreenRenderNode":          "RSUniRender:QuickPrepareScreenRenderNode",
		"FlushLayoutTask":                                   "FlushLayoutTask",
		"load a::b::c::d":                                   "load a::b::c::d",
		"a::b::c(":                                          "a::b::c(", "a::b::": "a::b::", "": "", "::": "::",
	} {
		must.Equal(t, Function(name), want, "%q", name)
	}
}

// A table breaks a name that is wider than its column at colons, and shorter ones nowhere.
func TestBreakNames(t *testing.T) {
	for s, want := range map[string]string{
		"in Thread::Handle":      "in Thread::Handle",
		"in MainThread::Handle":  "in MainThread::\nHandle",
		"a::b::MainThread::cd":   "a::b::\nMainThread::cd",
		"Uni:QuickPrepareNode":   "Uni:\nQuickPrepareNode",
		"aaaaaaaaaaaaaa::bb":     "aaaaaaaaaaaaaa\n::bb",
		"aaaaaaaaaaaaaaaaaaaaaa": "aaaaaaaaaaaaaaaaaaaaaa",
	} {
		must.Equal(t, breakNames(s, 15), want, "%q", s)
	}
}
