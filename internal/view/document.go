// Package view shows results to people and to other programs.
//
//	result ─▶ a view function ─▶ Document ─▶ Terminal, HTML, Markdown, JUnit
//	rows of one struct type   ─▶ Records  ─▶ CSV, JSON, Parquet
//
// A view function decides what is shown and in which order; it lives in the package of its
// command (report, causes, diff). A renderer decides how it looks, the same for all
// commands. A document has text that is ready to be read: numbers are formatted by package
// text, names from traces are made printable by the view function.
package view

import (
	"slices"

	"ohframe/internal/condition"
	"ohframe/internal/quality"
	"ohframe/internal/rating"
	"ohframe/internal/text"
)

// Document is what a command shows.
type Document struct {
	// Kind says what the document is: "Frame report".
	Kind string
	// Title is the title of the page, usually with the name of the input.
	Title string
	// Answer is what the document says first; may be empty.
	text.Answer
	// Warnings are about the whole document, such as skipped inputs.
	Warnings []string
	// Gate has the conditions and what they apply to.
	Gate GateReport
	// Blocks are the content, in order.
	Blocks []Block
	// Terms are explained at the end of a page.
	Terms []Term
	// Shared is data that several charts of a page use, as JSON; may be nil.
	Shared any
}

// Term is a term of the field with its definition.
type Term struct{ Name, Definition string }

// GateReport has the results of conditions.
type GateReport struct {
	condition.Gate
	// Subject is what checks of no single input are about, such as "base → new"; the title if it
	// is empty.
	Subject string
	// Inputs are what was measured, and what was skipped.
	Inputs []Input
	// Error is an error that left nothing to check; usually empty.
	Error string
	// Verdict is a sentence about a comparison; empty for a report.
	Verdict string
	// Warnings are those of the document, without skipped inputs.
	Warnings []string
	// Tables are those of a summary for continuous integration. Those without rows are left out.
	Tables []Table
}

// Input is an input and its data quality, nil if unknown.
type Input struct {
	Name    string
	Quality *quality.Quality
	// Skipped says why the input could not be used; empty if it was.
	Skipped string
}

// Level is how a value or a note is coloured.
type Level uint8

// The levels. Better and Worse are for changes.
const (
	Plain Level = iota
	Warning
	Critical
	Better
	Worse
	Soft // of less importance
)

// LevelOf returns the level that shows one of package rating.
func LevelOf(l rating.Level) Level {
	return [...]Level{rating.None: Plain, rating.Warning: Warning, rating.Critical: Critical}[l]
}

// Block is a part of a document: one of the types below.
type Block interface{ block() }

// Section is a heading with blocks.
type Section struct {
	// ID is the target of links, unique in the document; may be empty.
	ID           string
	Title, About string
	// Meaning explains the title.
	Meaning string
	// Article makes it a part of the document with panels of its own, instead of a panel.
	Article bool
	// Pick makes a page show only one of all sections with Pick at a time. It is the name in
	// the list of the page, below the name of the group PickGroup. First is the one shown
	// first.
	Pick, PickGroup string
	First           bool
	// Half lets a page show it beside the next section.
	Half bool
	// PageOnly leaves it out of terminals.
	PageOnly bool
	Blocks   []Block
}

// Page has blocks that only pages show.
type Page []Block

// Terminal has blocks that only terminals show.
type Terminal []Block

// Note is a paragraph. A Warning or Critical one is emphasized.
type Note struct {
	Label string // bold, before the text; may be empty
	Text  string
	Level Level
	// Command: Text is a shell command, which a page offers to copy.
	Command bool
}

// Facts are labels with values. Cards are large on a page.
type Facts struct {
	Cards bool
	List  []Fact
}

// Fact is a value with its label.
type Fact struct {
	Label, Meaning string
	Value, Unit    string
	Level          Level
	// About is further text. Each line of it is on a line of its own.
	About string
}

// Table is rows of cells.
type Table struct {
	Label    string // describes the table for readers of pages; empty if a title is above
	Columns  []Column
	Rows     []Row
	Sortable bool
	// Narrow keeps a page from making the table as wide as it can be.
	Narrow bool
	// Cards lets a phone show each row as a card, its values with the titles of their columns,
	// instead of a table to be scrolled.
	Cards bool
	// More is a line below a shortened table.
	More string
}

// Column is a column of a Table.
type Column struct {
	Title, Meaning string
	// Number aligns cells to the right.
	Number bool
	// Min is the least width in a terminal.
	Min int
	// Bars marks a column of bars, which only pages show.
	Bars bool
	// Short is the title in a narrow terminal, in lines; may be empty.
	Short string
	// About says what Cell.About has; a narrow page leaves it out, and a narrow terminal
	// before it leaves out columns. Empty if it is always shown.
	About string
	// Drop lets a narrow terminal leave the column out: those with the highest Drop first, 0
	// never.
	Drop int
}

