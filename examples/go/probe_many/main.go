// Probe_many probes several MCP servers at once, and writes each verdict as one line of JSON as soon as it is known. Each line of standard
// input is a command for the shell; blank lines are skipped.
//
//	probe_many < COMMANDS
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

type answer struct {
	Command string               `json:"command"`
	Verdict *mcpdiscover.Verdict `json:"verdict,omitempty"`
	Failure string               `json:"failure,omitempty"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	commands, err := commands()
	if err != nil {
		return err
	}
	servers := make([]*mcpdiscover.Command, len(commands))
	for i, command := range commands {
		// With exec the shell makes way for the server, so that the server's own end is seen.
		servers[i] = mcpdiscover.NewCommand("/bin/sh", "-c", "exec "+command)
	}
	lines := json.NewEncoder(os.Stdout)
	for i, result := range mcpdiscover.Scan(ctx, servers, 8, mcpdiscover.WithTimeout(10*time.Second)) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if i < 0 {
			return result.Err
		}
		line := answer{Command: commands[i], Verdict: result.Verdict}
		if result.Err != nil {
			line.Failure = result.Err.Error()
		}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func commands() ([]string, error) {
	var commands []string
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		if line := strings.TrimSpace(input.Text()); line != "" {
			commands = append(commands, line)
		}
	}
	return commands, input.Err()
}
