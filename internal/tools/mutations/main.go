// Command mutations changes the rules one at a time and prints which changes the tests catch.
//
//	mutations [-only TEXT] LIST
//
// It does not change the tree: it overlays the changed file. LIST has paragraphs of a file with the packages
// whose quick tests should fail, a line of that file, and what is put in its place:
//
//	analyzer/internal/why/judge/judge.go analyzer/why
//	-	justMissed = 200 * trace.Microsecond
//	+	justMissed = 250 * trace.Microsecond
//
// The part of a line after "-" must be in the file once. The exit code is 1 if a change survives.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

type mutation struct {
	file     string
	packages []string
	from, to string
}

func main() {
	only := flag.String("only", "", "run the changes whose file or text contains this")
	flag.Parse()
	if err := run(flag.Arg(0), *only); err != nil {
		fmt.Fprintf(os.Stderr, "mutations: %v\n", err)
		os.Exit(1)
	}
}

func run(path, only string) error {
	list, err := read(path)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mutations")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	survivors := 0
	for _, m := range list {
		if !strings.Contains(m.file+m.from, only) {
			continue
		}
		by, err := m.caught(folder)
		if err != nil {
			return fmt.Errorf("%s: %q: %w", m.file, m.from, err)
		}
		if by == "" {
			by = "SURVIVES"
			survivors++
		}
		fmt.Printf("%s\t%s\t%s\t%s\n", by, m.file, m.from, m.to)
	}
	if survivors > 0 {
		return fmt.Errorf("%d changes survive", survivors)
	}
	return nil
}

// read returns the mutations of a list. All are checked, so that none fails after an hour.
func read(path string) ([]mutation, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []mutation
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		fields := strings.Fields(lines[0])
		if len(lines) != 3 || len(fields) < 2 || !strings.HasPrefix(lines[1], "-") || !strings.HasPrefix(lines[2], "+") {
			return nil, fmt.Errorf("%s: no mutation: %q", path, paragraph)
		}
		m := mutation{fields[0], fields[1:], strings.TrimSpace(lines[1][1:]), strings.TrimSpace(lines[2][1:])}
		content, err := os.ReadFile(m.file)
		if err != nil {
			return nil, err
		}
		if n := strings.Count(string(content), m.from); n != 1 {
			return nil, fmt.Errorf("%s: %q is there %d times", m.file, m.from, n)
		}
		list = append(list, m)
	}
	return list, nil
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// caught returns the innermost of the first tests that fail with the mutation, and "" if none does.
func (m *mutation) caught(folder string) (string, error) {
	content, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(folder, filepath.Base(m.file))
	if err := os.WriteFile(changed, bytes.Replace(content, []byte(m.from), []byte(m.to), 1), 0o600); err != nil {
		return "", err
	}
	file, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		return "", err
	}
	replaced := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(replaced, overlay, 0o600); err != nil {
		return "", err
	}
	arguments := []string{"test", "-short", "-failfast", "-vet=off", "-overlay", replaced}
	for _, p := range m.packages {
		arguments = append(arguments, "./"+p)
	}
	output, err := exec.Command("go", arguments...).CombinedOutput()
	if err == nil {
		return "", nil
	}
	if found := failure.FindAllSubmatch(output, -1); found != nil {
		by := found[0][1]
		for _, f := range found[1:] { // tests are followed by those in them
			if !bytes.HasPrefix(f[1], append(by[:len(by):len(by)], '/')) {
				break
			}
			by = f[1]
		}
		return string(by), nil
	}
	return "", errors.New(string(output)) // does not compile, for example
}
