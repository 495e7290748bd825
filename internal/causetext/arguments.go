package causetext

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer/why"
)

// Arguments puts the arguments of a slice into words:
//
//	source resource://banner.png, 4000 × 3000 decoded for 200 × 150, 400 times the pixels shown
//
// It is empty without arguments.
func Arguments(list []why.Argument) string {
	var source, target string
	for _, a := range list {
		switch a.Name {
		case "source_size":
			source = a.Value
		case "target_size":
			target = a.Value
		}
	}
	var words []string
	for _, a := range list {
		switch {
		case a.Name == "text":
			words = append(words, a.Value)
		case a.Name == "source_size" && target != "":
			words = append(words, source+" decoded for "+target+pixels(source, target))
		case a.Name == "target_size" && source != "":
		default:
			words = append(words, Argument(&a))
		}
	}
	return strings.Join(words, ", ")
}

// Argument returns an argument with its name: "index 12".
func Argument(a *why.Argument) string {
	if a.Name == "text" {
		return a.Value
	}
	return strings.ReplaceAll(a.Name, "_", " ") + " " + a.Value
}

// leastRatio is the least ratio of pixels that is worth saying.
const leastRatio = 1.5

// pixels says how many times more pixels the source of an image has than are shown. It is empty if
// a size is unknown.
func pixels(source, target string) string {
	s, ok := area(source)
	t, known := area(target)
	if !ok || !known || t <= 0 {
		return ""
	}
	switch r := s / t; {
	case r >= 10:
		return fmt.Sprintf(", %.0f times the pixels shown", r)
	case r >= leastRatio:
		return fmt.Sprintf(", %.1f times the pixels shown", r)
	}
	return ""
}

// area returns the pixels of a size such as "4000 × 3000".
func area(size string) (float64, bool) {
	width, height, ok := strings.Cut(size, " × ")
	w, err := strconv.ParseFloat(width, 64)
	h, err2 := strconv.ParseFloat(height, 64)
	return w * h, ok && err == nil && err2 == nil
}

// inParentheses returns the arguments of a slice after its name.
func inParentheses(list []why.Argument) string {
	if len(list) == 0 {
		return ""
	}
	return " (" + Arguments(list) + ")"
}

// longest says what the instance with the most time of a cause was for.
func longest(s *why.Share) string {
	if len(s.Instances) == 0 {
		return ""
	}
	i := &s.Instances[0]
	if len(s.Instances) == 1 && ms(i.Time) == ms(s.Value) {
		return "; with " + Arguments(i.Arguments)
	}
	return "; " + ms(i.Time) + " of it with " + Arguments(i.Arguments)
}

// Repeat says how often an argument of a cause occurs: "5 × source a.png in 3 frames,
// 83.1 ms".
func Repeat(r *why.Repeat) string {
	in := ""
	if r.Frames > 1 {
		in = fmt.Sprintf(" in %d frames", r.Frames)
	}
	return fmt.Sprintf("%d × %s%s, %s", r.Instances, Argument(&r.Argument), in, ms(r.Time))
}
