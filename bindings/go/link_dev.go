//go:build mcp_discover_dev

package mcpdiscover

// #cgo CFLAGS: -I${SRCDIR}/../../include
// #cgo LDFLAGS: -L${SRCDIR}/../../target/release
// #cgo !mcp_discover_static LDFLAGS: -lmcp_discover -Wl,-rpath,${SRCDIR}/../../target/release
import "C"
