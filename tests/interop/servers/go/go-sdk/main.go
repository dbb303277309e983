// A minimal server on github.com/modelcontextprotocol/go-sdk; "client COMMAND [ARGUMENT]..." prints what the client of
// the SDK sees of a server, as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func add(_ context.Context, _ *mcp.CallToolRequest, n numbers) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(n.A + n.B)}}}, nil, nil
}

func serve(ctx context.Context) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "minimal", Version: "1.2.3"}, &mcp.ServerOptions{Instructions: "Adds numbers."})
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Add two numbers."}, add)
	return server.Run(ctx, &mcp.StdioTransport{})
}

func look(ctx context.Context, command []string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(command[0], command[1:]...)}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	seen := session.InitializeResult()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	names := []string{}
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"version":      seen.ProtocolVersion,
		"server":       seen.ServerInfo,
		"capabilities": seen.Capabilities,
		"instructions": seen.Instructions,
		"tools":        names,
	})
}

func main() {
	run := serve
	if len(os.Args) > 2 && os.Args[1] == "client" {
		run = func(ctx context.Context) error { return look(ctx, os.Args[2:]) }
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
