// Probe_many probes several MCP servers at once, and writes each verdict as one line of JSON. Each line of standard
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
	"golang.org/x/sync/errgroup"
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
	answers := make([]answer, len(commands))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8) // each probe occupies a thread, and a server or two
	for i, command := range commands {
		group.Go(func() error {
			answers[i] = probe(ctx, command)
			return ctx.Err() // one server that can't be started is no reason to stop
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	lines := json.NewEncoder(os.Stdout)
	for _, answer := range answers {
		if err := lines.Encode(answer); err != nil {
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

func probe(ctx context.Context, command string) answer {
	// With exec the shell makes way for the server, so that the server's own end is seen.
	shell := mcpdiscover.NewCommand("/bin/sh", "-c", "exec "+command)
	verdict, err := mcpdiscover.Probe(ctx, shell, mcpdiscover.WithTimeout(10*time.Second))
	if err != nil {
		return answer{Command: command, Failure: err.Error()}
	}
	return answer{Command: command, Verdict: verdict}
}
