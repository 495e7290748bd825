package hitrace

// Internals that the external tests use.

type Blocks = blocks

var (
	NewBlocks = newBlocks
	Recognize = spellings.recognize
	WordOf    = (*Marker).word
)
