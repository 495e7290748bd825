package place

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ohframe/analyzer/why"
)

// maxArguments bounds the arguments of one label.
const maxArguments = 8

// fields are the names of arguments, by the names that labels give them, in lower case.
var fields = map[string]string{
	"self": "node", "nodeid": "node", "node id": "node", "node_id": "node", "node": "node", "parent": "parent", "parentid": "parent", "id": "id",
	"index": "index", "idx": "index", "component": "component", "componentname": "component", "tag": "component",
	"sourcesize": "source_size", "source size": "source_size", "imagesize": "source_size", "image size": "source_size", "srcsize": "source_size",
	"targetsize": "target_size", "target size": "target_size", "dstsize": "target_size", "desiredsize": "target_size",
	"src": "source", "source": "source", "uri": "source", "image": "source", "imageinfo": "source", "file": "source", "path": "source",
	"url": "url", "page": "page", "pagepath": "page", "pageurl": "page", "route": "page", "router": "page", "interface": "interface",
	"descriptor": "interface", "code": "code", "reason": "reason",
}

// Arguments returns what the label of a slice says beside its name, in the order of the label:
//
//	CustomNode:BuildItem [IconItem][self:38][parent:37]   node 38, parent 37
//	CreateImagePixelMap resource://a.png, sourceSize: [4000, 3000]   source resource://a.png, source_size 4000 × 3000
//	BuildLazyItem [12]   index 12
//
// The label may be one of Marker.Label whose middle is left out. Text that is none of these is
// one argument with the name "text".
func Arguments(label string) []why.Argument {
	key := string(AppendKey(nil, []byte(label)))
	rest := afterKey(label, key)
	if strings.HasPrefix(rest, "(") && isParameters(rest[1:closes(rest)]) {
		rest = rest[min(closes(rest)+1, len(rest)):]
	}
	rest = strings.TrimPrefix(rest, " const") // of a method
	// Names of queues of Android end in #5(BLAST Consumer)5.
	if _, after, ok := strings.Cut(rest, "(BLAST Consumer)"); ok && rest[0] == '#' {
		rest = strings.TrimLeft(after, "0123456789")
	}
	var list []why.Argument
	add := func(name, value string) {
		name, value = cutText(strings.TrimSpace(name)), strings.Trim(value, " \t,;")
		if value == "" || isAddress(value) || isTime(name, value) || len(list) == maxArguments {
			return
		}
		list = append(list, why.Argument{Name: name, Value: cutText(value)})
	}
	addField := func(name, value string) {
		if known := fields[strings.ToLower(strings.TrimSpace(name))]; known != "" {
			name = known
		}
		if strings.HasSuffix(name, "_size") {
			value = size(value)
		}
		add(name, value)
	}
	for _, part := range split(rest) {
		if name, value, ok := field(part); ok {
			addField(name, value)
			continue
		}
		var words []string // of a sentence, not of a list in brackets
		if !strings.Contains(part, ",") {
			words = strings.Fields(part)
		}
		switch at := slices.IndexFunc(words, isDecimal); {
		case at == 1 && len(words) == 2 && isFieldName(words[0]):
			addField(words[0], words[1])
		case at > 0 && !slices.ContainsFunc(words[:at], isProper): // a number in a sentence
		case at >= 0:
			add("text", strings.Join(words[:at], " "))
			for _, word := range words[at:] {
				switch {
				case isNumber(word):
					add(numberName(key), word)
				case isDecimal(word):
					add("value", word)
				case isProper(word):
					add("text", word)
				}
			}
		case strings.HasSuffix(part, ":"), strings.HasSuffix(part, "="): // a field without a value
		case strings.HasPrefix(part, "http://"), strings.HasPrefix(part, "https://"):
			add("url", part)
		case strings.Contains(part, "://"), strings.HasPrefix(part, "/"), strings.HasPrefix(part, "data:"):
			add("source", part)
		default:
			add("text", strings.TrimLeft(part, "#")) // two of them separate a function from what it is called for
		}
	}
	return list
}

// isProper reports whether a word of a sentence is a name: it has more than small letters.
func isProper(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
}

// types are those of parameters that look like words.
var types = map[string]bool{"bool": true, "char": true, "double": true, "float": true, "int": true, "long": true, "void": true}

// isParameters reports whether the text in the parentheses of a function is nothing, or the types of its
// parameters, as compilers print them: they are the same in each call.
func isParameters(s string) bool {
	for part := range strings.SplitSeq(s, ", ") {
		if s == "" || types[part] || strings.HasPrefix(part, "const ") || strings.Contains(part, "::") || strings.HasSuffix(part, "&") || strings.HasSuffix(part, "*") {
			return true
		}
	}
	return false
}

// afterKey returns the part of a label that follows what its key says.
func afterKey(label, key string) string {
	name, bracket, _ := strings.Cut(key, "[")
	at := strings.Index(label, name)
	if at < 0 {
		return label
	}
	rest := label[at+len(name):]
	if bracket = strings.TrimSuffix(bracket, "]"); bracket == "" {
		return rest
	}
	if i := strings.Index(rest, "["+bracket); i >= 0 {
		if end := strings.IndexByte(rest[i:], ']'); end >= 0 {
			return rest[i+end+1:]
		}
	}
	return rest
}

