// Package uicolour computes the colours that Perfetto's UI gives to slices of tracks other
// than its own, by the rule of ui/src/components/colorizer.ts, v53 to v58.
package uicolour

import (
	"regexp"
	"unicode/utf16"
)

// Colour is a colour in HSLuv. The saturation of all is 80 per cent.
type Colour struct {
	Hue       int // 0 to 359
	Lightness int // 40 to 79
}

// Of returns the colour of a slice. A slice without a correlation id has an empty one.
func Of(name, correlation string) Colour {
	seed := correlation
	if seed == "" {
		seed = numbers.ReplaceAllString(name, "")
	}
	return Colour{hash(seed, 360), 40 + hash(seed+"x", 40)}
}

// Red reports whether a colour is one that means late.
func (c Colour) Red() bool { return c.Hue >= 340 || c.Hue <= 20 }

// numbers are dropped from names.
var numbers = regexp.MustCompile(` ?\d+`)

// hash is an FNV hash in JavaScript's numbers: a product loses its lowest bits.
func hash(text string, below int) int {
	h := int32(0x811c9dc5 & 0xfffffff)
	for _, unit := range utf16.Encode([]rune(text)) {
		h ^= int32(unit)
		h = int32(uint32(int64(float64(h) * 16777619)))
	}
	return max(int(h), -int(h)) % below
}
