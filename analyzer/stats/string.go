package stats

import (
	"fmt"
	"strings"
)

// String returns the main measures in one line: "example.gallery: 4 of 37 frames late, 77.3 fps". What is
// unknown is left out.
func (p *Process) String() string {
	var list []string
	if p.Frames.Judged > 0 {
		list = append(list, fmt.Sprintf("%d of %d frames late", p.Frames.Late, p.Frames.Judged))
	}
	if p.FPS != nil {
		list = appendNumber(list, p.FPS.Rate, "%.1f fps")
	}
	if p.Hitches != nil {
		list = appendNumber(list, p.Hitches.Ratio, "hitch %.1f ms/s")
	}
	return p.Name + ": " + joined(list)
}

// String returns the main measures in one line: "2 APP_LIST_FLING of com.example.gallery: response 85.2 ms,
// 6 of 50 frames late, 51.2 fps". What is unknown is left out.
func (s *Interaction) String() string {
	list := appendNumber(nil, s.Response, "response %.1f ms")
	if s.Frames != nil && s.Late != nil {
		list = append(list, fmt.Sprintf("%d of %d frames late", *s.Late, *s.Frames))
	}
	list = appendNumber(list, s.FPS, "%.1f fps")
	return fmt.Sprintf("%d %s of %s: %s", s.ID, s.Scene, s.Process, joined(list))
}

// String returns the main measures in one line: "video node Surface: 2 of 44 buffers late, 28.9 fps". What is
// unknown is left out.
func (l *Layer) String() string {
	var list []string
	if l.Late != nil {
		list = append(list, fmt.Sprintf("%d of %d buffers late", *l.Late, l.Judged))
	}
	list = appendNumber(list, l.FPS, "%.1f fps")
	return l.Name + ": " + joined(list)
}

func appendNumber(list []string, x *float64, format string) []string {
	if x == nil {
		return list
	}
	return append(list, fmt.Sprintf(format, *x))
}

// joined joins what is known.
func joined(list []string) string {
	if len(list) == 0 {
		return "not measured"
	}
	return strings.Join(list, ", ")
}
