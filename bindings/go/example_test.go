package mcpdiscover_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
)

func ExampleProbe() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	server := mcpdiscover.NewCommand("python3", "../../examples/servers/scripted.py", "../../examples/servers/modern.json")
	verdict, err := mcpdiscover.Probe(ctx, server)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch verdict.Next {
	case mcpdiscover.NextUseModern:
		fmt.Println("send requests with version", verdict.Version)
	case mcpdiscover.NextInitialize:
		fmt.Println("start it anew, and send initialize with version", verdict.Version)
	default:
		fmt.Println("no way to go on:", verdict.Summary)
	}
	// Output: send requests with version 2026-07-28
}

func ExampleProbe_options() {
	// Of a server that is not known to be slow, the answer is awaited for a second before initialize is tried too.
	command := mcpdiscover.NewCommand("python3", "../../examples/servers/scripted.py", "../../examples/servers/silent.json")
	command.Env = []string{"LOG_LEVEL=debug", "API_KEY"} // sets one, and unsets the other
	verdict, err := mcpdiscover.Probe(context.Background(), command,
		mcpdiscover.WithClient(mcpdiscover.Implementation{Name: "my-host", Version: "1.0.0"}),
		mcpdiscover.WithTimeout(20*time.Second),
		mcpdiscover.WithDiscoverTimeout(time.Second),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verdict.Era, verdict.DiscoverOutcome, verdict.InitializeOutcome)
	// Output: legacy silence result
}

func ExampleProbe_errors() {
	_, err := mcpdiscover.Probe(context.Background(), mcpdiscover.NewCommand("no-such-mcp-server"))
	var failure *mcpdiscover.Error
	fmt.Println(errors.Is(err, mcpdiscover.ErrCommandNotFound), errors.Is(err, exec.ErrNotFound))
	fmt.Println(errors.As(err, &failure), failure.Status)
	// Output:
	// true true
	// true command_not_found
}

func ExampleParseReply() {
	request, err := mcpdiscover.BuildRequest(&mcpdiscover.RequestOptions{ID: mcpdiscover.IntegerID(1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = request // write it to the server, and a line feed behind it

	line := []byte(`{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2025-11-25","2026-07-28"],"resultType":"complete",` +
		`"capabilities":{"tools":{}},"ttlMs":60000,"cacheScope":"private"}}`)
	reply, err := mcpdiscover.ParseReply(line, &mcpdiscover.ReplyOptions{ID: mcpdiscover.IntegerID(1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	if reply.Kind == mcpdiscover.ReplyDiscover {
		version, err := mcpdiscover.SelectVersion(nil, nil, reply.Discover.SupportedVersions)
		fmt.Println(version, err, reply.Discover.Capabilities.Tools, reply.Discover.TTL())
	}
	for _, remark := range reply.Remarks {
		fmt.Println(remark.Code, "-", remark.Text)
	}
	// Output:
	// 2026-07-28 <nil> true 1m0s
	// missing_server_info - The result does not say who the server is (serverInfo).
}

func ExampleVerdict() {
	// A verdict that is stored as JSON can be used later, by a program in any language.
	server := mcpdiscover.NewCommand("python3", "../../examples/servers/scripted.py", "../../examples/servers/modern.json")
	verdict, err := mcpdiscover.Probe(context.Background(), server)
	if err != nil {
		fmt.Println(err)
		return
	}
	stored, err := json.Marshal(verdict)
	if err != nil {
		fmt.Println(err)
		return
	}
	var again mcpdiscover.Verdict
	if err := json.Unmarshal(stored, &again); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Storable, again.Next, again.Version)
	fmt.Println(again.FreshAt(time.Now()))
	// Output:
	// true use_modern 2026-07-28
	// true
}

func ExampleNegotiation() {
	connection, server := net.Pipe() // or a connection by net.Dial, over SSH, to a container
	go answer(server)

	negotiation, err := mcpdiscover.NewNegotiation(mcpdiscover.WithMaxStarts(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer negotiation.Close()
	buffer := make([]byte, 4096)
	for {
		step, err := negotiation.Next()
		switch step {
		case mcpdiscover.StepStart: // with more than one start, connect here
			err = negotiation.Started()
		case mcpdiscover.StepSend:
			_, err = connection.Write(negotiation.Line())
		case mcpdiscover.StepWait:
			connection.SetReadDeadline(negotiation.Deadline())
			n, fault := connection.Read(buffer)
			err = negotiation.Received(buffer[:n])
			if fault != nil && !errors.Is(fault, os.ErrDeadlineExceeded) {
				err = negotiation.Closed(mcpdiscover.OutcomeStdoutClosed)
			}
		case mcpdiscover.StepClose:
			connection.Close()
			err = negotiation.Closed(mcpdiscover.OutcomeStdoutClosed)
		case mcpdiscover.StepFinish:
			verdict, err := negotiation.Verdict()
			if err == nil {
				fmt.Println(verdict.Era, verdict.Next, verdict.Version)
			}
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output: modern use_modern 2026-07-28
}

// answer is a server that answers the first line it gets.
func answer(connection net.Conn) {
	if _, err := bufio.NewReader(connection).ReadString('\n'); err == nil {
		fmt.Fprintln(connection, `{"jsonrpc":"2.0","id":"discover-1","result":{"supportedVersions":["2026-07-28"]}}`)
	}
}

func ExamplePrintable() {
	fmt.Println(mcpdiscover.Printable("a server called \x1b[31mred\x1b[0m"))
	// Output: a server called \x1b[31mred\x1b[0m
}
