// Command release builds a release: for each target an archive with the program,
// its documents, manual page, shell completions, the page in the browser and the licences of all that is
// linked in, and a file of checksums. The same commit and the same version of Go
// give the same bytes on any machine: the version and all times are the commit's.
//
//	release [-o DIR] linux/amd64 windows/arm64 …
//
// Run it in the root of the repository, at the commit that has the tag.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing/fstest"
)

func main() {
	directory := flag.String("o", "build/release", "the output folder, which is replaced")
	flag.Parse()
	if err := release(*directory, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// release writes the archives for the targets, and their checksums.
func release(directory string, targets []string) error {
	work, err := os.MkdirTemp("", "release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	host, err := build(work, runtime.GOOS+"/"+runtime.GOARCH)
	if err != nil {
		return err
	}
	documents, err := collectDocuments(host.path, targets)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(directory, 0o777)); err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range targets {
		p, err := build(work, t)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(p.path)
		if err != nil {
			return err
		}
		name, archive, err := pack(p, content, documents)
		if err != nil {
			return err
		}
		file := filepath.Join(directory, name)
		if err := os.WriteFile(file, archive, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(archive), name)
		fmt.Printf("%s: %s\n", t, file)
	}
	return os.WriteFile(filepath.Join(directory, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

// collectDocuments returns what every archive has besides the program, by name.
func collectDocuments(program string, targets []string) (map[string][]byte, error) {
	files := map[string][]byte{}
	// The page in the browser is of the same commit.
	if _, err := run(runtime.GOOS+"/"+runtime.GOARCH, "make", "web", "web_vcs=-buildvcs=true"); err != nil {
		return nil, err
	}
	names := []string{"LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
	for _, pattern := range []string{"docs/*.md", "docs/dev/*.md", "docs/images/*.png", "skills/*/SKILL.md", "testdata/api/*.md"} { // README.md and docs link to them
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, matches...)
	}
	var err error
	for _, name := range names {
		if err == nil {
			files[filepath.ToSlash(name)], err = os.ReadFile(name)
		}
	}
	site, globErr := filepath.Glob("build/web/*")
	err = errors.Join(err, globErr)
	for _, name := range site {
		if err == nil {
			files["web/"+filepath.Base(name)], err = os.ReadFile(name)
		}
	}
	for name, args := range map[string][]string{
		"man/ohframe.1":            {"man"},
		"completions/ohframe.bash": {"completion", "bash"},
		"completions/_ohframe":     {"completion", "zsh"},
		"completions/ohframe.fish": {"completion", "fish"},
		"completions/ohframe.ps1":  {"completion", "powershell"},
	} {
		if err == nil {
			files[name], err = run("", program, args...)
		}
	}
	if err == nil {
		files["THIRD_PARTY_LICENSES"], err = licences(append(targets, "js/wasm"))
	}
	return files, err
}

// pack returns the archive of a program and the documents, and the archive's name.
func pack(p *program, content []byte, documents map[string][]byte) (name string, archive []byte, err error) {
	folder := fmt.Sprintf("ohframe_%s_%s_%s", strings.TrimPrefix(p.version, "v"), p.system, p.arch)
	files := fstest.MapFS{} // without owners, and read in the order of names
	add := func(name string, content []byte, mode fs.FileMode) {
		name = path.Join(folder, name)
		files[name] = &fstest.MapFile{Data: content, Mode: mode, ModTime: p.time}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			files[dir] = &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: p.time}
		}
	}
	for name, content := range documents {
		add(name, content, 0o644)
	}
	var b bytes.Buffer
	if p.system == "windows" {
		add("ohframe.exe", content, 0o755)
		archive := zip.NewWriter(&b)
		err = errors.Join(archive.AddFS(files), archive.Close())
		return folder + ".zip", b.Bytes(), err
	}
	add("ohframe", content, 0o755)
	packed := gzip.NewWriter(&b)
	unpacked := tar.NewWriter(packed)
	err = errors.Join(unpacked.AddFS(files), unpacked.Close(), packed.Close())
	return folder + ".tar.gz", b.Bytes(), err
}
