// What the client of @modelcontextprotocol/sdk sees of a server, as JSON: client.mjs COMMAND [ARGUMENT]...
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
let version;
transport.setProtocolVersion = (negotiated) => (version = negotiated);
const client = new Client({ name: "interop", version: "1.0.0" });
await client.connect(transport);
const tools = client.getServerCapabilities().tools ? (await client.listTools()).tools : [];
console.log(
  JSON.stringify({
    version,
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
    tools: tools.map((tool) => tool.name),
  }),
);
await client.close();
