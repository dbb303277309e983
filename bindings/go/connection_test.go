package mcpdiscover

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// toolsOf asks for the server's tools over the same pipes, and gives their names.
func toolsOf(t *testing.T, c *Connection) []string {
	t.Helper()
	params := "{}"
	if c.Era() == EraModern {
		params = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`
	}
	if _, err := io.WriteString(c, `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":`+params+"}\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		var answer struct {
			ID     any
			Result struct{ Tools []struct{ Name string } }
		}
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.ID != 7.0 {
			continue
		}
		names := []string{}
		for _, tool := range answer.Result.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	t.Fatal("no answer")
	return nil
}

// opened opens a server that has to be of this era.
func opened(t *testing.T, command *Command, era Era, options ...Option) *Connection {
	t.Helper()
	command.Stderr = StderrDiscard
	c, err := Open(context.Background(), command, append(patient, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	if c.Era() != era || c.Verdict().Processes[len(c.Verdict().Processes)-1].Shutdown != ShutdownKept || c.Stderr() != nil {
		t.Errorf("got %+v", c.Verdict())
	}
	return c
}

func TestToolsOverTheSamePipes(t *testing.T) {
	t.Parallel()
	var legacy *Verdict
	for script, era := range map[string]Era{"modern.json": EraModern, "legacy.json": EraLegacy} {
		c := opened(t, scripted(t, script), era)
		if tools := toolsOf(t, c); len(tools) != 1 || tools[0] != "clock" {
			t.Errorf("%s: %v", script, tools)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if kind, value, shutdown := c.Exit(); kind != ExitCode || value != 0 || shutdown != ShutdownStdinClosed {
			t.Errorf("ended with %v %d, %v", kind, value, shutdown)
		}
		if err := syscall.Kill(c.PID(), 0); err != syscall.ESRCH {
			t.Errorf("it lives: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if era == EraLegacy {
			legacy = c.Verdict()
		}
	}
	c := opened(t, scripted(t, "legacy.json"), EraLegacy, WithPrior(legacy))
	if tools := toolsOf(t, c); len(tools) != 1 || len(c.Verdict().Processes) != 1 {
		t.Errorf("%v, %+v", tools, c.Verdict())
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestToolsOfRealServers(t *testing.T) {
	t.Parallel()
	for _, server := range []struct {
		command *Command
		era     Era
		least   int
	}{
		{realServer(t, "modern-server", inRepository(t, "tests/real_servers/modern.py")), EraModern, 0},
		{realServer(t, "legacy-server", "-m", "mcp_server_time", "--local-timezone", "UTC"), EraLegacy, 2},
	} {
		c := opened(t, server.command, server.era)
		if tools := toolsOf(t, c); len(tools) < server.least {
			t.Errorf("%v", tools)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNoConnection(t *testing.T) {
	t.Parallel()
	_, err := Open(context.Background(), scripted(t, "future.json"), patient...)
	var none *NoConnectionError
	if !errors.As(err, &none) || none.Verdict.Next != NextGiveUp {
		t.Errorf("got %v", err)
	}
	if _, err = Open(context.Background(), NewCommand("no-such-mcp-server")); !errors.Is(err, ErrCommandNotFound) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = Open(ctx, modernShell()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCloseEndsARead(t *testing.T) {
	t.Parallel()
	c := opened(t, modernShell(), EraModern)
	read := make(chan error)
	go func() {
		_, err := c.Read(make([]byte, 1))
		read <- err
	}()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-read:
		if err == nil {
			t.Error("it read something")
		}
	case <-time.After(time.Minute):
		t.Error("it still reads")
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	c := opened(t, modernShell(), EraModern)
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	if err := c.Release(); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
	if err := syscall.Kill(c.PID(), 0); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	process := must(os.FindProcess(c.PID()))
	if state, err := process.Wait(); err != nil || !state.Exited() {
		t.Errorf("got %v, %v", state, err)
	}
}

func TestOwnDescriptors(t *testing.T) {
	t.Parallel()
	// start runs a server over a connection of this kind, and gives our end.
	start := func(kind, script string) *os.File {
		network, address := "tcp", "127.0.0.1:0"
		if kind == "unix" {
			network, address = "unix", filepath.Join(t.TempDir(), "socket")
		}
		listener := must(net.Listen(network, address))
		defer listener.Close()
		ours := must(net.Dial(network, listener.Addr().String()))
		theirs := must(listener.Accept())
		type filer interface{ File() (*os.File, error) }
		end := must(theirs.(filer).File())
		file := must(ours.(filer).File())
		for _, c := range []io.Closer{ours, theirs} {
			_ = c.Close()
		}
		server := scripted(t, script)
		process := exec.Command(server.Args[0], server.Args[1:]...)
		process.Stdin, process.Stdout = end, end
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		_ = end.Close()
		t.Cleanup(func() {
			_ = file.Close()
			if err := process.Wait(); err != nil {
				t.Error(err)
			}
		})
		return file
	}
	for _, kind := range []string{"unix", "tcp"} {
		file := start(kind, "modern.json")
		c, err := OpenDescriptors(context.Background(), file.Fd(), file.Fd(), patient...)
		if err != nil {
			t.Fatal(err)
		}
		if tools := toolsOf(t, c); len(tools) != 1 || c.PID() != 0 {
			t.Errorf("%v", tools)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}

		file = start(kind, "legacy.json")
		var none *NoConnectionError
		if _, err := OpenDescriptors(context.Background(), file.Fd(), file.Fd(), patient...); !errors.As(err, &none) {
			t.Fatalf("got %v", err)
		}
		if v := none.Verdict; v.Era != EraLegacy || v.Next != NextInitialize || v.Confirmed {
			t.Errorf("got %+v", v)
		}
		file = start(kind, "legacy.json")
		if c, err = OpenDescriptors(context.Background(), file.Fd(), file.Fd(), append(patient, WithPrior(none.Verdict))...); err != nil {
			t.Fatal(err)
		}
		if tools := toolsOf(t, c); len(tools) != 1 || !c.Verdict().Confirmed {
			t.Errorf("%v", tools)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}

		file = start(kind, "legacy.json")
		v, err := ProbeDescriptors(context.Background(), file.Fd(), file.Fd(), patient...)
		if err != nil || v.Era != EraLegacy || !v.Confirmed {
			t.Errorf("got %+v, %v", v, err)
		}
	}
	file := must(os.Open(os.DevNull))
	defer file.Close()
	if _, err := ProbeDescriptors(context.Background(), file.Fd(), file.Fd()); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("got %v", err)
	}
}

func TestUnreadComesFirst(t *testing.T) {
	t.Parallel()
	c := opened(t, shell(
		`read request`,
		`printf '%s\nmore\nand' '{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"]}}'`,
		`read end; echo ' more'`,
	), EraModern)
	if _, err := io.WriteString(c, "\n"); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(c)
	if err != nil || !bytes.Equal(all, []byte("more\nand more\n")) {
		t.Errorf("read %q, %v", all, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
