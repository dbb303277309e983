// A minimal server on @modelcontextprotocol/server. It serves both eras, or with "reject" only the modern one.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const legacy = process.argv[2] ?? "serve";

serveStdio(
  () => {
    const server = new McpServer({ name: "minimal", version: "1.2.3" }, { instructions: "Adds numbers." });
    server.registerTool(
      "add",
      { description: "Add two numbers.", inputSchema: z.object({ a: z.number(), b: z.number() }) },
      ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
    );
    return server;
  },
  { legacy },
);
