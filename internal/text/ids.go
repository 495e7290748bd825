package text

import (
	"fmt"
	"strings"
)

// maxIDs is the number of interactions that IDs lists.
const maxIDs = 12

// IDs lists ascending numbers: "1–3, 7".
func IDs(list []int) string {
	var parts []string
	for at := 0; at < len(list); {
		end := at + 1
		for end < len(list) && list[end] == list[end-1]+1 {
			end++
		}
		if len(parts) == maxIDs {
			return strings.Join(parts, ", ") + fmt.Sprintf(" and %d more", len(list)-at)
		}
		switch first, last := list[at], list[end-1]; {
		case end-at < 3:
			for _, n := range list[at:end] {
				parts = append(parts, fmt.Sprint(n))
			}
		default:
			parts = append(parts, fmt.Sprintf("%d–%d", first, last))
		}
		at = end
	}
	return strings.Join(parts, ", ")
}
