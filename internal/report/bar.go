package report

import "strings"

// shareBar returns a bar of n/most of width cells, in steps of an eighth of a cell.
func shareBar(n, most, width int) string {
	if most == 0 {
		return ""
	}
	eighths := (n*width*8 + most - 1) / most
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string('█' + rune(8-rest))
	}
	return bar
}
