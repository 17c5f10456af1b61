"""A host of an agent, implemented with the official Python SDK: starts a program as its MCP server
over stdio and runs a script.

Usage: host_agent.py MODE SCRIPT PROGRAM ARG...

MODE is the SDK's: `legacy`, or a protocol version that needs no handshake. SCRIPT is JSON:
{"elicitation": [answer, ...] | null, "sampling": [text | null, ...] | null, "calls": [call, ...], "env": {...}}

An answer is the user's response to the next elicitation request: {"action": ..., "content": {...}}; "hang"
leaves the request open, "vanish" ends the host at once, like a crash. A sampling text is the answer of the
model, null a refusal. If `elicitation` or `sampling` is null, the host does not offer it. A call is
{"tool": name, "arguments": {...}}, {"list": "tools" | "resources" | "prompts" | "templates"},
{"read": uri} or {"prompt": name, "arguments": {...}}; a string "$name" anywhere in its arguments is
replaced by that field of the last structured answer; `cancel_when_asked` cancels the call when its
elicitation request arrives. Prints one JSON object with what the host saw.
"""

import asyncio
import json
import os
import sys

import mcp.types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client


class Host:
    """The user and the model, with the requests to both."""

    def __init__(self, script):
        self.script = script
        self.questions = []
        self.samples = []
        self.progress = []
        self.asked = asyncio.Event()

    async def elicit(self, _context, params):
        schema = params.requested_schema
        self.questions.append({"message": params.message, "schema": schema})
        self.asked.set()
        answer = self.script["elicitation"].pop(0)
        if answer == "vanish":
            print(json.dumps(self.seen([])), flush=True)
            os._exit(0)
        if answer == "hang":
            await asyncio.Event().wait()
        return types.ElicitResult(**answer)

    async def sample(self, _context, params):
        text = params.messages[0].content
        self.samples.append({"system": params.system_prompt, "text": text.text})
        reply = self.script["sampling"].pop(0)
        if reply is None:
            return types.ErrorData(code=-1, message="User rejected sampling request")
        return types.CreateMessageResult(
            role="assistant",
            content=types.TextContent(type="text", text=reply),
            model="host-model",
        )

    async def note_progress(self, progress, total, message):
        self.progress.append([progress, total, message])

    def seen(self, answers):
        return {
            "answers": answers,
            "questions": self.questions,
            "samples": self.samples,
            "progress": self.progress,
        }


def filled(value, last):
    """Replaces "$name" by the field of that name in the last answer."""
    if isinstance(value, str) and value.startswith("$"):
        return last[value[1:]]
    if isinstance(value, dict):
        return {key: filled(inner, last) for key, inner in value.items()}
    return value


async def listed(client, what):
    if what == "tools":
        return [tool.model_dump(mode="json", by_alias=True) for tool in (await client.list_tools()).tools]
    if what == "resources":
        return [str(resource.uri) for resource in (await client.list_resources()).resources]
    if what == "templates":
        found = (await client.list_resource_templates()).resource_templates
        return [template.uri_template for template in found]
    return [prompt.name for prompt in (await client.list_prompts()).prompts]


async def answered(client, host, call, last):
    arguments = filled(call.get("arguments", {}), last)
    if "list" in call:
        return await listed(client, call["list"])
    if "read" in call:
        return (await client.read_resource(call["read"])).contents[0].text
    if "prompt" in call:
        return (await client.get_prompt(call["prompt"], arguments)).messages[0].content.text
    calling = asyncio.create_task(
        client.call_tool(call["tool"], arguments, progress_callback=host.note_progress)
    )
    if call.get("cancel_when_asked"):
        await host.asked.wait()
        calling.cancel()
        try:
            await calling
        except asyncio.CancelledError:
            return "cancelled"
    result = await calling
    structured = result.structured_content
    assert structured is None or json.loads(result.content[0].text) == structured, result
    return {"is_error": bool(result.is_error), "data": structured}


async def main(mode, script, command, args):
    host = Host(script)
    server = StdioServerParameters(command=command, args=args, env=os.environ | script.get("env", {}))
    elicits = script.get("elicitation") is not None
    samples = script.get("sampling") is not None
    client = Client(
        server,
        mode=mode,
        elicitation_callback=host.elicit if elicits else None,
        sampling_callback=host.sample if samples else None,
    )
    answers, last = [], {}
    async with client:
        for call in script["calls"]:
            try:
                answer = await answered(client, host, call, last)
            except MCPError as error:
                answer = {"protocol_error": error.error.code, "message": error.error.message}
            if isinstance(answer, dict):
                last = answer.get("data") or last
            answers.append(answer)
    return host.seen(answers)


mode, script, command, *args = sys.argv[1:]
print(json.dumps(asyncio.run(main(mode, json.loads(script), command, args))))
