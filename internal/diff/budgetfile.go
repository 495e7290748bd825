package diff

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// Source is where a condition is from: a file of --budgets, or a flag if it is zero.
type Source struct {
	File string
	Line int // counted from 1
	// Pattern selects processes as --process does. Empty selects all.
	Pattern string

	matches func(*analyzer.Process) bool
}

// noSuchProcess returns why a condition of a pattern is unknown that matches none of the
// processes. Several may have one name.
func noSuchProcess(list []*stats.Process) string {
	var named []*stats.Process
	for _, p := range list {
		if p.Name == "" || !slices.ContainsFunc(named, func(other *stats.Process) bool { return other.Name == p.Name }) {
			named = append(named, p)
		}
	}
	why := "no process with frames matches"
	if len(named) > 0 {
		why += "; the trace has " + text.Names(named)
	}
	return why
}

// applies reports whether the pattern selects one of the processes, which may be nil.
func (s Source) applies(list ...*stats.Process) bool {
	if s.matches == nil {
		return true
	}
	for _, p := range list {
		if p != nil && s.matches(&analyzer.Process{PID: p.PID, Name: p.Name}) {
			return true
		}
	}
	return false
}

// BudgetFile is the content of a file of --budgets.
type BudgetFile struct {
	Budgets []Budget   // conditions on values
	Changes Conditions // conditions on changes: those with a sign
}

// MaxBudgetFile is the greatest size of a file of budgets in bytes.
const MaxBudgetFile = 1 << 20

// ParseBudgetFile parses a file of budgets in YAML. name is that of the file.
//
//	all: jank_rate>5%, jank_rate>+2pp
//	processes:
//	  example.gallery:
//	    - fps<55
//	    - p95_ms>12
//
// A list of conditions is a text with commas, or a sequence of such texts. Keys below
// processes select processes as --process does. The error is an *Error with the line.
func ParseBudgetFile(name string, data []byte) (*BudgetFile, error) {
	f := &BudgetFile{}
	file, err := yamlparser.ParseBytes(data, 0)
	if err != nil {
		return nil, yamlError(err)
	}
	if len(file.Docs) > 1 {
		return nil, &Error{What: "more than one YAML document"}
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil || file.Docs[0].Body.Type() == ast.NullType {
		return nil, &Error{What: "no budgets", Hint: budgetHint}
	}
	entries, err := mapping(file.Docs[0].Body)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		switch key := e.Key.GetToken().Value; key {
		case "all":
			err = f.add(e.Value, Source{File: name})
		case "processes":
			err = f.addProcesses(e.Value, name)
		default:
			err = &Error{What: fmt.Sprintf("unknown key %q: expected all or processes", key), Line: lineOf(e.Key), Hint: budgetHint}
		}
		if err != nil {
			return nil, err
		}
	}
	if len(f.Budgets)+len(f.Changes) == 0 {
		return nil, &Error{What: "no budgets", Hint: budgetHint}
	}
	return f, nil
}

const budgetHint = "docs/ci.md has an example of a file of budgets"

func (f *BudgetFile) addProcesses(node ast.Node, name string) error {
	entries, err := mapping(node)
	if err != nil {
		return err
	}
	for _, e := range entries {
		pattern := e.Key.GetToken().Value
		matches, err := stats.MatchProcess(pattern)
		if err != nil {
			return &Error{What: err.Error(), Line: lineOf(e.Key)}
		}
		if pattern == "" {
			return &Error{What: "the name of the process is empty", Line: lineOf(e.Key)}
		}
		if err := f.add(e.Value, Source{File: name, Pattern: pattern, matches: matches}); err != nil {
			return err
		}
	}
	return nil
}

// add adds the conditions in a node.
func (f *BudgetFile) add(node ast.Node, source Source) error {
	if sequence, ok := node.(*ast.SequenceNode); ok {
		for _, item := range sequence.Values {
			if err := f.addList(item, source); err != nil {
				return err
			}
		}
		return nil
	}
	return f.addList(node, source)
}

// isChange matches a condition with a sign.
var isChange = regexp.MustCompile(`[<>]\s*[+-]`)

// addList adds the conditions of a text with commas.
func (f *BudgetFile) addList(node ast.Node, source Source) error {
	source.Line = lineOf(node)
	text, ok := node.(*ast.StringNode)
	if !ok {
		return &Error{What: "expected conditions such as jank_rate>5%", Line: source.Line, Hint: budgetHint}
	}
	for s := range strings.SplitSeq(text.Value, ",") {
		s = strings.TrimSpace(s)
		var err error
		if isChange.MatchString(s) {
			var list Conditions
			list, err = ParseConditions(s)
			for _, c := range list {
				c.Source = source
				f.Changes = append(f.Changes, c)
			}
		} else {
			var list []Budget
			list, err = ParseBudgets(s)
			for _, b := range list {
				b.Source = source
				f.Budgets = append(f.Budgets, b)
			}
		}
		if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
			return &Error{What: fmt.Sprintf("%q: %s", s, syntax.What), Line: source.Line, Hint: "docs/diff.md lists the measures"}
		}
	}
	return nil
}

// mapping returns the entries of a mapping.
func mapping(node ast.Node) ([]*ast.MappingValueNode, error) {
	switch node := node.(type) {
	case *ast.MappingNode:
		return node.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{node}, nil
	}
	return nil, &Error{What: "expected keys and values", Line: lineOf(node), Hint: budgetHint}
}

func lineOf(node ast.Node) int { return node.GetToken().Position.Line }

// yamlError returns an error of the YAML parser.
func yamlError(err error) error {
	var syntax *yaml.SyntaxError
	if !errors.As(err, &syntax) {
		return &Error{What: err.Error()}
	}
	return &Error{What: syntax.Message, Line: syntax.Token.Position.Line}
}
