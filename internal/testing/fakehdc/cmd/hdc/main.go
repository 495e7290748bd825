//go:build unix

// Command hdc is the fake hdc of the tests. The variable FAKE_HDC names its folder,
// which has a config.json.
package main

import "ohframe/internal/testing/fakehdc"

func main() { fakehdc.Main() }
