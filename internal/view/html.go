package view

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// assets includes uPlot 1.6.32, https://github.com/leeoniya/uPlot, under the MIT
// licence.
//
//go:embed assets
var assets embed.FS

// WriteHTML writes a document as a page without references to other files.
func WriteHTML(w io.Writer, d *Document) error {
	charts := hasChart(d.Blocks)
	p := page{Document: d, Style: template.CSS(asset("page.css")), Begin: begin, Script: template.JS(script(charts)), Picks: picks(d.Blocks), Common: d.Blocks}
	if first := slices.IndexFunc(d.Blocks, func(b Block) bool { s, ok := b.(Section); return ok && s.Pick != "" }); first >= 0 {
		p.Common, p.Picked = d.Blocks[:first], d.Blocks[first:]
	}
	if charts {
		p.Style = template.CSS(asset("uPlot.min.css")) + p.Style
	}
	return pageTemplate().ExecuteTemplate(w, "page.html", p)
}

// Scripts returns all scripts that pages may have.
func Scripts() []string { return []string{begin, script(false), script(true)} }

// begin is the script at the begin of a page.
const begin = `document.documentElement.classList.add("js")`

// script returns the script at the end of a page, with charts or without.
func script(charts bool) string {
	if !charts {
		return asset("base.js") + asset("page.js")
	}
	// uPlot's licence must be part of every copy.
	return "/*\n" + asset("uPlot.LICENSE") + "*/\n" + asset("uPlot.min.js") +
		asset("base.js") + asset("charts.js") + asset("lines.js") + asset("frame.js") + asset("timechart.js") + asset("distributions.js") + asset("frames.js") + asset("page.js")
}

// page is the input of page.html.
type page struct {
	*Document
	Picks []pickGroup
	// Common are the blocks before the first section of Picks, Picked the others.
	Common, Picked []Block
	// Style, Begin and Script come from assets, never from a trace.
	Style         template.CSS
	Begin, Script template.JS
}

// Failed, Unknown, Undecided and Passed return the checks with the result.
func (p page) Failed() []condition.Check    { return p.Gate.with(failed) }
func (p page) Unknown() []condition.Check   { return p.Gate.with(unknown) }
func (p page) Undecided() []condition.Check { return p.Gate.with(undecided) }
func (p page) Passed() []condition.Check    { return p.Gate.with(passed) }

// First returns the ID of the section that is shown first.
func (p page) First() string {
	first := ""
	for _, g := range p.Picks {
		for _, s := range g.Sections {
			if s.First {
				return s.ID
			}
			first = cmp.Or(first, s.ID)
		}
	}
	return first
}

// pickGroup is a group of sections; a page shows one of them.
type pickGroup struct {
	Name     string
	Sections []Section
}

func picks(list []Block) (groups []pickGroup) {
	for _, b := range list {
		s, ok := b.(Section)
		if !ok || s.Pick == "" {
			continue
		}
		if n := len(groups); n == 0 || groups[n-1].Name != s.PickGroup {
			groups = append(groups, pickGroup{Name: s.PickGroup})
		}
		g := &groups[len(groups)-1]
		g.Sections = append(g.Sections, s)
	}
	return groups
}

func hasChart(list []Block) bool {
	return slices.ContainsFunc(list, func(b Block) bool {
		switch b := b.(type) {
		case Chart:
			return true
		case Section:
			return hasChart(b.Blocks)
		case Page:
			return hasChart(b)
		case Fold:
			return hasChart(b.Blocks)
		}
		return false
	})
}

// pageTemplate is parsed for the first page: most commands write none.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"blocks":  func(list []Block) []htmlBlock { return htmlBlocks(list, 2) },
		"inner":   func(list []Block, level int) []htmlBlock { return htmlBlocks(list, level+1) },
		"percent": func(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) },
		"tags":    func(list []string) string { return strings.Join(list, " ") },
		"lines":   func(s string) []string { return strings.Split(s, "\n") },
		"count":   text.Count,
		"soft":    soft,
		"tiles":   tiles,
		"any":     func(p Parts) bool { return slices.ContainsFunc(p, func(p Part) bool { return p.Count > 0 }) },
		"json": func(data any) (template.JS, error) {
			// html/template writes a value in a script of JSON itself, but much slower.
			encoded, err := json.Marshal(data)
			return template.JS(encoded), err
		},
	}).ParseFS(assets, "assets/*.html"))
})

