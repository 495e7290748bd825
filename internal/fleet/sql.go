package fleet

import (
	"embed"
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
	text, err := sqlFiles.ReadFile("sql/" + engine + ".sql")
	return strings.ReplaceAll(string(text), "{{DIR}}", dir), err
}
