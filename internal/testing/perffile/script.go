package perffile

import (
	"encoding/json"
	"fmt"
)

// A Script is a profile of ArkTS, as its debugger answers with it. Times are in µs.
type Script struct {
	TID        int          `json:"tid"`
	StartTime  int64        `json:"startTime"`
	EndTime    int64        `json:"endTime"`
	Nodes      []ScriptNode `json:"nodes"`
	Samples    []int        `json:"samples"`
	TimeDeltas []int64      `json:"timeDeltas"`
}

// A ScriptNode is a call of a profile.
type ScriptNode struct {
	ID       int       `json:"id"`
	Call     ScriptRef `json:"callFrame"`
	Hits     int       `json:"hitCount"`
	Children []int     `json:"children"`
}

// A ScriptRef is a function.
type ScriptRef struct {
	Function string `json:"functionName"`
	ScriptID string `json:"scriptId"`
	URL      string `json:"url"`
	Line     int    `json:"lineNumber"`
	Column   int    `json:"columnNumber"`
}

// ScriptCall returns a node.
func ScriptCall(id int, function, url string, line int, children ...int) ScriptNode {
	return ScriptNode{ID: id, Call: ScriptRef{function, "1", url, line, 1}, Children: append([]int{}, children...)}
}

// ScriptRoot returns the three nodes that each profile begins with. Their ids are 1 to 3.
func ScriptRoot(children ...int) []ScriptNode {
	return []ScriptNode{
		ScriptCall(1, "(root)", "", -1, append([]int{2, 3}, children...)...), ScriptCall(2, "(program)", "", -1), ScriptCall(3, "(idle)", "", -1),
	}
}

// Answer returns the debugger's answer with the profile.
func (s *Script) Answer() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"id":3,"result":{"profile":%s}}`, b)
}