// soft returns a text whose names can be broken after their parts: after a dot, a slash, a colon or an underscore between
// letters or digits, but not in numbers.
func soft(s string) template.HTML {
	var b strings.Builder
	from, inName, ended := 0, false, rune(0) // the name is before the character that ended its part
	for i, r := range s {
		switch alphanumeric := unicode.IsLetter(r) || unicode.IsDigit(r); {
		case strings.ContainsRune("./:_", r):
			ended = r
		default:
			if inName && ended != 0 && (unicode.IsLetter(r) || alphanumeric && ended != '.' && ended != ':') {
				b.WriteString(template.HTMLEscapeString(s[from:i]) + "<wbr>")
				from = i
			}
			inName, ended = alphanumeric, 0
		}
	}
	return template.HTML(b.String() + template.HTMLEscapeString(s[from:]))
}

// tiles returns in how many columns n tiles are, at most so many: then the rows are as long as each other, or almost.
func tiles(n, most int) int {
	rows := max(1, (n+most-1)/most)
	return (n + rows - 1) / rows
}

// htmlBlock is a block on a page. Its template has the name of its type.
type htmlBlock struct {
	Block Block
	Level int // of headings
}

// half is blocks that are shown beside each other.
type half []Block

func (half) block() {}

// htmlBlocks returns the blocks of a page, with neighbours that may be beside each other
// joined.
func htmlBlocks(list []Block, level int) (shown []htmlBlock) {
	var beside half
	flush := func() {
		if len(beside) > 0 {
			shown = append(shown, htmlBlock{beside, level - 1})
		}
		beside = nil
	}
	for _, b := range list {
		switch b := b.(type) {
		case Terminal:
			continue
		case Page:
			flush()
			shown = append(shown, htmlBlocks(b, level)...)
			continue
		case Section:
			if b.Half && level > 0 {
				beside = append(beside, b)
				if len(beside) == 2 {
					flush()
				}
				continue
			}
		}
		flush()
		shown = append(shown, htmlBlock{b, level})
	}
	flush()
	return shown
}

// Render returns the block as HTML.
func (b htmlBlock) Render() (template.HTML, error) {
	var out bytes.Buffer
	if list, ok := b.Block.(half); ok {
		out.WriteString(`<div class="two">`)
		for _, s := range list {
			section := s.(Section)
			section.Half = false
			html, err := htmlBlock{section, b.Level + 1}.Render()
			if err != nil {
				return "", err
			}
			out.WriteString(string(html))
		}
		out.WriteString("</div>")
		return template.HTML(out.String()), nil
	}
	err := pageTemplate().ExecuteTemplate(&out, reflect.TypeOf(b.Block).Name(), b)
	return template.HTML(out.String()), err
}

// Heading returns the element of a heading.
func (b htmlBlock) Heading(title string) template.HTML {
	level := strconv.Itoa(min(4, b.Level))
	return template.HTML("<h" + level + ">" + template.HTMLEscapeString(title) + "</h" + level + ">")
}

// Name returns the column that names the rows: the first of text.
func (t Table) Name() int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Number && !c.Bars })
}

// Class returns the style classes of a table.
func (t Table) Class() string {
	var list []string
	for _, c := range []struct {
		is   bool
		name string
	}{{t.Sortable, "sortable"}, {t.Narrow, "narrow"}, {t.Cards, "as-cards"}} {
		if c.is {
			list = append(list, c.name)
		}
	}
	return strings.Join(list, " ")
}

// Class returns the style class of a level.
func (l Level) Class() string {
	return [...]string{Plain: "", Warning: "warn", Critical: "bad", Better: "better", Worse: "worse", Soft: "soft"}[l]
}

func asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(fmt.Sprintf("no asset %s", name)) // a misspelt name above
	}
	return strings.TrimRight(string(data), "\n") + "\n"
}
