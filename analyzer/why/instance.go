package why

import (
	"slices"

	"ohframe/analyzer/trace"
)

// Argument is a detail that the label of a slice has beside its name: the file of an image, the
// index of an item.
type Argument struct {
	// Name says what it is. docs/why.md lists the names that have a meaning; others are those that
	// the label gives. Value is text from the trace, at most MaxArgument bytes.
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Limits of arguments.
const (
	// MaxArgument is the maximum length of the name and of the value of an argument, in bytes.
	MaxArgument = 160
	// MaxInstances is the maximum number of instances of a cause of a frame.
	MaxInstances = 8
)

// Instance is one slice of a cause of a frame whose label has arguments.
type Instance struct {
	Start trace.Time `json:"start_ns"`
	End   trace.Time `json:"end_ns"`
	// Time is how long the cause lasted in the slice itself, without the slices inside it.
	Time      trace.Duration `json:"ns"`
	Arguments []Argument     `json:"arguments"`
}

// Repeat is an argument of the instances of a cause, of one late frame or of all.
type Repeat struct {
	Argument
	// Instances and Frames are the numbers of slices and of frames with it, and Time is the sum of
	// Instance.Time.
	Instances int            `json:"instances"`
	Frames    int            `json:"frames"`
	Time      trace.Duration `json:"ns"`
	// AtLeast is set if a frame with it has other slices of the cause whose arguments are unknown,
	// because they are short: these may have it, too.
	AtLeast bool `json:"at_least,omitzero"`
}

// RepeatsOf returns the arguments of instances of a cause, in the order in which they occur first. calls is the number
// of all slices of the cause.
func RepeatsOf(list []Instance, calls int) []Repeat {
	var repeats []Repeat
	at := map[Argument]int{}
	for i := range list {
		for n, a := range list[i].Arguments {
			if slices.Contains(list[i].Arguments[:n], a) {
				continue
			}
			k, ok := at[a]
			if !ok {
				k = len(repeats)
				at[a] = k
				repeats = append(repeats, Repeat{Argument: a, Frames: 1, AtLeast: calls > len(list)})
			}
			repeats[k].Instances++
			repeats[k].Time += list[i].Time
		}
	}
	return repeats
}

// CountArguments returns the arguments of the slices of a cause of a frame.
func (s *Share) CountArguments() []Repeat {
	if s.Repeats != nil {
		return s.Repeats
	}
	return RepeatsOf(s.Instances, s.Calls)
}

// Identifies reports whether an argument names one object, so that another slice with it says
// nothing new.
func (a *Argument) Identifies() bool {
	switch a.Name {
	case "node", "parent", "id":
		return true
	}
	return false
}
