package text

import (
	"strings"
	"unicode"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
)

// MatchLayer returns a function that reports whether a layer is meant by a pattern of
// stats.MatchLayer, or by the name that LayerName returns, in which brackets are no class.
func MatchLayer(pattern string) (func(*analyzer.Layer) bool, error) {
	match, err := stats.MatchLayer(pattern)
	if err != nil {
		return nil, err
	}
	return func(l *analyzer.Layer) bool { return match(l) || LayerName(l.Name) == pattern }, nil
}

// minHash is the fewest digits of an identity hash: others are often words, such as "face".
const minHash = 5

// LayerName returns the name of a layer with * for what differs from run to run: ids, counters
// and identity hashes. "SurfaceView[app]#1313_137 10aa7df" is "SurfaceView[app]#*_* *".
func LayerName(name string) string {
	var b strings.Builder
	for name != "" {
		end := strings.IndexFunc(name, func(r rune) bool { return !isAlphanumeric(r) })
		if end < 0 {
			end = len(name)
		}
		word := name[:end]
		if isHash(word) {
			word = "*"
		}
		for digits := false; word != ""; word = word[1:] {
			if word[0] < '0' || word[0] > '9' {
				b.WriteByte(word[0])
				digits = false
			} else if !digits {
				b.WriteByte('*')
				digits = true
			}
		}
		rest := strings.TrimLeftFunc(name[end:], func(r rune) bool { return !isAlphanumeric(r) })
		b.WriteString(name[end : len(name)-len(rest)])
		name = rest
	}
	return b.String()
}

func isAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isHash reports whether a word is a number in hexadecimal with a digit.
func isHash(word string) bool {
	return len(word) >= minHash && strings.Trim(word, "0123456789abcdef") == "" && strings.ContainsAny(word, "0123456789")
}

// LayerWidth is the width of a layer's name in tables and messages.
const LayerWidth = 40

// ShortLayerName returns the printable name of a layer. One that is too wide loses what is
// before its last blank, which names the owner, and then its middle.
func ShortLayerName(name string, width int) string {
	name = Printable(name)
	if name == "" {
		return Unknown
	}
	if at := strings.LastIndexByte(name, ' '); at > 0 && at+1 < len(name) && Width(name) > width {
		name = "…" + name[at+1:]
	}
	return ShortenMiddle(name, width/2, width)
}
