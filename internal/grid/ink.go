package grid

// Ink colours text for a terminal if it is true.
type Ink bool

func (i Ink) with(code, s string, yes bool) string {
	if !bool(i) || !yes || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold and Dim return text so.
func (i Ink) Bold(s string) string { return i.with("1", s, true) }
func (i Ink) Dim(s string) string  { return i.with("2", s, true) }

// Red, Green and Yellow return text in that colour, if it is to have it.
func (i Ink) Red(s string, yes bool) string    { return i.with("31", s, yes) }
func (i Ink) Green(s string, yes bool) string  { return i.with("32", s, yes) }
func (i Ink) Yellow(s string, yes bool) string { return i.with("33", s, yes) }
