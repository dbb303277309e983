module github.com/mcp-discover/mcp-discover/tests/interop/prober

go 1.24.0

require github.com/mcp-discover/mcp-discover/bindings/go v0.0.0

replace github.com/mcp-discover/mcp-discover/bindings/go => ../../../bindings/go
