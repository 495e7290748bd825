// Package why has the causes of late frames, and sums them over many frames. docs/why.md
// defines the terms and has the rules.
//
//	Causes ─▶ Explanation, for each complete frame ─▶ Share of the overrun ─▶ Culprit
//
// ohframe.Read finds causes if Options.Causes is set, and ohframe.Why puts one into words.
package why
