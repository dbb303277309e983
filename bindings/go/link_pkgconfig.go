//go:build !mcp_discover_static && !mcp_discover_dev

package mcpdiscover

// #cgo pkg-config: mcp_discover
import "C"
