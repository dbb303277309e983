// Package mcpdiscover tells which MCP server a program is talking to.
//
// There are two eras of the Model Context Protocol. Modern servers, from protocol version 2026-07-28 on, answer
// server/discover and then any request; legacy servers, up to 2025-11-25, have to be sent initialize first. Nothing but
// asking tells which one a server is, and servers in the wild fail in many ways when they are asked.
//
//   - [Probe] starts a stdio server, asks it, ends it, and gives a [Verdict] with its evidence.
//   - [DiscoverHTTP] asks a server over HTTP, with a client of net/http; [HTTPExchange] does so with any other.
//   - [BuildRequest] and [ParseReply] are the two halves of that for programs with a transport of their own.
//   - [SelectVersion] picks the protocol version to go on with.
//
// # Values
//
// Whatever the functions return is made of plain Go values, copied out of the library: nothing has to be closed, and
// nothing changes later. An absent text is empty. Texts from a server may hold anything, NUL and escape sequences for
// terminals included; [Printable] makes them safe to print. Raw JSON is what the server wrote, number for number.
//
// # Errors
//
// A server that answers with an error, or not at all, is no error here: that is what a verdict tells. Errors say why a
// call could not do what was asked. They are of type [*Error], and match Err... values and those of the standard
// library by [errors.Is].
//
// # Linking
//
// The package calls the C library mcp_discover through cgo, so it needs a C compiler. It finds header and library by
// pkg-config:
//
//	go build ./...
//
// The tag mcp_discover_static links the static library instead. It does not use pkg-config; where the compiler does
// not find the library by itself, tell it:
//
//	CGO_CFLAGS=-I/opt/mcp/include CGO_LDFLAGS=-L/opt/mcp/lib go build -tags mcp_discover_static ./...
//
// The same works for the shared library on a machine without pkg-config, if another program stands in for it:
//
//	PKG_CONFIG=true CGO_CFLAGS=-I/opt/mcp/include CGO_LDFLAGS='-L/opt/mcp/lib -lmcp_discover' go build ./...
//
// The tag mcp_discover_dev takes both from the working copy that the package stands in, after make build. Go's cache of
// test results does not see that the library has changed, so it is best passed by:
//
//	go test -count=1 -tags mcp_discover_dev ./...
package mcpdiscover
