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

// The same colours, within the rounding of RGB.
func TestParse(t *testing.T) {
	for hex, want := range map[string]Colour{"#a83ccb": {293, 47}, "#d73356": {5, 49}, "#e9a14e": {45, 72}} {
		if got, err := Parse(hex); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", hex, got, err, want)
		}
	}
	if _, err := Parse("red"); err == nil {
		t.Error("red: no error")
	}
}
