package hitrace

type Blocks = blocks

var NewBlocks = newBlocks
