// Http asks one MCP server over HTTP what it is; a token in the variable TOKEN goes along:
//
//	http URL
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"time"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: http URL")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	options := &mcpdiscover.HTTPOptions{}
	if token := os.Getenv("TOKEN"); token != "" {
		options.Header = http.Header{"Authorization": {"Bearer " + token}}
	}
	client := &http.Client{Timeout: 10 * time.Second}
	verdict, err := mcpdiscover.DiscoverHTTP(ctx, client, os.Args[1], options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	fmt.Println("era:", verdict.Era)
	// What a server says of itself may hold anything, so it is made safe to print.
	fmt.Println("why:", mcpdiscover.Printable(verdict.Summary))
	switch verdict.Next {
	case mcpdiscover.NextUseModern:
		fmt.Println("next: send requests with version", verdict.Version)
	case mcpdiscover.NextInitialize:
		fmt.Println("next: send initialize with version", verdict.Version)
	case mcpdiscover.NextInitializeOrSSE:
		fmt.Println("next: send initialize with version", verdict.Version, "and if that fails try the HTTP+SSE transport")
	case mcpdiscover.NextAuthorize:
		fmt.Println("next: get authorization, then ask again")
	case mcpdiscover.NextRetry:
		fmt.Println("next: ask again later")
	default:
		fmt.Println("next:", verdict.Next)
	}
}
