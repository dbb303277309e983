// Prober asks a server by the Go package:
//
//	prober probe DISCOVER_TIMEOUT COMMAND [ARGUMENT]...    prints the verdict as JSON
//	prober kept DISCOVER_TIMEOUT COMMAND [ARGUMENT]...     keeps the server, asks it for its tools, and prints its era, the
//	                                                       answer and how it ended, a line each
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

func main() {
	patience, err := time.ParseDuration(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	command := mcpdiscover.NewCommand(os.Args[3], os.Args[4:]...)
	options := []mcpdiscover.Option{
		mcpdiscover.WithDiscoverTimeout(patience),
		mcpdiscover.WithTimeout(2 * time.Minute),
		mcpdiscover.WithGrace(30 * time.Second),
	}
	run := probe
	if os.Args[1] == "kept" {
		run = kept
	}
	if err := run(command, options); err != nil {
		log.Fatal(err)
	}
}

func probe(command *mcpdiscover.Command, options []mcpdiscover.Option) error {
	verdict, err := mcpdiscover.Probe(context.Background(), command, options...)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(verdict)
}

func kept(command *mcpdiscover.Command, options []mcpdiscover.Option) error {
	command.Stderr = mcpdiscover.StderrInherit
	connection, err := mcpdiscover.Open(context.Background(), command, options...)
	if err != nil {
		return err
	}
	defer connection.Close()
	request := map[string]any{"jsonrpc": "2.0", "id": "interop-tools", "method": "tools/list"}
	if connection.Era() == mcpdiscover.EraModern {
		request["params"] = map[string]any{"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    connection.Version(),
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "interop", "version": "1.0.0"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}}
	}
	if err := json.NewEncoder(connection).Encode(request); err != nil {
		return err
	}
	answer, reader := []byte{}, bufio.NewReader(connection)
	for !bytes.Contains(answer, []byte(`"interop-tools"`)) {
		if answer, err = reader.ReadBytes('\n'); err != nil {
			return err
		}
	}
	if err := connection.Close(); err != nil {
		return err
	}
	_, exit, shutdown := connection.Exit()
	fmt.Printf("%v\n%s%v %d\n", connection.Era(), answer, shutdown, exit)
	return nil
}
