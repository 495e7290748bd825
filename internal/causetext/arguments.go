package causetext

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
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
			words = append(words, argument(&a))
		}
	}
	return strings.Join(words, ", ")
}

// argument returns an argument with its name: "index 12".
func argument(a *why.Argument) string {
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

// with says what the slices of a cause were for: the arguments of nearly all of its time or, without any, those of the
// largest part if it is at least half:
//
//	; with source a.png
//	; 12.0 ms of it with index 9, 3 times
func with(s *why.Share) string {
	if len(s.Instances) == 1 && 10*s.Instances[0].Time >= 9*s.Value {
		return "; with " + Arguments(s.Instances[0].Arguments)
	}
	var all, most []why.Argument
	var largest why.Repeat
	for _, r := range s.CountArguments() {
		switch {
		case r.Identifies():
			continue
		case 10*r.Time >= 9*s.Value:
			all = append(all, r.Argument)
		case r.Time > largest.Time:
			largest, most = r, []why.Argument{r.Argument}
		case r.Time == largest.Time && r.Instances == largest.Instances:
			most = append(most, r.Argument)
		}
	}
	switch {
	case len(all) > 0:
		return "; with " + Arguments(all)
	case 2*largest.Time < s.Value || len(most) == 0:
		return ""
	}
	words := "; " + ms(largest.Time) + " of it with " + Arguments(most)
	if largest.Instances > 1 {
		words += fmt.Sprintf(", %d times", largest.Instances)
	}
	return words
}

// Repeat says how often an argument of a cause occurs: "5 × source a.png in 3 frames,
// 83.1 ms", with "≥" if it may occur more often. That of a display sync is the rate of its callback: "a callback at 60 Hz
// takes 10.4 ms, 60 times in 60 frames".
func Repeat(r *why.Repeat) string {
	in, atLeast := "", ""
	if r.AtLeast {
		atLeast = "≥ "
	}
	if r.Frames > 1 {
		in = fmt.Sprintf(" in %d frames", r.Frames)
	}
	if r.Argument.Name == "DrawFPS" && r.Instances > 0 && !r.AtLeast {
		return fmt.Sprintf("a callback at %s Hz takes %s, %d times%s", r.Argument.Value, ms(r.Time/trace.Duration(r.Instances)), r.Instances, in)
	}
	return fmt.Sprintf("%s%d × %s%s, %s", atLeast, r.Instances, argument(&r.Argument), in, ms(r.Time))
}
