// Probe_one starts one MCP server, and tells what it is:
//
//	probe_one COMMAND [ARGUMENT]...
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: probe_one COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	// Ctrl-C ends the server too, which is in a process group of its own.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	verdict, err := mcpdiscover.Probe(ctx, mcpdiscover.NewCommand(os.Args[1], os.Args[2:]...))
	switch {
	case errors.Is(err, exec.ErrNotFound):
		fmt.Fprintln(os.Stderr, "Is it installed?", err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	// What a server says of itself may hold anything, so it is made safe to print.
	if server := verdict.Server; server != nil {
		fmt.Println("server:", mcpdiscover.Printable(server.Name), mcpdiscover.Printable(server.Version))
	}
	fmt.Println("era:", verdict.Era)
	fmt.Println("why:", mcpdiscover.Printable(verdict.Summary))
	switch verdict.Next {
	case mcpdiscover.NextUseModern:
		fmt.Println("next: send requests with version", verdict.Version)
	case mcpdiscover.NextInitialize:
		fmt.Println("next: start it anew, and send initialize with version", verdict.Version)
	case mcpdiscover.NextCorrectRequest:
		fmt.Println("next: correct the request:", mcpdiscover.Printable(string(verdict.DiscoverError.JSON)))
	default:
		fmt.Println("next: give up")
	}
	for _, remark := range verdict.Remarks {
		fmt.Println("remark:", mcpdiscover.Printable(remark.Text))
	}
}
