package mcpdiscover

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestExamples builds the programs in examples/go and runs them.
func TestExamples(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	build := exec.Command("go", "build", "-tags", "mcp_discover_dev", "-buildvcs=false", "-o", programs, "./...")
	build.Dir = inRepository(t, "examples/go")
	build.Env = withoutExperiment()
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	modern, legacy := scripted(t, "modern.json"), scripted(t, "legacy.json")

	output, err := exec.Command(filepath.Join(programs, "probe_one"), modern.Args...).CombinedOutput()
	if err != nil {
		t.Errorf("probe_one: %v: %s", err, output)
	}
	for _, line := range []string{"server: modern-example 1.4.0", "era: modern", "next: send requests with version 2026-07-28"} {
		if !strings.Contains(string(output), line+"\n") {
			t.Errorf("probe_one said not %q but %s", line, output)
		}
	}
	output, err = exec.Command(filepath.Join(programs, "connect"), legacy.Args...).CombinedOutput()
	if err != nil || string(output) != "connected: legacy, 2025-11-25\ntool:      clock\n" {
		t.Errorf("connect: %v: %s", err, output)
	}
	output, err = exec.Command(filepath.Join(programs, "probe_one"), "no-such-mcp-server").CombinedOutput()
	if err == nil || !strings.Contains(string(output), "Is it installed?") {
		t.Errorf("probe_one: %v: %s", err, output)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		defer connection.Close()
		if _, err := bufio.NewReader(connection).ReadString('\n'); err == nil {
			_, _ = io.WriteString(connection, `{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"]}}`+"\n")
		}
	}()
	output, err = exec.Command(filepath.Join(programs, "over_tcp"), listener.Addr().String()).CombinedOutput()
	listener.Close()
	if err != nil || !strings.HasPrefix(string(output), "era:  modern\nnext: use_modern 2026-07-28\n") {
		t.Errorf("over_tcp: %v: %s", err, output)
	}

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"]}}`)
	}))
	defer server.Close()
	for token, next := range map[string]string{"": "get authorization, then ask again", "secret": "send requests with version 2026-07-28"} {
		command := exec.Command(filepath.Join(programs, "http"), server.URL)
		command.Env = append(os.Environ(), "TOKEN="+token)
		output, err = command.CombinedOutput()
		if err != nil || !strings.Contains(string(output), "next: "+next+"\n") {
			t.Errorf("http: %v: %s", err, output)
		}
	}

	folder := filepath.Join(t.TempDir(), "cache")
	for _, known := range []string{"no", "yes"} {
		output, err = exec.Command(filepath.Join(programs, "cache"), append([]string{folder}, modern.Args...)...).CombinedOutput()
		if expected := "known: " + known + "\nnext:  use_modern 2026-07-28\nfresh: yes\n"; err != nil || string(output) != expected {
			t.Errorf("cache: %v: expected %q, got %s", err, expected, output)
		}
	}
	for _, place := range must(filepath.Glob(filepath.Join(folder, "*"))) {
		if err := os.WriteFile(place, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	output, err = exec.Command(filepath.Join(programs, "cache"), append([]string{folder}, modern.Args...)...).CombinedOutput()
	if err != nil || !strings.Contains(string(output), "known: no\n") || !strings.Contains(string(output), "JSON") {
		t.Errorf("cache: %v: %s", err, output)
	}

	many := exec.Command(filepath.Join(programs, "probe_many"))
	many.Stdin = strings.NewReader(fmt.Sprintf("%s\n\n%s\n'%s\n",
		inShell(modern.Args), inShell(legacy.Args), "a quote that is not closed"))
	output, err = many.Output()
	if err != nil {
		t.Fatalf("probe_many: %v", err)
	}
	eras := map[Era]bool{EraModern: true, EraLegacy: true, EraUnknown: true}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	if len(lines) != len(eras) {
		t.Fatalf("probe_many wrote %s", output)
	}
	// The first to be known is the first to be written.
	for _, line := range lines {
		var answer struct{ Verdict *Verdict }
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Verdict == nil || !eras[answer.Verdict.Era] {
			t.Errorf("%v: did not expect %s", err, line)
			continue
		}
		delete(eras, answer.Verdict.Era)
	}
}

// TestLinking builds a program outside of the repository in each way that the package can be linked, against a library
// that is installed where the compiler does not look by itself.
func TestLinking(t *testing.T) {
	t.Parallel()
	// The place is always the same, for Go's build cache knows nothing of what pkg-config says.
	prefix, folder := inRepository(t, "target/go-prefix"), t.TempDir()
	install := func(from, to string) {
		to = filepath.Join(prefix, to)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(inRepository(t, from), to); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	install("include/mcp_discover.h", "include/mcp_discover.h")
	install("target/release/libmcp_discover.a", "lib/libmcp_discover.a")
	install("target/release/libmcp_discover.so", "lib/libmcp_discover.so")
	install("target/release/libmcp_discover.so", "lib/libmcp_discover.so.0")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(prefix, "lib/mcp_discover.pc"), "Name: mcp_discover\nDescription: tests\nVersion: 0\n"+
		"Cflags: \"-I"+prefix+"/include\"\nLibs: \"-L"+prefix+"/lib\" -lmcp_discover\n")
	write(filepath.Join(folder, "go.mod"), "module example.com/program\n\ngo 1.24.0\n\n"+
		"require github.com/mcp-discover/mcp-discover/bindings/go v0.0.0\n\n"+
		"replace github.com/mcp-discover/mcp-discover/bindings/go => "+strconv.Quote(inRepository(t, "bindings/go"))+"\n")
	write(filepath.Join(folder, "main.go"), `package main

import mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"

func main() { print(mcpdiscover.VersionEra("2026-07-28").String()) }
`)
	include, lib := `CGO_CFLAGS="-I`+prefix+`/include"`, `"-L`+prefix+`/lib"`
	for _, way := range []struct {
		name, tags string
		env        []string
		shared     bool
	}{
		{"pkg-config", "", []string{"PKG_CONFIG_PATH=" + prefix + "/lib"}, true},
		{"no pkg-config", "", []string{"PKG_CONFIG=true", include, "CGO_LDFLAGS=" + lib + " -lmcp_discover"}, true},
		{"static", "mcp_discover_static", []string{"PKG_CONFIG=false", include, "CGO_LDFLAGS=" + lib}, false},
		{"static in the repository", "mcp_discover_static,mcp_discover_dev", []string{"PKG_CONFIG=false"}, false},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			if way.name == "pkg-config" {
				if _, err := exec.LookPath("pkg-config"); err != nil {
					skip(t, "pkg-config is not installed")
				}
			}
			program := filepath.Join(t.TempDir(), "program")
			build := exec.Command("go", "build", "-tags", way.tags, "-o", program, ".")
			build.Dir = folder
			build.Env = append(withoutExperiment(), way.env...)
			if output, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			run := exec.Command(program)
			if way.shared {
				run.Env = []string{"LD_LIBRARY_PATH=" + prefix + "/lib"}
			} else {
				run.Env = []string{}
			}
			if output, err := run.CombinedOutput(); err != nil || string(output) != "modern" {
				t.Errorf("%v: %s", err, output)
			}
			if !way.shared {
				return
			}
			// It needs the library by its name, wherever that is, and not the path that it was linked by.
			if output, err := exec.Command(program).CombinedOutput(); err == nil || !strings.Contains(string(output), "libmcp_discover.so.0") {
				t.Errorf("without the library: %v: %s", err, output)
			}
		})
	}
}

// inShell is a command as it is typed into a shell.
func inShell(args []string) string { return "'" + strings.Join(args, "' '") + "'" }

// withoutExperiment is the environment to build programs in that are not the tests' own.
func withoutExperiment() []string {
	return append(os.Environ(), "GOEXPERIMENT=", "GOFLAGS=-buildvcs=false")
}