// split returns the parts of a text: those in brackets, and those between commas, blanks before a
// field, and brackets.
func split(s string) []string {
	var parts []string
	for len(s) > 0 && len(parts) < 4*maxArguments {
		s = strings.TrimLeft(s, " \t,;|:")
		if s == "" {
			break
		}
		if s[0] == '[' || s[0] == '(' || s[0] == '{' {
			end := closes(s)
			if inner := strings.TrimSpace(s[1:end]); inner != "" {
				if fields := strings.Split(inner, ", "); len(fields) > 1 && strings.ContainsAny(inner, ":=") {
					parts = append(parts, fields...)
				} else {
					parts = append(parts, inner)
				}
			}
			s = s[min(end+1, len(s)):]
			continue
		}
		end := endOfPart(s)
		parts = append(parts, strings.TrimSpace(s[:end]))
		s = s[end:]
	}
	return parts
}

// closes returns the index of the bracket that closes the one that s begins with, or len(s).
func closes(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// endOfPart returns where the first part of s ends, which is a field or a sentence: at a comma, a
// bracket that is not its value, or a blank before another field, a file or an address.
func endOfPart(s string) int {
	value := -1 // where that of a field begins
	for i := 0; i < len(s); i++ {
		separated := value >= 0 && strings.TrimSpace(s[value:i]) == ""
		switch c := s[i]; {
		case c == ',' || c == ';' || c == '|':
			return i
		case c == '[' || c == '(' || c == '{':
			switch {
			case s[0] == '/' || strings.Contains(s[:i], "://"):
				continue // part of a file's name
			case separated, c == '[' && value < 0 && isFieldName(s[:i]): // DrawFPS[60]
				i += closes(s[i:])
				return min(i+1, len(s))
			}
			return i
		case c == ' ' || c == '\t':
			if !separated && (endsBefore(s[i:]) || s[0] == '/' || strings.Contains(s[:i], "://") || value >= 0 && isDecimal(strings.TrimSpace(s[value:i]))) {
				return i
			}
		case value < 0 && isSeparator(s[i:]):
			value = i + 1
		}
	}
	return len(s)
}

// endsBefore reports whether what follows blanks is another part than what is before them.
func endsBefore(s string) bool {
	s = strings.TrimLeft(s, " \t")
	if isSeparator(s) {
		return false
	}
	end := strings.IndexAny(s, " \t,;|[({:=")
	if end < 0 {
		return strings.HasPrefix(s, "/")
	}
	return s[0] == '/' || s[end] == '[' && end > 0 || strings.HasPrefix(s[end:], "://") || isSeparator(strings.TrimLeft(s[end:], " \t"))
}

// isSeparator reports whether a text begins with what separates the name of a field from its value.
func isSeparator(s string) bool {
	return strings.HasPrefix(s, "=") || strings.HasPrefix(s, ":") && !strings.HasPrefix(s, "://") && !strings.HasPrefix(s, "::")
}

// field returns the name and the value of a part that has both.
func field(part string) (name, value string, ok bool) {
	i := strings.IndexAny(part, ":=[")
	if i <= 0 || strings.HasPrefix(part[i:], "://") || strings.HasPrefix(part, "data:") || !isFieldName(part[:i]) {
		return "", "", false
	}
	if part[i] == '[' {
		return part[:i], strings.TrimSuffix(part[i+1:], "]"), closes(part[i:]) == len(part)-i-1
	}
	value = strings.TrimSpace(part[i+1:])
	if strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") && strings.Count(value, "[") == 1 {
		value = value[1 : len(value)-1]
	}
	return part[:i], value, value != "" && value[0] != ':'
}

func isFieldName(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '_' && c != '-' && c != ' ' {
			return false
		}
	}
	return isLetter(s[0])
}

// numberName returns what a number without a name is: the index of an item, an id, or a value.
func numberName(key string) string {
	switch {
	case strings.Contains(key, "Item"), strings.Contains(key, "ndex"):
		return "index"
	case strings.HasSuffix(key, "Id"):
		return "id"
	}
	return "value"
}

// isAddress reports whether a value is an address, which says nothing to a reader.
func isAddress(s string) bool {
	const digits = 8
	hex, ok := strings.CutPrefix(s, "0x")
	return ok && len(hex) >= digits
}

// isTime reports whether a value is a time of the trace in nanoseconds or microseconds, by its length and by the name of
// the field. It also is one of the long ids that are made of several numbers.
func isTime(name, value string) bool {
	const digits, namedDigits = 11, 6
	if isNumber(value) && len(value) >= digits {
		return true
	}
	name = strings.ToLower(name)
	of := name == "now" || strings.Contains(name, "time") || strings.Contains(name, "deadline")
	return of && isDecimal(value) && (len(value) >= namedDigits || value == "0")
}

func isNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// size returns a width and a height as "4000 × 3000"; other texts as they are.
func size(s string) string {
	width, height, ok := strings.Cut(s, ",")
	if !ok {
		if width, height, ok = strings.Cut(s, "x"); !ok {
			width, height, ok = strings.Cut(s, "*")
		}
	}
	width, height = strings.TrimSpace(width), strings.TrimSpace(height)
	if !ok || !isDecimal(width) || !isDecimal(height) {
		return s
	}
	return width + " × " + height
}

func isDecimal(s string) bool {
	whole, fraction, _ := strings.Cut(s, ".")
	return isNumber(whole) && (fraction == "" || isNumber(fraction))
}

// cutText returns s in at most why.MaxArgument bytes. The end of a path says more than its start.
func cutText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= why.MaxArgument {
		return s
	}
	s = s[len(s)-why.MaxArgument+len("…"):]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return "…" + s
}
