package text

import (
	"testing"

	"ohframe/analyzer/stats"
)

func TestCadence(t *testing.T) {
	for want, c := range map[string]stats.Cadence{
		"every vsync of 120 Hz":                           {Every: 1, Refresh: 120, Share: 1},
		"every 2nd vsync of 120 Hz":                       {Every: 2, Refresh: 120, Share: .9},
		"every 3rd vsync of 90 Hz (75.0 % of the gaps)":   {Every: 3, Refresh: 90, Share: .75},
		"every 4th vsync of 60 Hz":                        {Every: 4, Refresh: 60, Share: 1},
		"every 11th vsync of 120 Hz":                      {Every: 11, Refresh: 120, Share: 1},
		"every 21st vsync of 240 Hz":                      {Every: 21, Refresh: 240, Share: 1},
		"every 112th vsync of 120 Hz (1.0 % of the gaps)": {Every: 112, Refresh: 120, Share: .01},
	} {
		if got := Cadence(&c); got != want {
			t.Errorf("%+v: %s, want %s", c, got, want)
		}
	}
}
