// Drives a server with the official TypeScript SDKs: independent clients.
//
// Usage: mcp_sdk.mjs SDK sse|http URL
//        mcp_sdk.mjs SDK stdio PROGRAM ARG...
//
// SDK is `v1` (@modelcontextprotocol/sdk), or a negotiation mode of @modelcontextprotocol/client:
// `legacy`, `auto`, or a protocol version that needs no handshake. Prints one JSON object with what
// was seen; the SDKs check every answer against the tools' output schemas.

import assert from "node:assert/strict";

const EXPERIENCE = {
  title: "npm install stops at ERESOLVE",
  problem_description: "npm error ERESOLVE could not resolve a peer dependency",
  solution: "Upgrade the package that pins the old peer",
  keywords: ["npm", " Peer "],
};
const NAME = { name: "recall-kit-tests", version: "1.0.0" };

/** Creates a client of the first SDK. */
async function v1(kind, target) {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const transports = {
    http: ["streamableHttp", "StreamableHTTPClientTransport"],
    sse: ["sse", "SSEClientTransport"],
    stdio: ["stdio", "StdioClientTransport"],
  };
  const [file, name] = transports[kind];
  const module = await import(`@modelcontextprotocol/sdk/client/${file}.js`);
  const transport = new module[name](target);
  const protocol = () => transport.protocolVersion ?? transport._protocolVersion ?? null;
  return { client: new Client(NAME), transport, protocol };
}

/** Creates a client of the second SDK. */
async function v2(mode, kind, target) {
  const package_ = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const transports = {
    http: package_.StreamableHTTPClientTransport,
    sse: package_.SSEClientTransport,
    stdio: StdioClientTransport,
  };
  const pinned = ["legacy", "auto"].includes(mode) ? mode : { pin: mode };
  const client = new package_.Client(NAME, { versionNegotiation: { mode: pinned } });
  const protocol = () => client.getNegotiatedProtocolVersion() ?? null;
  return { client, transport: new transports[kind](target), protocol };
}

/** Calls a tool and returns its structured content after comparing it with the text. */
async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  assert.equal(result.isError ?? false, !result.structuredContent.success);
  return result.structuredContent;
}

const [sdk, kind, ...rest] = process.argv.slice(2);
const [command, ...args] = rest;
const target = kind === "stdio" ? { command, args, env: { ...process.env } } : new URL(rest[0]);
const { client, transport, protocol } = await (sdk === "v1" ? v1(kind, target) : v2(sdk, kind, target));

await client.connect(transport);
const { tools } = await client.listTools();
const seen = {
  tools: tools.map((tool) => tool.name).sort(),
  protocol: protocol(),
  server: client.getServerVersion()?.name,
  submitted: await call(client, "submit_experience", EXPERIENCE),
  found: await call(client, "query_experiences", { keywords: "npm peer dependency" }),
  refused: await call(client, "query_experiences", { keywords: " " }),
};
try {
  await client.callTool({ name: "no_such_tool", arguments: {} });
} catch (error) {
  seen.unknown_tool = error.code;
}
await client.close();
console.log(JSON.stringify(seen));
