package hitrace

// What the external tests use of the package's inside.

type Blocks = blocks

var (
	NewBlocks = newBlocks
	Recognize = recognize
	WordOf    = (*Marker).word
)
