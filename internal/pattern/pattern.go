// Package pattern has regular expressions that are compiled when they are first used. Most runs of the
// program use none of its many.
package pattern

import (
	"regexp"
	"sync"
)

// New returns a function that returns the regular expression. It panics, at the first call, if the
// expression is mistaken.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