// RemoveColumns removes the columns from the first to before the end.
func (t *Table) RemoveColumns(first, end int) {
	t.Columns = slices.Delete(t.Columns, first, end)
	for i := range t.Rows {
		t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, first, end)
	}
}

// Row is a row of a Table.
type Row struct {
	Cells []Cell
	// Link is the ID of the section about the row; may be empty.
	Link string
	// Strong emphasizes the row.
	Strong bool
}

// Cell is a cell of a Table.
type Cell struct {
	Text  string
	Level Level
	// Meaning explains Text.
	Meaning string
	// About is a small text after Text.
	About string
	// At makes a link to the frame that starts at this time, in nanoseconds, in the chart of
	// the section; empty for none.
	At string
	// Bars are drawn in a cell of a column of bars, one over the other.
	Bars []Bar
	// Command is a shell command, which a page offers to copy.
	Command bool
}

// Bar is a part of a lane. Left and Width are shares of the lane, 0 to 1.
type Bar struct {
	Left, Width float64
	// Height is a share of the height of the lane, from below; 0 for all of it.
	Height float64
	// Group is the ID of a Group, empty for the plain colour.
	Group string
	Pale  bool
	// Text is in the bar, Title explains it.
	Text, Title string
}

// Group is what items of a colour have in common.
type Group struct{ ID, Name string }

// Parts is a whole divided into groups, with their numbers.
type Parts []Part

// Part is a number of items of a group.
type Part struct {
	Group
	Count int
}

// Ranking is what cost the most time, the most first.
type Ranking struct {
	List []Rank
	// Others is a line about those that are not listed: their time, and text. May be nil.
	Others *Rank
}

// Rank is a line of a Ranking.
type Rank struct {
	// Share is the share of the whole, Time the time in milliseconds with its unit.
	Share, Time string
	Title       string
	// About is further text after the title.
	About string
	// Advice is a line below.
	Advice string
	// Bar is the length of the bar of a page, 0 to 1, in the colour of Group.
	Bar   float64
	Group string
	// Tag selects the Cases with the same tag; may be empty.
	Tag string
}

// Cases are items of a list, such as late frames, each with a reason.
type Cases struct {
	// Key, Amount and Text are titles of columns.
	Key, Amount, Text string
	// Legend are the colours of the lanes, About explains them.
	Legend []Group
	About  string
	List   []Case
	// More is a line below a shortened list.
	More string
}

// Case is an item of Cases.
type Case struct {
	Key, Amount, Text string
	// Usual and Took are lanes of a page: what is usual, what was, and Mark, a share of the
	// lane, 0 to 1; negative for none.
	Usual, Took []Bar
	Mark        float64
	// Time is a link as that of Cell.At to At; may be empty.
	Time, At string
	// Lanes are shown when the case is open. Open says that it is from the begin.
	Lanes []Lane
	Open  bool
	Tags  []string
}

// Lane is bars on one line.
type Lane struct {
	Name string
	Bars []Bar
	// Plain bars have frames and text instead of colours.
	Plain bool
	// Text is in place of bars.
	Text string
	// Value is at the end of the line.
	Value string
	// Sum is a line above which others are added up.
	Sum bool
}

// Strips are pictures of what happened one after the other, such as the frames of an
// interaction. Only pages have them, and they need no script.
type Strips struct {
	// Legend are the colours of the bars, About explains them.
	Legend []Group
	About  string
	List   []Strip
	// More is a line below a shortened list.
	More string
}

// Strip is a picture with its title.
type Strip struct {
	// ID is the target of links; may be empty.
	ID           string
	Title, About string
	Bars         []Bar
	// Low lanes have bars with text and no heights.
	Low bool
	// Line is a height, such as that of a limit, 0 to 1; 0 for none.
	Line float64
	// Marks are moments.
	Marks []Mark
	// From and To are the ends of the axis.
	From, To string
}

// Mark is a moment in a Strip, at a share of the lane.
type Mark struct {
	At    float64
	Title string
}

// Chart is a drawing that only pages have. Kind is the name of a function in the scripts of
// assets.
type Chart struct {
	Kind         string
	Title, About string
	// Data is the input of the function, as JSON.
	Data any
}

// Flame is a flame graph: rows of bars, each below that of its caller. Only pages have it, and
// it needs no script.
type Flame struct {
	// Label describes it for readers who do not see it.
	Label, About string
	Rows         [][]Bar
}

// Fold is blocks that a page shows when the reader opens them, and a terminal never.
type Fold struct {
	Title  string
	Blocks []Block
}

func (Section) block()  {}
func (Page) block()     {}
func (Terminal) block() {}
func (Note) block()     {}
func (Facts) block()    {}
func (Table) block()    {}
func (Parts) block()    {}
func (Ranking) block()  {}
func (Cases) block()    {}
func (Strips) block()   {}
func (Chart) block()    {}
func (Flame) block()    {}
func (Fold) block()     {}
