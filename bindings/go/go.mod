module github.com/mcp-discover/mcp-discover/bindings/go

go 1.24.0
