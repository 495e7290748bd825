package main

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ohframe/internal/pattern"
	"ohframe/internal/text"
)

// The width of help's lines: that of the terminal within these limits. In a file or a pipe
// it is the usual one.
const (
	minHelpWidth   = 40
	maxHelpWidth   = 100
	usualHelpWidth = 80
)

// helpTemplate is that of the program and of all commands.
const helpTemplate = `{{.HelpName}} - {{.Usage}}

Usage: {{.HelpName}}{{if .VisibleCommands}} COMMAND{{end}} [FLAGS] {{.ArgsUsage}}{{if .Description}}

   {{wrap .Description 3}}{{end}}{{if .VisibleCommands}}

Commands:{{range .VisibleCommands}}
   {{.Name}}  {{.Usage}}{{end}}{{end}}{{range .VisibleFlagCategories}}

{{or .Name "Flags"}}:{{range .Flags}}
   {{.}}{{end}}{{else}}

Flags:{{range .VisibleFlags}}
   {{.}}{{end}}{{end}}
`

func helpWidth() int {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width <= 0 {
		width = usualHelpWidth
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		width = columns
	}
	return min(max(width, minHelpWidth), maxHelpWidth)
}

// printHelp is the library's printer, with lines that fit.
func printHelp(w io.Writer, template string, data any) {
	var b strings.Builder
	cli.HelpPrinterCustom(&b, template, data, nil)
	io.WriteString(w, layHelpOut(b.String(), helpWidth()))
}

// The lines of the library's help: a row of two columns, an example, or a part of a paragraph.
var (
	helpRow       = pattern.New(`^( +)(\S.*?) {2,}(\S.*)$`)
	helpExample   = pattern.New(`^( {4,})(\S.*)$`)
	helpParagraph = pattern.New(`^( {0,3})(\S.*)$`)
)

// shellWord matches a word of a command, which may be quoted.
var shellWord = pattern.New(`[^\s']*'[^']*'\S*|\S+`)

// layHelpOut breaks the lines of help between words.
func layHelpOut(help string, width int) string {
	lines := strings.Split(help, "\n")
	var b strings.Builder
	// take returns the submatches of the lines from i on that match.
	take := func(i int, pattern *regexp.Regexp) (rows [][]string) {
		for ; i < len(lines); i++ {
			m := pattern.FindStringSubmatch(lines[i])
			if m == nil || len(rows) > 0 && m[1] != rows[0][1] || pattern == helpParagraph() && helpRow().MatchString(lines[i]) {
				break
			}
			rows = append(rows, m)
		}
		return rows
	}
	for i := 0; i < len(lines); {
		if rows := take(i, helpRow()); len(rows) > 0 {
			writeHelpRows(&b, rows, width)
			i += len(rows)
		} else if rows := take(i, helpParagraph()); len(rows) > 0 {
			var words []string
			for _, m := range rows {
				words = append(words, strings.Fields(m[2])...)
			}
			b.WriteString(wrapped(words, rows[0][1], rows[0][1], width, "") + "\n")
			i += len(rows)
		} else if m := helpExample().FindStringSubmatch(lines[i]); m != nil {
			b.WriteString(wrapped(shellWord().FindAllString(m[2], -1), m[1], m[1]+"    ", width, ` \`) + "\n")
			i++
		} else {
			b.WriteString(lines[i])
			if i++; i < len(lines) {
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// writeHelpRows writes a table: the submatches are the indentation and the cells. A first
// cell that is wider than a third of the line has a line of its own.
func writeHelpRows(b *strings.Builder, rows [][]string, width int) {
	indent, first := rows[0][1], 0
	for _, m := range rows {
		if n := text.Width(m[2]); n <= width/3 {
			first = max(first, n)
		}
	}
	column := len(indent) + first + 2
	for _, m := range rows {
		begin := indent + m[2]
		if n := text.Width(begin); n+2 <= column {
			begin += strings.Repeat(" ", column-n)
		} else {
			b.WriteString(wrapped(strings.Fields(m[2]), indent, indent+"    ", width, "") + "\n")
			begin = strings.Repeat(" ", column)
		}
		b.WriteString(wrapped(strings.Fields(m[3]), begin, strings.Repeat(" ", column), width, "") + "\n")
	}
}

// wrapped returns the words on lines of at most width cells. A wider word is not broken. The
// first line begins with begin, the others with indent; all but the last end with end.
func wrapped(words []string, begin, indent string, width int, end string) string {
	line, lines := begin, ""
	for i, word := range words {
		space := " "
		if i == 0 || line == indent {
			space = ""
		}
		room := width
		if i < len(words)-1 {
			room -= len(end)
		}
		if space != "" && text.Width(line)+1+text.Width(word) > room {
			lines += line + end + "\n"
			line, space = indent, ""
		}
		line += space + word
	}
	return lines + line
}
