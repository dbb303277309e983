// A minimal server on github.com/mark3labs/mcp-go; "client COMMAND [ARGUMENT]..." prints what the client of the library
// sees of a server, as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func add(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText(fmt.Sprint(request.GetFloat("a", 0) + request.GetFloat("b", 0))), nil
}

func serve() error {
	s := server.NewMCPServer("minimal", "1.2.3", server.WithToolCapabilities(true), server.WithInstructions("Adds numbers."))
	s.AddTool(mcp.NewTool("add", mcp.WithDescription("Add two numbers."), mcp.WithNumber("a"), mcp.WithNumber("b")), add)
	return server.ServeStdio(s)
}

func look(command []string) error {
	ctx := context.Background()
	c, err := client.NewStdioMCPClient(command[0], os.Environ(), command[1:]...)
	if err != nil {
		return err
	}
	defer c.Close()
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "interop", Version: "1.0.0"}
	seen, err := c.Initialize(ctx, hello)
	if err != nil {
		return err
	}
	tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
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
		run = func() error { return look(os.Args[2:]) }
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
