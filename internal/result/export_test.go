package result

// Encode returns the content of a result, before it is deflated.
var Encode = encode

// Wrap returns the value of the field with content.
func Wrap(content []byte) []byte { return wrap(version, schema(), content) }
