package stats

import "ohframe/analyzer"

// Kind is which kind of frames a process makes: the name of its frames' analyzer.Kind.
type Kind string

const (
	// Application is a process that makes application frames.
	Application Kind = "app"
	// RenderService is a process that makes render frames.
	RenderService Kind = "render"
)

func kindOf(f *analyzer.Frame) Kind { return Kind(f.Kind.String()) }
