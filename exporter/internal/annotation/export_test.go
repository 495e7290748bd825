package annotation

// Where returns which slices have the annotation, with commas between.
func (k Key) Where() string { return on[k] }
