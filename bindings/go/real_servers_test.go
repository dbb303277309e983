package mcpdiscover

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// patient gives a server that has much to load on a busy machine the time to do so.
var patient = []Option{WithTimeout(2 * time.Minute), WithDiscoverTimeout(time.Minute)}

// realServer is a server that nobody here wrote, run by the Python of its environment.
func realServer(t *testing.T, environment string, args ...string) *Command {
	folder := os.Getenv("REAL_SERVERS")
	if folder == "" {
		skip(t, "REAL_SERVERS names no folder with servers; make test installs them")
	}
	return NewCommand(filepath.Join(folder, environment, "bin/python"), args...)
}

func TestModernServerOnThePythonSDK(t *testing.T) {
	t.Parallel()
	verdict, err := Probe(context.Background(), realServer(t, "modern-server", inRepository(t, "tests/real_servers/modern.py")), patient...)
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Era != EraModern || verdict.Next != NextUseModern || verdict.Version != "2026-07-28" || !verdict.Storable ||
		verdict.Server.Name != "smallest" || verdict.Server.Version != "1.2.3" || verdict.InitializeOutcome != OutcomeNotAsked {
		t.Errorf("got %+v", verdict)
	}
}

func TestLegacyServerOf2025(t *testing.T) {
	t.Parallel()
	verdict, err := Probe(context.Background(), realServer(t, "legacy-server", "-m", "mcp_server_time", "--local-timezone", "UTC"), patient...)
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Era != EraLegacy || verdict.Next != NextInitialize || verdict.Version != "2025-11-25" || !verdict.Confirmed ||
		verdict.Server.Name != "mcp-time" || verdict.DiscoverOutcome != OutcomeError || verdict.InitializeOutcome != OutcomeResult {
		t.Errorf("got %+v", verdict)
	}
}
