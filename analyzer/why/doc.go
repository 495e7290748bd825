// Package why has the causes of late frames and buffers, what responses and hangs were spent on, and sums
// of causes over many frames or buffers. docs/why.md defines the terms and has the rules.
//
//	Causes ─▶ Explanation of a frame, its way to the display, its pick-up, a late buffer, a response, a hang
//	             ├─▶ Step, without gaps ─▶ Work of a thread ─▶ Share of its time ─▶ Culprit
//	             └─▶ Share of what was lost ─▶ Culprit
//	Ranking ─▶ Cost: the same Shares of many Explanations
//
// ohframe.Read finds causes if Options.Causes is set. Trace.Why and Trace.WhyBuffer put one into words, and ohframe.Title
// names a Cost.
package why
