module github.com/mcp-discover/mcp-discover/examples/go

go 1.24.0

require github.com/mcp-discover/mcp-discover/bindings/go v0.0.0

// The working copy that these examples stand in; a program of your own needs no such line.
replace github.com/mcp-discover/mcp-discover/bindings/go => ../../bindings/go
