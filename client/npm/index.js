// A client of RecallKit for Node. It starts `recall-kit-client mcp` and communicates with it over MCP. That
// program sanitizes texts on this machine, asks for consent and connects to the server.

import { env } from "node:process";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { RecallKitError } from "./errors.js";
import { findProgram } from "./program.js";

export { RecallKitError };

const NAME = { name: "@recall-kit/mcp-client", version: "0.1.0" };

export class RecallKitClient {
  #options;
  #connection;

  constructor(options = {}) {
    this.#options = options;
  }

  /** Finds solved problems. Secrets are removed from the query on this machine. */
  async query(request) {
    return await this.#call("query_experiences", typeof request === "string" ? { keywords: request } : request);
  }

  /** Shares an experience after `confirm` has agreed to its sanitized text for the user. */
  async submitExperience(experience, { confirm = this.#options.confirm } = {}) {
    return await this.#settle(await this.#call("share_experience", experience), confirm);
  }

  /** Answers for a waiting draft: `"confirm"`, `"cancel"`, or fields to change. */
  async confirmExperience(draftId, answer) {
    return outcome(await this.#confirm(draftId, answer));
  }

  /** Ends the program. A later call starts it again. */
  async close() {
    const connection = this.#connection;
    this.#connection = undefined;
    await (await connection?.catch(() => undefined))?.close();
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  /** Shows drafts until an answer confirms or cancels. */
  async #settle(result, confirm) {
    while (result.status === "waiting" && confirm) {
      const { draft_id: draftId, preview } = result;
      const answer = await confirm({ draftId, preview });
      result = await this.#confirm(draftId, answer);
    }
    return outcome(result);
  }

  #confirm(draftId, answer) {
    const fields = typeof answer === "string" ? { answer } : { answer: "edit", ...answer };
    return this.#call("confirm_experience", { ...fields, draft_id: draftId });
  }

  async #call(name, args) {
    const client = await this.#connect();
    let result;
    try {
      result = await client.callTool({ name, arguments: args }, { timeout: this.#options.timeout });
    } catch (error) {
      const hint =
        name === "query_experiences" ? undefined : "it is unknown whether it was shared; query its title to find out";
      throw new RecallKitError("CALL_FAILED", `${name}: ${error.message}`, hint);
    }
    const content = result.structuredContent ?? {};
    if (result.isError) {
      const { code, message, hint, validation_errors: fields } = content.error ?? {};
      throw new RecallKitError(code ?? "FAILED", message ?? `${name} failed`, hint, fields);
    }
    return content;
  }

  /** Starts the program once, even if there are several calls at the same time. */
  #connect() {
    if (this.#connection) return this.#connection;
    // The connection to a program that ended is dropped, unless there is a newer one.
    const forget = () => {
      if (this.#connection === starting) this.#connection = undefined;
    };
    const starting = this.#start(forget).catch((error) => {
      forget();
      throw error;
    });
    this.#connection = starting;
    return starting;
  }

  async #start(ended) {
    const { serverUrl, configPath, programPath } = this.#options;
    const command = findProgram(programPath);
    const args = ["mcp"];
    if (serverUrl !== undefined) args.push("--server", serverUrl);
    if (configPath !== undefined) args.push("--config", configPath);
    const client = new Client(NAME);
    client.onclose = ended;
    try {
      await client.connect(new StdioClientTransport({ command, args, env: { ...env } }));
    } catch (error) {
      throw new RecallKitError(
        "NOT_STARTED",
        `${command} did not start: ${error.message}`,
        `run \`${command} doctor\``,
      );
    }
    return client;
  }
}

/** The outcome with camel-case names. */
function outcome({ status, id, message, reason, draft_id: draftId, preview, outbox_id: outboxId, note }) {
  const fields = { status, message, id, reason, draftId, preview, outboxId, note };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
