// Prober probes a server by the Go package and prints the verdict as JSON: prober DISCOVER_TIMEOUT COMMAND [ARGUMENT]...
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"time"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

func main() {
	patience, err := time.ParseDuration(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	command := mcpdiscover.NewCommand(os.Args[2], os.Args[3:]...)
	verdict, err := mcpdiscover.Probe(context.Background(), command, mcpdiscover.WithDiscoverTimeout(patience),
		mcpdiscover.WithTimeout(2*time.Minute), mcpdiscover.WithGrace(30*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(verdict); err != nil {
		log.Fatal(err)
	}
}
