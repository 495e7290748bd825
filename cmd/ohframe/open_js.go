package main

// newServer fails: pages cannot serve.
func newServer(*openFlags) (shower, error) {
	return nil, &failure{what: "open: the browser cannot serve traces", hint: "-o FILE writes the trace for a page that posts it"}
}
