// Command site writes the page that reads traces in the browser into a folder, beside ohframe.wasm and the worker,
// which are there already: see web/program.mk.
//
//	site -esbuild PROGRAM -o build/web
//
// Run it in the root of the repository. The same sources give the same bytes.
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ohframe/internal/view"
)

func main() {
	esbuild := flag.String("esbuild", "esbuild", "the program that bundles scripts")
	folder := flag.String("o", "build/web", "the folder of the site")
	flag.Parse()
	if err := write(*folder, *esbuild); err != nil {
		fmt.Fprintf(os.Stderr, "site: %v\n", err)
		os.Exit(1)
	}
}

// write writes the site.
func write(folder, esbuild string) error {
	// This script is in the documents of the program that the page shows.
	bridge, err := bundle(esbuild, "bridge")
	if err != nil {
		return err
	}
	script, err := bundle(esbuild, "page", "bridge", string(bridge))
	if err != nil {
		return err
	}
	files := map[string][]byte{"page.js": script}
	for name, source := range map[string]string{
		"index.html": "web/index.html", "style.css": "web/style.css", "report.css": "internal/view/assets/page.css", "demo.ftrace": "testdata/demo.ftrace",
	} {
		if files[name], err = os.ReadFile(source); err != nil {
			return err
		}
	}
	files["index.html"] = []byte(strings.Replace(string(files["index.html"]), "HASHES", hashes(append(view.Scripts(), string(bridge))), 1))
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			return err
		}
	}
	list, version, err := contents(folder)
	if err != nil {
		return err
	}
	worker, err := bundle(esbuild, "sw", "files", list, "version", version)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, serviceWorker), worker, 0o666)
}

// serviceWorker is the script that keeps all other files.
const serviceWorker = "sw.js"

// contents returns the names of the folder and of all files but the service worker, and a text that changes with their content.
func contents(folder string) (names []string, version string, err error) {
	hash := sha256.New()
	entries, err := os.ReadDir(folder) // in the order of names
	if err != nil {
		return nil, "", err
	}
	for _, e := range entries {
		if e.Name() == serviceWorker {
			continue
		}
		if !e.Type().IsRegular() {
			return nil, "", fmt.Errorf("%s: %w", filepath.Join(folder, e.Name()), fs.ErrInvalid)
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, "", err
		}
		fmt.Fprintf(hash, "%s %x\n", e.Name(), sha256.Sum256(content))
		names = append(names, e.Name())
	}
	return append(names, "./"), fmt.Sprintf("%x", hash.Sum(nil)[:8]), nil
}

// bundle returns the script of web/NAME.ts. Each pair after it is a constant in it, with its value.
func bundle(esbuild, name string, constants ...any) ([]byte, error) {
	args := []string{"web/" + name + ".ts", "--bundle", "--format=iife", "--target=es2022", "--charset=utf8", "--log-level=warning"}
	for i := 0; i < len(constants); i += 2 {
		value, err := json.Marshal(constants[i+1])
		if err != nil {
			return nil, err
		}
		args = append(args, fmt.Sprintf("--define:%s=%s", constants[i], value))
	}
	cmd := exec.Command(esbuild, args...)
	cmd.Stderr = os.Stderr
	script, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return script, nil
}

// hashes returns the sources of a content security policy that allow scripts of a page.
func hashes(scripts []string) string {
	var list []string
	for _, s := range scripts {
		hash := sha256.Sum256([]byte(s))
		list = append(list, "'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'")
	}
	return strings.Join(list, " ")
}
