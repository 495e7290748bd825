package engine_test

import (
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/must"
)

// Colours of slices in pictures of the UI, in HSLuv: #a83ccb, #d73356 and #e9a14e.
func TestColourOf(t *testing.T) {
	for _, test := range []struct {
		name, correlation string
		want              engine.Colour
	}{
		{"10046", "", engine.Colour{293, 47}},
		{"10046 late 35.4 ms", "", engine.Colour{5, 49}},
		{"10 a 11 b", "waiting for storage I/O", engine.Colour{45, 72}},
	} {
		must.Equal(t, engine.ColourOf(test.name, test.correlation), test.want, "%q, %q", test.name, test.correlation)
	}
}
