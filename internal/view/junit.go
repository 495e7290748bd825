package view

import (
	"encoding/xml"
	"io"
	"strings"

	"ohframe/internal/condition"
	"ohframe/internal/text"
)

type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Cases []junitCase `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		File    string       `xml:"file,attr,omitempty"`
		Line    int          `xml:"line,attr,omitempty"`
		Failure *junitDetail `xml:"failure"`
		Error   *junitDetail `xml:"error"`
		Skipped *junitDetail `xml:"skipped"`
		Output  string       `xml:"system-out,omitempty"`
	}
	junitDetail struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// qualityCase is the name of the test case of an input's data quality.
const qualityCase = "data quality"

// WriteJUnit writes a test suite for each input, with a test case for its data quality
// and one for each process and condition. A condition that cannot be checked and an input
// that was skipped are errors, or skipped test cases if that is allowed.
func WriteJUnit(w io.Writer, d *Document) error {
	g := &d.Gate
	all := junitSuites{Name: d.Title}
	for i := range g.Inputs {
		in := &g.Inputs[i]
		s := &junitSuite{Name: in.Name}
		if in.Quality != nil {
			c := junitCase{Class: in.Name, Name: qualityCase, Output: xmlText(in.Quality.String())}
			if g.Strict && in.isUnreliable() {
				c.Failure = newDetail(in.Quality.String())
			}
			s.add(c)
		}
		if in.Skipped != "" {
			c := junitCase{Class: in.Name, Name: qualityCase}
			if detail := newDetail("skipped: " + in.Skipped); g.AllowMissing && !g.Strict {
				c.Skipped = detail
			} else {
				c.Error = detail
			}
			s.add(c)
		}
		all.Suites = append(all.Suites, s)
	}
	for i := range g.Checks {
		c := &g.Checks[i]
		t := junitCase{Class: xmlText(c.Process), Name: xmlText(c.Condition), File: xmlText(c.File), Line: c.Line}
		switch {
		case c.Status == condition.Failed:
			t.Failure = newDetail(c.String())
		case c.Status == condition.Unknown && g.AllowMissing:
			t.Skipped = newDetail(c.String())
		case c.Status == condition.Unknown:
			t.Error = newDetail(c.String())
		default:
			t.Output = xmlText(c.Text)
		}
		all.suite(c.Input, d.Title).add(t)
	}
	for _, s := range all.Suites {
		s.Name = xmlText(s.Name)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
		for i := range s.Cases {
			s.Cases[i].Class = xmlText(s.Cases[i].Class)
		}
	}
	all.Name = xmlText(all.Name)
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

// suite returns the suite of an input. Checks of no single input have a suite of their
// own.
func (s *junitSuites) suite(input, title string) *junitSuite {
	if input == "" && len(s.Suites) == 1 {
		return s.Suites[0]
	}
	if input == "" {
		input = title
	}
	for _, suite := range s.Suites {
		if suite.Name == input {
			return suite
		}
	}
	s.Suites = append(s.Suites, &junitSuite{Name: input})
	return s.Suites[len(s.Suites)-1]
}

func (s *junitSuite) add(c junitCase) {
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

func newDetail(s string) *junitDetail { return &junitDetail{xmlText(s), xmlText(s)} }

// xmlText escapes the characters that XML cannot contain, and those that have no glyph.
func xmlText(s string) string { return strings.TrimSpace(text.Line(s)) }
