package text

import (
	"fmt"
	"strings"

	"ohframe/analyzer/stats"
)

// Voter returns the name of a voter on the refresh rate for people: "power mode" of VOTER_POWER_MODE.
func Voter(name string) string {
	name = strings.TrimPrefix(name, "VOTER_")
	switch name {
	case "":
		return Unknown
	case "LTPO", "ANCO":
		return name
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", " "))
}

// RateDecided says which voter decided a refresh rate: "idle vote, 600 ms after the last touch".
func RateDecided(r *stats.RefreshRate) string {
	switch {
	case r.Voter == nil:
		return Unknown
	case r.SinceTouch != nil:
		return fmt.Sprintf("%s vote, %s ms after the last touch", Voter(*r.Voter), Number(*r.SinceTouch, 0))
	}
	return Voter(*r.Voter) + " vote"
}

// RateOverruled lists the votes for other rates: "LTPO 120 Hz, packages 60–90 Hz".
func RateOverruled(r *stats.RefreshRate) string {
	switch {
	case len(r.Overruled) > 0:
	case !r.Counted:
		return Unknown
	default:
		return "none"
	}
	var list []string
	for _, v := range r.Overruled {
		rates := fmt.Sprint(v.Max)
		if v.Min != v.Max {
			rates = fmt.Sprintf("%d–%d", v.Min, v.Max)
		}
		list = append(list, Voter(v.Voter)+" "+rates+" Hz")
	}
	return strings.Join(list, ", ")
}

// RateEffect says what a lower refresh rate did: "35 buffers of stream dropped".
func RateEffect(r *stats.RefreshRate) string {
	var list []string
	if r.Dropped > 0 {
		names := make([]string, len(r.Layers))
		for i, name := range r.Layers {
			names[i] = ShortLayerName(name, LayerWidth)
		}
		list = append(list, fmt.Sprintf("%s of %s dropped", Count(r.Dropped, "buffer"), strings.Join(names, ", ")))
	}
	if n := len(r.Interactions); n > 0 {
		noun := "interaction "
		if n > 1 {
			noun = "interactions "
		}
		list = append(list, noun+IDs(r.Interactions)+" shown at it")
	}
	return strings.Join(list, ", ")
}
