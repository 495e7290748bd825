package view

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// The elements and attributes are those that the schemas of Jenkins' xUnit plugin (junit-10.xsd)
// and of Surefire allow. So a test case has no attribute for the line of a budget, and details
// have a type. Results take no time.
type (
	junitSuites struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Name     string        `xml:"name,attr"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Errors   int           `xml:"errors,attr"`
		Time     int           `xml:"time,attr"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     int         `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		Time    int          `xml:"time,attr"`
		Failure *junitDetail `xml:"failure"`
		Skipped *junitDetail `xml:"skipped"`
		Error   *junitDetail `xml:"error"`
		Output  string       `xml:"system-out,omitempty"`
	}
	junitDetail struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// The names of the test cases of an input's data quality, and of an error that leaves no input.
const (
	qualityCase = "data quality"
	inputsCase  = "inputs"
)

// writeJUnit writes a test suite for each input, with a test case for its data quality
// and one for each process and condition. A condition that failed is a failure. What cannot be checked
// is an error, also an input that is not good enough. The class of a test case is its input: GitLab
// shows the class and the name, and Jenkins groups by the class.
func writeJUnit(w io.Writer, d *Document) error {
	g := &d.Gate
	all := junitSuites{Name: xmlName(d.Title)}
	for i := range g.Inputs {
		in := &g.Inputs[i]
		s := all.suite(in.Name)
		switch skipped := newDetail("skipped", in.Name+": skipped: "+in.Skipped); {
		case in.Skipped != "" && g.Blames():
			s.add(qualityCase, junitCase{Error: skipped})
		case in.Skipped != "":
			skipped.Type = ""
			s.add(qualityCase, junitCase{Skipped: skipped})
		case in.Quality != nil && !g.isBad(in.Name):
			s.add(qualityCase, junitCase{Output: xmlText(in.Quality.String())})
		}
	}
	if g.Strict {
		for _, b := range g.Bad {
			all.suite(b.Name).add(qualityCase, junitCase{Error: newDetail("unreliable", b.String())})
		}
	}
	if g.Error != "" {
		all.suite(d.Title).add(inputsCase, junitCase{Error: newDetail("error", g.Error)})
	}
	for i := range g.Checks {
		c := &g.Checks[i]
		input := cmp.Or(c.Input, g.Subject, d.Title)
		if c.Input == "" && len(all.Suites) == 1 {
			input = all.Suites[0].Name
		}
		about := *c
		about.Input = ""
		name := about.Title()
		about.Input = input
		detail := about.String()
		if c.File != "" {
			detail += fmt.Sprintf(" (%s:%d)", c.File, c.Line)
		}
		s := all.suite(input)
		switch c.Status {
		case condition.Failed:
			s.add(name, junitCase{Failure: newDetail("failed", detail)})
		case condition.Unknown:
			s.add(name, junitCase{Error: newDetail("unknown", detail)})
		default:
			s.add(name, junitCase{Output: xmlText(c.Text)})
		}
	}
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuites) suite(input string) *junitSuite {
	input = xmlName(input)
	for _, suite := range s.Suites {
		if suite.Name == input {
			return suite
		}
	}
	s.Suites = append(s.Suites, &junitSuite{Name: input})
	return s.Suites[len(s.Suites)-1]
}

func (s *junitSuite) add(name string, c junitCase) {
	c.Class, c.Name = s.Name, xmlName(name)
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func newDetail(kind, s string) *junitDetail { return &junitDetail{xmlText(s), kind, xmlText(s)} }

// xmlName returns a name for an attribute that may not be empty.
func xmlName(s string) string { return cmp.Or(xmlText(s), "–") }

// xmlText escapes the characters that XML cannot contain, and those that have no glyph.
func xmlText(s string) string { return strings.TrimSpace(text.Line(s)) }
