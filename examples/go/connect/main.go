// Connect opens a connection to an MCP server, and asks it for its tools over the same pipes:
//
//	connect COMMAND [ARGUMENT]...
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: connect COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "connect:", mcpdiscover.Printable(err.Error()))
		os.Exit(1)
	}
}

func run(command []string) error {
	// Standard error is not captured, so nobody has to read it.
	server := &mcpdiscover.Command{Args: command, Stderr: mcpdiscover.StderrInherit}
	connection, err := mcpdiscover.Open(context.Background(), server)
	if err != nil {
		return err
	}
	defer connection.Close()
	fmt.Printf("connected: %v, %s\n", connection.Era(), connection.Version())

	params := map[string]any{}
	if connection.Era() == mcpdiscover.EraModern {
		// A modern request says who asks; a legacy server was told so by initialize.
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    connection.Version(),
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "connect", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	request := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
	if err := json.NewEncoder(connection).Encode(request); err != nil {
		return err
	}
	lines := bufio.NewScanner(connection)
	lines.Buffer(nil, 16<<20) // many tools are longer than the 64 KiB that it takes by itself
	for lines.Scan() {
		var answer struct {
			ID     any
			Result struct{ Tools []struct{ Name string } }
		}
		if json.Unmarshal(lines.Bytes(), &answer) != nil || answer.ID != 1.0 {
			continue
		}
		for _, tool := range answer.Result.Tools {
			fmt.Printf("tool:      %s\n", mcpdiscover.Printable(tool.Name))
		}
		return connection.Close()
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return errors.New("the server ended without an answer")
}
