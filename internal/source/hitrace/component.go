package hitrace

import "bytes"

// ParseComponent returns the component of a BuildItem or BuildRecycle marker, empty if it has none:
//
//	CustomNode:BuildItem [ProductCard][self:38][parent:37]   since 5.0
//	CustomNode:BuildRecycle ProductCard
func ParseComponent(text []byte) []byte {
	_, name, _ := bytes.Cut(text, []byte(":Build"))
	_, name, _ = bytes.Cut(name, []byte(" "))
	if name = bytes.TrimLeft(name, " "); len(name) > 0 && name[0] == '[' {
		name, _, _ = bytes.Cut(name[1:], []byte("]"))
		return name
	}
	if i := bytes.IndexAny(name, " [|"); i >= 0 {
		name = name[:i]
	}
	return name
}

// StateChange has the fields of a marker of a state variable that has changed.
type StateChange struct {
	Component, Variable []byte
	Nodes               int // that depend on it
}

// ParseStateChange reads the label of a StateChanged marker:
//
//	ViewPU.viewPropertyHasChanged ProductCard price 3
func ParseStateChange(text []byte) (c StateChange, ok bool) {
	words := bytes.Fields(text)
	if len(words) != 4 {
		return c, false
	}
	for _, digit := range words[3] {
		if digit < '0' || digit > '9' || c.Nodes >= 1<<24 {
			return c, false
		}
		c.Nodes = 10*c.Nodes + int(digit-'0')
	}
	c.Component, c.Variable = words[1], words[2]
	return c, true
}
