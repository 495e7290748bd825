package causetext

import (
	"fmt"

	"ohframe/analyzer/why"
	"ohframe/internal/text"
)

// maxName is the width of a name in a text. Those of templates are longer.
const maxName = 100

// Function names a function and its module: "entry::Feed::Recompute(int) (libentry.so)".
func Function(f *why.Function) string {
	name := text.ShortenMiddle(f.Name, maxName/2, maxName)
	if f.Module == "" {
		return name
	}
	return name + " (" + text.Shorten(f.Module, maxName) + ")"
}

// inside names the function of a cause, to follow its sentence. It is empty for nil:
//
//	; most in entry::Feed::Recompute(int) (libentry.so): 8 of 12 samples
func inside(f *why.FunctionTime) string {
	switch {
	case f == nil:
		return ""
	case !f.Waited():
		return fmt.Sprintf("; most in %s: %d of %d samples", Function(&f.Function), f.Samples, f.Of)
	case f.Samples == f.Of:
		return "; called from " + Function(&f.Function)
	}
	return fmt.Sprintf("; most called from %s: %d of %d waits", Function(&f.Function), f.Samples, f.Of)
}
