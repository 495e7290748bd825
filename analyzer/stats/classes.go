package stats

import "ohframe/analyzer"

// ClassFrames counts the frames in a jank class of hwui. A frame may be in several.
type ClassFrames struct {
	Class  string `json:"class"`  // gfxinfo's name of the class
	Frames int    `json:"frames"` // frames in it
}

// classes returns the classes that any of the frames is in.
func classes(frames []*analyzer.Frame) []ClassFrames {
	list := []ClassFrames{}
	for class := analyzer.StatsJanky; class <= analyzer.StatsDavey; class <<= 1 {
		n := 0
		for _, f := range frames {
			if f.Android != nil && f.Android.Stats != nil && f.Android.Stats.Jank.Has(class) {
				n++
			}
		}
		if n > 0 {
			list = append(list, ClassFrames{class.String(), n})
		}
	}
	return list
}
