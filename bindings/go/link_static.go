//go:build mcp_discover_static

package mcpdiscover

// The archive is named as a file, for a linker that has both would take the shared library. What follows it are the
// system's libraries that Rust's standard library needs.

// #cgo linux LDFLAGS: -l:libmcp_discover.a -lgcc_s -lutil -lrt -lpthread -lm -ldl
// #cgo !linux LDFLAGS: -lmcp_discover
import "C"
