package why

import "ohframe/analyzer/trace"

// Argument is a detail that the label of a slice has beside its name: the file of an image, the
// index of an item.
type Argument struct {
	// Name says what it is. docs/why.md lists the names that have a meaning; others are those that
	// the label gives. Value is text from the trace, at most MaxArgument bytes.
	Name, Value string
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
	Start, End trace.Time
	// Time is how long the cause lasted in the slice itself, without the slices inside it.
	Time      trace.Duration
	Arguments []Argument
}

// Repeat is an argument of the instances of a cause, in all late frames.
type Repeat struct {
	Argument
	// Instances and Frames are the numbers of slices and of frames with it, and Time is the sum of
	// Instance.Time.
	Instances, Frames int
	Time              trace.Duration
}
