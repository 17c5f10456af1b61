"""Drives a server with the official Python SDK: an independent client.

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


ENTRY = {
    "type": "bug",
    "title": "Fix timeout authentication API",
    "content": "The default of 30 s is not enough for the auth API",
    "tags": ["timeout", "auth", "api"],
    "project": "myapp",
    "confidence": 4,
}


def plain(tool, result):
    """Returns an answer without an envelope after the same checks."""
    structured = result.structured_content
    jsonschema.validate(structured, tool.output_schema)
    assert json.loads(result.content[0].text) == structured
    assert bool(result.is_error) is ("error" in structured), result
    return structured


async def knowledge(client, tools):
    """Calls every tool of the knowledge base."""
    async def call(name, **arguments):
        tool = tools["rekall_" + name]
        return plain(tool, await client.call_tool(tool.name, arguments))

    jsonschema.validate(ENTRY, tools["rekall_add"].input_schema)
    added = await call("add", **ENTRY)
    other = await call("add", type="config", title="Proxy limits")
    ends = {"source_id": added["id"], "target_id": other["id"]}
    return {
        "help": await call("help", topic="citations"),
        "added": added,
        "found": await call("search", query="auth timeout", limit=3),
        "linked": await call("link", **ends),
        "shown": await call("show", id=added["id"]),
        "links": await call("suggest_links"),
        "generalizations": await call("suggest_generalize"),
        "accepted": await call("accept_suggestion", suggestion_id=added["id"]),
        "rejected": await call("reject_suggestion", suggestion_id=added["id"]),
    }


async def libraries(client, tools):
    """Calls the tools of documentation libraries and reads their resources."""
    async def call(name, **arguments):
        jsonschema.validate(arguments, tools[name].input_schema)
        return plain(tools[name], await client.call_tool(name, arguments))

    async def read(uri):
        content = (await client.read_resource(uri)).contents[0]
        return {"type": content.mime_type, "text": content.text}

    found = await call("search-libraries", libraryName="gin")
    number = found["libraries"][0]["libraryId"]
    listed = (await client.list_resources()).resources
    return {
        "found": found,
        "code": await call(
            "get-library-docs", topic="logger middleware", libraryId=number, mode="code"
        ),
        "unknown": await call("get-library-docs", topic="logger", libraryId=number + 1),
        "listed": [str(resource.uri) for resource in listed],
        "library": await read(f"recall-kit:///library/{number}"),
        "docs": await read(f"recall-kit:///docs/chunk/{number}/v1/logger"),
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
            "knowledge": await knowledge(client, tools),
            "libraries": await libraries(client, tools),
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
