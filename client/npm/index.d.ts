/** The options of a client; every option has a working default. */
export interface RecallKitClientOptions {
  /** `mcp://recall-kit-server` (the local program, the default), `mcp://host[:port]`, or `http(s)://…`. */
  serverUrl?: string;
  /** The configuration file; if left out, the usual places are searched. */
  configPath?: string;
  /** The program `recall-kit-client`; if left out, `RECALL_KIT_CLIENT`, else the first on `PATH`. */
  programPath?: string;
  /** The time limit of one call in milliseconds; if left out, that of the MCP client. */
  timeout?: number;
  /** Asks the user whether a sanitized experience may be sent. */
  confirm?: Confirm;
}

/** Shows a preview to the user and returns the user's answer. */
export type Confirm = (draft: WaitingDraft) => Answer | Promise<Answer>;

/** Send it, do not send it, or change these fields; an edited draft is sanitized and shown again. */
export type Answer = "confirm" | "cancel" | Partial<Experience>;

/** A sanitized draft that waits for an answer. */
export interface WaitingDraft {
  draftId: string;
  /** What would be sent, and what was removed from it, in the user's language. */
  preview: string;
}

/** A query. */
export interface Query {
  /** An error message, keywords, or a question in any language. */
  keywords: string;
  /** 1–50; 10 when left out. */
  limit?: number;
  offset?: number;
}

/** The results of a query, best first. */
export interface QueryResults {
  found: boolean;
  count: number;
  experiences: FormattedExperience[];
  /** How many records match in all. */
  total: number;
  /** With several servers: those that did not answer, so that their records are missing. */
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
  /** The code that was part of the context. */
  code?: string;
  keywords: string[];
  /** 0–1: how well it fits the query. */
  relevance: number;
  query_count: number;
  /** ISO 8601, UTC. */
  created_at: string;
  /** With several servers: the name of the server that the record is from. */
  origin?: string;
  /** Whether it helped others, such as `worked 4×, last 12 days ago, 2 people`, if anybody said so. */
  standing?: string;
  /** Where it applies, such as `react <19`, if that is known and the query had an environment. */
  applies?: string[];
  /** How it fits the environment of the query, such as `stated for react <19; you have 19.1`, if that is known. */
  fits?: string;
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
  /**
   * The versions it is for, such as `npm react <19; node 20`, or `none`. Left out, the preview proposes them, and you can
   * change them in your answer.
   */
  applies_to?: string;
}

/** The outcome of a submission. */
export type Submission =
  /** The server has it. There is a `note` if the settings agreed instead of the user. */
  | { status: "stored"; id: string; message: string; note?: string }
  /** The server does not have it yet: it waits in the outbox and is sent once, when the server accepts it. */
  | { status: "kept"; outboxId: string; message: string; note?: string }
  /** It waits for {@link RecallKitClient.confirmExperience}; nothing was sent. */
  | { status: "waiting"; draftId: string; preview: string; message: string }
  /** The user did not agree; nothing was sent. `outboxId` is that of a text that the server rejected before. */
  | { status: "not_sent"; reason: string; message: string; outboxId?: string };

/** Why a call failed. */
export declare class RecallKitError extends Error {
  /** The contract's code, or `PROGRAM_NOT_FOUND`, `NOT_STARTED`, `CALL_FAILED`, `FAILED`. */
  readonly code: string;
  /** What the user can do about it. */
  readonly hint?: string;
  /** Each rejected field. */
  readonly validationErrors: { field: string; message: string }[];
}

/** A client of one server. It starts the program `recall-kit-client` when it is first used. */
export declare class RecallKitClient implements AsyncDisposable {
  constructor(options?: RecallKitClientOptions);
  /** Finds solved problems. */
  query(request: Query | string): Promise<QueryResults>;
  /**
   * Shares an experience. Without a `confirm` here or in the options nothing is sent: the draft
   * waits for {@link confirmExperience}. If the configuration has `autoSubmit` on and
   * `promptOnSubmit` off, nobody is asked, and `note` says so.
   */
  submitExperience(experience: Experience, options?: { confirm?: Confirm }): Promise<Submission>;
  /** Answers for a waiting draft. */
  confirmExperience(draftId: string, answer: Answer): Promise<Submission>;
  /** Ends the program. A later call starts it again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
