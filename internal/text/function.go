package text

import "strings"

// Function returns the name of a slice for people: of a C++ function in namespaces, only its
// class and its own name. "OHOS::AppExecFwk::MainThread::HandleLaunchAbility" becomes
// "MainThread::HandleLaunchAbility". What is in brackets does not count as a part, and a name
// with spaces outside of them is left as it is.
func Function(name string) string {
	depth, last, before := 0, 0, 0 // where the last two parts begin
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			depth--
		case ' ':
			if depth == 0 {
				return name
			}
		case ':':
			if depth == 0 && i > last && strings.HasPrefix(name[i:], "::") {
				before, last = last, i+2
				i++
			}
		}
	}
	if depth != 0 || last == len(name) {
		return name
	}
	return name[before:]
}
