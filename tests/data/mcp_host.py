"""Starts a program as an agent does, with the official Python SDK, and calls one tool.

Usage: mcp_host.py PROGRAM ARG...

Prints one JSON object: the server's name, the names of its tools, the answer to a question.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


async def main(program, *args):
    target = StdioServerParameters(command=program, args=list(args), env=dict(os.environ))
    async with Client(target) as client:
        tools = (await client.list_tools()).tools
        found = await client.call_tool("recall", {"query": "cargo waits for a lock"})
        return {
            "server": client.server_info.name,
            "tools": [tool.name for tool in tools],
            "found": found.structured_content,
        }


print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
