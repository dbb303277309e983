// Command host uses this library in Go, or the official Go SDK, for the benchmarks. It is a module of its own, so that
// programs that use the library do not depend on the SDK.
//
//	host probe SERVER [ARGUMENT]...     host sdk-probe SERVER [ARGUMENT]...     host floor SERVER
//	host read FILE                      host sdk-read FILE
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strconv"
	"time"

	mcpdiscover "github.com/mcp-discover/mcp-discover/bindings/go"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/segmentio/encoding/json"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("expected a task, and a server or a file")
	}
	arguments := os.Args[2:]
	switch os.Args[1] {
	case "probe":
		runRounds(func() error { return probe(arguments) })
	case "sdk-probe":
		runRounds(func() error { return sdkProbe(arguments) })
	case "floor":
		runRounds(floor(arguments[0]))
	case "read":
		message := load(arguments[0])
		runRounds(func() error {
			_, err := mcpdiscover.ParseReply(message, nil)
			return err
		})
	case "sdk-read":
		message := load(arguments[0])
		runRounds(func() error {
			_, err := sdkRead(message)
			return err
		})
	default:
		log.Fatalf("unknown task %q", os.Args[1])
	}
}

// runRounds does what benches/c/rounds.h says.
func runRounds(task func() error) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		times, err := strconv.Atoi(lines.Text())
		if err != nil {
			log.Fatal(err)
		}
		began := time.Now()
		for range times {
			if err := task(); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Println(time.Since(began).Nanoseconds(), 0, 0)
	}
}

func load(path string) []byte {
	message, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	return message
}

func probe(argv []string) error {
	client := mcpdiscover.WithClient(mcpdiscover.Implementation{Name: "host", Version: "1.0.0"})
	command := mcpdiscover.NewCommand(argv[0], argv[1:]...)
	verdict, err := mcpdiscover.Probe(context.Background(), command, client)
	if err == nil && verdict.Era != mcpdiscover.EraModern {
		err = fmt.Errorf("the server is %v", verdict.Era)
	}
	return err
}

func sdkProbe(argv []string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1.0.0"}, nil)
	transport := &mcp.CommandTransport{Command: exec.Command(argv[0], argv[1:]...)}
	session, err := client.Connect(context.Background(), transport, nil)
	if err != nil {
		return err
	}
	return session.Close()
}

// sdkRead reads a message as the SDK's client does: the envelope, then the result, with the settings of the SDK's
// internal decoder.
func sdkRead(message []byte) (*mcp.DiscoverResult, error) {
	decoded, err := jsonrpc.DecodeMessage(message)
	if err != nil {
		return nil, err
	}
	response, ok := decoded.(*jsonrpc.Response)
	if !ok {
		return nil, fmt.Errorf("a %T is no response", decoded)
	}
	var result mcp.DiscoverResult
	decoder := json.NewDecoder(bytes.NewReader(response.Result))
	decoder.DontMatchCaseInsensitiveStructFields()
	return &result, decoder.Decode(&result)
}
