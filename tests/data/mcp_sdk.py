"""Drives a server with the official Python SDK: a client that nobody here wrote.

Usage: mcp_sdk.py MODE URL                Streamable HTTP
       mcp_sdk.py MODE sse URL            HTTP+SSE, the transport of 2024-11-05
       mcp_sdk.py MODE PROGRAM ARG...     stdio

MODE is the SDK's: `auto`, `legacy`, or a protocol version that needs no handshake. Prints one JSON
object with what was seen; every schema and every answer is checked here, with `jsonschema`.
"""

import asyncio
import json
import sys

import jsonschema
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client

EXPERIENCE = {
    "title": "Cargo waits for the package cache lock",
    "problem_description": "cargo build prints: Blocking waiting for file lock on package cache",
    "solution": "End the other cargo process, or give each its own CARGO_HOME",
    "keywords": ["Cargo", " lock "],
}


def envelope(tool, result):
    """Returns the structured content after checking it against the schema and the text."""
    assert result.structured_content is not None, result
    jsonschema.validate(result.structured_content, tool.output_schema)
    assert json.loads(result.content[0].text) == result.structured_content
    assert bool(result.is_error) is not result.structured_content["success"], result
    return result.structured_content


async def main(mode, target):
    async with Client(target, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for tool in tools.values():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        submit, query = tools["submit_experience"], tools["query_experiences"]
        jsonschema.validate(EXPERIENCE, submit.input_schema)

        async def call(tool, arguments):
            return envelope(tool, await client.call_tool(tool.name, arguments))

        seen = {
            "tools": sorted(tools),
            "protocol": client.protocol_version,
            "server": client.server_info.name if client.server_info else None,
            "submitted": await call(submit, EXPERIENCE),
            "found": await call(query, {"keywords": "cargo file lock"}),
            "refused": await call(query, {"keywords": " "}),
        }
        try:
            await client.call_tool("no_such_tool", {})
        except MCPError as error:
            seen["unknown_tool"] = error.error.code
        return seen


mode, *target = sys.argv[1:]
if target[0] == "sse":
    target = sse_client(target[1])
elif len(target) > 1:
    target = StdioServerParameters(command=target[0], args=target[1:])
else:
    target = target[0]
print(json.dumps(asyncio.run(main(mode, target))))
