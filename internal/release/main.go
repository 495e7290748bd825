// Command release builds what a release consists of: for each target an archive
// with the program, its licences, its manual page and the completions for shells,
// and a file of checksums. The same commit and the same Go give the same bytes,
// wherever and whenever it runs: the version and all times are the commit's, and
// archives tell nothing of the machine.
//
//	release [-version v1.2.3] [-o DIR] linux/amd64 windows/arm64 …
//
// The version is what Go makes of the tag of the commit that is checked out;
// -version only says which one is expected. Run it in the root of the repository.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// command is the package of the program, and name what it is called.
const (
	command = "./cmd/ohframe"
	name    = "ohframe"
)

func main() {
	version := flag.String("version", "", "the version expected: the release fails if the commit has another")
	directory := flag.String("o", "build/release", "the folder to write to, which is made anew")
	flag.Parse()
	targets, err := parseTargets(flag.Args())
	if err == nil {
		err = release(*version, targets, *directory)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// release writes the archives and their checksums.
func release(expected string, targets []target, directory string) error {
	work, err := os.MkdirTemp("", "release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	own, err := build(host(), filepath.Join(work, "host"))
	if err != nil {
		return err
	}
	if err := own.check(expected); err != nil {
		return err
	}
	documents, err := collectDocuments(own, targets)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(directory); err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o777); err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range targets {
		b, err := build(t, filepath.Join(work, t.os+"-"+t.arch))
		if err != nil {
			return err
		}
		if err := b.check(own.version); err != nil {
			return err
		}
		sum, archive, err := pack(b, documents, directory)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum, archive)
		fmt.Printf("%s: %s\n", t, filepath.Join(directory, archive))
	}
	return os.WriteFile(filepath.Join(directory, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

// pack writes the archive of a build and returns its checksum and name.
func pack(b *built, documents []member, directory string) (sum [sha256.Size]byte, archive string, err error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return sum, "", err
	}
	folder := strings.Join([]string{name, strings.TrimPrefix(b.version, "v"), b.target.os, b.target.arch}, "_")
	members := []member{{name: folder + "/" + name + b.target.extension(), content: program, executable: true}}
	for _, d := range documents {
		d.name = folder + "/" + d.name
		members = append(members, d)
	}
	write, extension := writeTarGz, ".tar.gz"
	if b.target.os == "windows" {
		write, extension = writeZip, ".zip"
	}
	content, err := write(members, b.time)
	if err != nil {
		return sum, "", err
	}
	archive = folder + extension
	return sha256.Sum256(content), archive, os.WriteFile(filepath.Join(directory, archive), content, 0o666)
}

// collectDocuments returns what is in every archive beside the program: files of
// the repository, what the program tells of itself, and others' licences.
func collectDocuments(own *built, targets []target) ([]member, error) {
	var documents []member
	files, err := filepath.Glob("docs/*.md") // what README.md leads to
	if err != nil {
		return nil, err
	}
	for _, file := range append(files, "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md") {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		documents = append(documents, member{name: filepath.ToSlash(file), content: content})
	}
	licences, err := thirdPartyLicences(targets)
	if err != nil {
		return nil, err
	}
	documents = append(documents, member{name: "THIRD_PARTY_LICENSES", content: licences})
	for _, d := range []struct {
		file string
		args []string
	}{
		{"man/ohframe.1", []string{"man"}},
		{"completions/ohframe.bash", []string{"completion", "bash"}},
		{"completions/_ohframe", []string{"completion", "zsh"}},
		{"completions/ohframe.fish", []string{"completion", "fish"}},
		{"completions/ohframe.ps1", []string{"completion", "powershell"}},
	} {
		content, err := output(nil, own.path, d.args...)
		if err != nil {
			return nil, err
		}
		documents = append(documents, member{name: d.file, content: content})
	}
	return documents, nil
}

// member is a file in an archive.
type member struct {
	name       string // with slashes
	content    []byte
	executable bool
}

func (m member) mode() int64 {
	if m.executable {
		return 0o755
	}
	return 0o644
}

// built is a program that was built.
type built struct {
	target  target
	path    string
	version string
	time    time.Time // of the commit
}
