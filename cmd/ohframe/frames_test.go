package main

import (
	"errors"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/frametable"
)

// A process that has layers and no frames has rows only if layers are listed.
func TestProcessWithoutFrames(t *testing.T) {
	camera, app := &analyzer.Process{PID: 1, Name: "camera_host"}, &analyzer.Process{PID: 2, Name: "app"}
	timeline := &analyzer.Timeline{
		Processes: []*analyzer.Process{camera, app}, Frames: []*analyzer.Frame{{Process: app}},
		Layers: []*analyzer.Layer{{Name: "preview", Process: camera}},
	}
	for kind, hint := range map[string]string{"app": "it has layers: --kind layer lists their buffers", frametable.KindLayer: ""} {
		err := checkSelected(&framesFlags{}, frametable.Options{Kinds: []string{kind}, Process: func(p *analyzer.Process) bool { return p == camera }}, []*analyzer.Timeline{timeline})
		f := (*failure)(nil)
		if hint == "" && err != nil || hint != "" && (!errors.As(err, &f) || f.hint != hint) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
