// Package docs has the documents that the program quotes.
package docs

import _ "embed"

// Glossary is glossary.md.
//
//go:embed glossary.md
var Glossary string

// Frames is frames.md.
//
//go:embed frames.md
var Frames string
