// Over_tcp asks a server at the other end of a connection what it is, as one would with a container's pipes:
//
//	over_tcp HOST:PORT
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: over_tcp HOST:PORT")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "over_tcp:", mcpdiscover.Printable(err.Error()))
		os.Exit(1)
	}
}

func run(address string) error {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer connection.Close()
	// A descriptor that Go's own network poller does not touch.
	file, err := connection.(*net.TCPConn).File()
	if err != nil {
		return err
	}
	defer file.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	verdict, err := mcpdiscover.ProbeDescriptors(ctx, file.Fd(), file.Fd())
	if err != nil {
		return err
	}
	fmt.Printf("era:  %v\nnext: %v %s\nwhy:  %s\n",
		verdict.Era, verdict.Next, verdict.Version, mcpdiscover.Printable(verdict.Summary))
	return nil
}
