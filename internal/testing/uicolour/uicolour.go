// Package uicolour computes the colours that Perfetto's UI gives to slices of tracks other
// than its own, by the rule of ui/src/components/colorizer.ts, v53 to v58.
package uicolour

import (
	"fmt"
	"math"
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

// Parse returns the hue and the lightness of a colour such as #e9a14e, in HSLuv.
func Parse(hex string) (Colour, error) {
	var part [3]uint8
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &part[0], &part[1], &part[2]); err != nil {
		return Colour{}, fmt.Errorf("%q is no colour: %w", hex, err)
	}
	var rgb [3]float64
	for i, p := range part {
		if c := float64(p) / 255; c <= 0.04045 {
			rgb[i] = c / 12.92
		} else {
			rgb[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	x := 0.412391*rgb[0] + 0.357584*rgb[1] + 0.180481*rgb[2]
	y := 0.212639*rgb[0] + 0.715169*rgb[1] + 0.072192*rgb[2]
	z := 0.019331*rgb[0] + 0.119195*rgb[1] + 0.950532*rgb[2]
	const whiteU, whiteV = 0.197830, 0.468320
	sum := x + 15*y + 3*z
	hue := math.Atan2(9*y/sum-whiteV, 4*x/sum-whiteU) * 180 / math.Pi
	lightness := 116*math.Cbrt(y) - 16 // not of nearly black
	return Colour{(int(math.Round(hue)) + 360) % 360, int(math.Round(lightness))}, nil
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
