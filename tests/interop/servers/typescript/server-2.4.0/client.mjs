// What @modelcontextprotocol/client sees of a server, as JSON: client.mjs COMMAND [ARGUMENT]...
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "interop", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
const tools = client.getServerCapabilities().tools ? (await client.listTools()).tools : [];
console.log(
  JSON.stringify({
    version: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
    tools: tools.map((tool) => tool.name),
  }),
);
await client.close();
