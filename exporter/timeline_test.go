package exporter

import "ohframe/exporter/internal/timeline"

// What most tests use of package timeline.

type tokens = timeline.Tokens

var newTokens = timeline.NewTokens
