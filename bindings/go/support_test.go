package mcpdiscover

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inChild names what a child process of the tests is to do instead of running them.
const inChild = "MCP_DISCOVER_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(inChild); role != "" {
		os.Exit(child(role))
	}
	flag.Parse()
	// Probes mostly wait, so many more of them than there are processors can go on at a time.
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", "12"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// inRepository is the absolute path of a file of the repository.
func inRepository(t testing.TB, path string) string {
	t.Helper()
	absolute, err := filepath.Abs(filepath.Join("../..", path))
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// python is the interpreter that plays the servers.
func python() string {
	if python := os.Getenv("PYTHON"); python != "" {
		return python
	}
	return "python3"
}

// scripted is one of the servers in examples/servers.
func scripted(t testing.TB, script string) *Command {
	return NewCommand(python(), inRepository(t, "examples/servers/scripted.py"), inRepository(t, "examples/servers/"+script))
}

// shell is a server that is a script, for what needs to start fast.
func shell(lines ...string) *Command {
	return NewCommand("/bin/sh", "-c", strings.Join(lines, "\n"))
}

// modernShell answers server/discover and leaves when its input ends.
func modernShell() *Command {
	return shell(
		`read request`,
		`echo '{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"]}}'`,
		`read end`,
	)
}

// skip skips a test whose needs are not met, and says so. Where everything has to run, that is a failure.
func skip(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip("SKIPPED: " + reason)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
