// A program that uses the official client for TypeScript: node host.mjs probe SERVER [ARGUMENT]...
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [task, command, ...args] = process.argv.slice(2);
if (task !== 'probe' || command === undefined) {
    process.exit(2);
}

async function probe() {
    const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioClientTransport({ command, args }));
    await client.close();
}

// As benches/c/rounds.h says.
for await (const line of createInterface({ input: process.stdin })) {
    const began = process.hrtime.bigint();
    for (let times = Number(line); times > 0; times--) {
        await probe();
    }
    console.log(`${process.hrtime.bigint() - began} 0 0`);
}
