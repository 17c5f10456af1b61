// A client of RecallKit for Node. It starts `recall-kit-client mcp`, which cleans texts on this
// machine, asks for consent and talks to the server, and speaks MCP with it.

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

  /** Finds solved problems. Secrets are removed from what is asked, on this machine. */
  async query(request) {
    return await this.#call("query_experiences", typeof request === "string" ? { keywords: request } : request);
  }

  /** Shares an experience, once whoever answers for the user agreed to its sanitized text. */
  async submitExperience(experience, { confirm = this.#options.confirm } = {}) {
    return await this.#settle(await this.#call("share_experience", experience), confirm);
  }

  /** Answers for a draft that waits: `"confirm"`, `"cancel"`, or fields to change. */
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

  /** Shows drafts until there is an answer that ends it. */
  async #settle(said, confirm) {
    while (said.status === "waiting" && confirm) {
      const { draft_id: draftId, preview } = said;
      const answer = await confirm({ draftId, preview });
      said = await this.#confirm(draftId, answer);
    }
    return outcome(said);
  }

  #confirm(draftId, answer) {
    const given = typeof answer === "string" ? { answer } : { answer: "edit", ...answer };
    return this.#call("confirm_experience", { ...given, draft_id: draftId });
  }

  async #call(name, given) {
    const client = await this.#connect();
    let result;
    try {
      result = await client.callTool({ name, arguments: given }, { timeout: this.#options.timeout });
    } catch (error) {
      const unknown = name === "query_experiences" ? undefined : "whether it was shared is unknown; a query with its title tells";
      throw new RecallKitError("CALL_FAILED", `${name}: ${error.message}`, unknown);
    }
    const said = result.structuredContent ?? {};
    if (result.isError) {
      const { code, message, hint, validation_errors: fields } = said.error ?? {};
      throw new RecallKitError(code ?? "FAILED", message ?? `${name} failed`, hint, fields);
    }
    return said;
  }

  /** Starts the program once, however many calls come at the same time. */
  #connect() {
    if (this.#connection) return this.#connection;
    // A program that ends is forgotten, unless another one took its place.
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

/** The outcome in the language of the caller's. */
function outcome({ status, id, message, reason, draft_id: draftId, preview, outbox_id: outboxId, note }) {
  const told = { status, message, id, reason, draftId, preview, outboxId, note };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}
