/** How a client is made; every part has a default that works. */
export interface RecallKitClientOptions {
  /** `mcp://recall-kit-server` (the local program, the default), `mcp://host[:port]`, or `http(s)://…`. */
  serverUrl?: string;
  /** The configuration file; looked for in the usual places when left out. */
  configPath?: string;
  /** The program `recall-kit-client`; `RECALL_KIT_CLIENT`, else the one on `PATH`, when left out. */
  programPath?: string;
  /** Milliseconds that one call may take; the MCP client's own limit when left out. */
  timeout?: number;
  /** Asks the user whether a sanitized experience may be sent. */
  confirm?: Confirm;
}

/** Shows a preview to the user and returns what the user said. */
export type Confirm = (draft: WaitingDraft) => Answer | Promise<Answer>;

/** Send it, send nothing, or fields to change; an edited draft is sanitized and shown again. */
export type Answer = "confirm" | "cancel" | Partial<Experience>;

/** A sanitized draft that waits for an answer. */
export interface WaitingDraft {
  draftId: string;
  /** What would be sent and what was removed from it, in the user's language. */
  preview: string;
}

/** What to look for. */
export interface Query {
  /** An error message, keywords, or a question in any language. */
  keywords: string;
  /** 1–50; 10 when left out. */
  limit?: number;
  offset?: number;
}

/** What was found, best first. */
export interface QueryResults {
  found: boolean;
  count: number;
  experiences: FormattedExperience[];
  /** How many records match in all. */
  total: number;
  /** Of several servers those that did not answer, so that their records are missing. */
  unanswered?: { server: string; reason: string }[];
}

/** A solved problem. */
export interface FormattedExperience {
  id: string;
  title: string;
  problem: string;
  root_cause?: string;
  solution: string;
  context?: string;
  /** The code of the context. */
  code?: string;
  keywords: string[];
  /** 0–1: how well it fits the query. */
  relevance: number;
  query_count: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** Of several servers the one it is from. */
  origin?: string;
}

/** A solved problem to share; secrets in it are removed before anything is shown or sent. */
export interface Experience {
  title: string;
  problem_description: string;
  root_cause?: string;
  solution: string;
  /** Versions, surroundings, code. */
  context?: string;
  keywords?: string[];
}

/** What came of a submission. */
export type Submission =
  /** The server has it. `note` where the settings agreed instead of the user. */
  | { status: "stored"; id: string; message: string; note?: string }
  /** The server does not have it yet: it is sent once when the server takes it. */
  | { status: "kept"; outboxId: string; message: string; note?: string }
  /** It waits for {@link RecallKitClient.confirmExperience}; nothing was sent. */
  | { status: "waiting"; draftId: string; preview: string; message: string }
  /** The user did not agree; nothing was sent. `outboxId` where a text that the server refused before stays. */
  | { status: "not_sent"; reason: string; message: string; outboxId?: string };

/** Why something was not done. */
export declare class RecallKitError extends Error {
  /** The contract's code, or `PROGRAM_NOT_FOUND`, `NOT_STARTED`, `CALL_FAILED`, `FAILED`. */
  readonly code: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Each refused field. */
  readonly validationErrors: { field: string; message: string }[];
}

/** A client of one server. It starts the program `recall-kit-client` when it is first used. */
export declare class RecallKitClient implements AsyncDisposable {
  constructor(options?: RecallKitClientOptions);
  /** Finds solved problems. */
  query(request: Query | string): Promise<QueryResults>;
  /**
   * Shares an experience. Without a `confirm` here or in the options nothing is sent: the draft
   * waits for {@link confirmExperience}. Where the configuration has `autoSubmit` on and
   * `promptOnSubmit` off nobody is asked, and `note` says so.
   */
  submitExperience(experience: Experience, options?: { confirm?: Confirm }): Promise<Submission>;
  /** Answers for a draft that waits. */
  confirmExperience(draftId: string, answer: Answer): Promise<Submission>;
  /** Ends the program. A later call starts it again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
