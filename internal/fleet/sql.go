package fleet

import (
	"embed"
	"fmt"
	"math"
	"strings"

	"ohframe/internal/diag"
)

//go:embed sql
var sqlFiles embed.FS

// Engines are the engines that SQL has views for.
var Engines = []string{"duckdb", "clickhouse", "spark"}

// SQL returns the views and macros of one of the Engines for the dataset in a folder.
func SQL(engine, dir string) (string, error) {
	// Escapes of quotes and of patterns differ between the engines.
	if strings.ContainsAny(dir, "'\\*?[]{}\n") {
		return "", &diag.Error{What: "the name of the folder has characters that are special in SQL or in patterns", Hint: "rename the folder"}
	}
	content, err := sqlFiles.ReadFile("sql/" + engine + ".sql")
	text := strings.ReplaceAll(string(content), "{{DIR}}", dir)
	for t := range tables {
		text = strings.ReplaceAll(text, "{{RATES OF "+t.name()+"}}", t.rates())
	}
	return text, err
}

// rates returns the compared ratios of a table as columns. An alias may have the name of a column of a
// layer.
func (t table) rates() string {
	sum := func(names []string) string {
		list := make([]string, len(names))
		for i, name := range names {
			if list[i] = "sum(" + name + ")"; t == ofLayers {
				list[i] = "sum(l." + name + ")"
			}
		}
		return strings.Join(list, " + ")
	}
	var columns []string
	for _, name := range compared[t] {
		if a := measures.Named(name).Aggregate; a.Times == "" {
			part, factor := sum(a.Parts), ""
			if len(a.Parts) > 1 {
				part = "(" + part + ")"
			}
			if units := a.WholeUnit / a.PartUnit; units != 1 { // a float: a product of integers could exceed 64 bits
				factor = fmt.Sprintf(" * 1e%.0f", math.Log10(units))
			}
			columns = append(columns, fmt.Sprintf("%s%s / nullIf(%s, 0) AS %s", part, factor, sum(a.Wholes), name))
		}
	}
	return strings.Join(columns, ",\n    ")
}
