//go:build mcp_discover_dev

package mcpdiscover

// Go's build cache sees no file outside of this folder. So that it notices when the header changes, header.h is a link
// to it, which no module that is published has.

// #cgo CFLAGS: -I${SRCDIR}/../../include
// #cgo LDFLAGS: -L${SRCDIR}/../../target/release
// #cgo !mcp_discover_static LDFLAGS: -lmcp_discover -Wl,-rpath,${SRCDIR}/../../target/release
import "C"
