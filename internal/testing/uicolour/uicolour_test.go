package uicolour

import (
	"testing"

	"ohframe/internal/testing/must"
)

// Colours of slices in pictures of the UI, in HSLuv: #a83ccb, #d73356 and #e9a14e.
func TestOf(t *testing.T) {
	for _, test := range []struct {
		name, correlation string
		want              Colour
	}{
		{"10046", "", Colour{293, 47}},
		{"10046 late 35.4 ms", "", Colour{5, 49}},
		{"10 a 11 b", "waiting for storage I/O", Colour{45, 72}},
	} {
		must.Equal(t, Of(test.name, test.correlation), test.want, "%q, %q", test.name, test.correlation)
	}
}
