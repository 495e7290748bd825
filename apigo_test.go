package ohframe_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ohframe/internal/testing/compatibility"
)

// promised are the folders of the packages whose exported names are kept.
var promised = []string{".", "./compare", "./analyzer", "./analyzer/sample", "./analyzer/stats", "./analyzer/trace", "./analyzer/why", "./exporter"}

var (
	docSection = regexp.MustCompile(`^(CONSTANTS|VARIABLES|FUNCTIONS|TYPES)$`)
	docComment = regexp.MustCompile(`(^|\s)//.*`)
)

// TestGo lists the exported names of the promised packages, each with its type:
// the output of go doc without comments.
func TestGo(t *testing.T) {
	var list strings.Builder
	for _, folder := range promised {
		list.WriteString("package " + folder + "\n")
		isDeclaration := false // the comment of the package comes first
		for line := range strings.Lines(goOutput(t, "doc", "-all", folder)) {
			line = docComment.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")
			switch {
			case docSection.MatchString(line):
				isDeclaration = true
			case isDeclaration && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "    "):
				indent := len(line) - len(strings.TrimLeft(line, "\t"))
				// Widths depend on the lines around.
				list.WriteString(strings.Repeat("\t", indent) + strings.Join(strings.Fields(line), " ") + "\n")
			}
		}
	}
	compatibility.Check(t, filepath.Join("testdata", "api", "go.txt"), list.String())
}
