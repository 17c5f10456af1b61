// Finds the program `recall-kit-client` on this machine. It is not part of this package.

import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env, platform } from "node:process";

import { RecallKitError } from "./errors.js";

const NAME = platform === "win32" ? "recall-kit-client.exe" : "recall-kit-client";

/**
 * Returns the program's path: the one that was named, `RECALL_KIT_CLIENT`, or the first on `PATH`
 * that is no script: package managers put launchers of that name there, this package's own among them.
 */
export function findProgram(named) {
  const wanted = named ?? env.RECALL_KIT_CLIENT;
  if (wanted) {
    if (isProgram(wanted)) return wanted;
    const whose = named === undefined ? "RECALL_KIT_CLIENT" : "programPath";
    throw new RecallKitError("PROGRAM_NOT_FOUND", `${whose} names no program: ${wanted}`);
  }
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const path = join(folder, NAME);
    if (folder && isProgram(path) && !isScript(path)) return path;
  }
  throw new RecallKitError(
    "PROGRAM_NOT_FOUND",
    `${NAME} is not on PATH`,
    "install it with `cargo install --path cli` in a clone of the project, or name it with " +
      "RECALL_KIT_CLIENT or programPath",
  );
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isScript(path) {
  const start = Buffer.alloc(2);
  const file = openSync(path, "r");
  try {
    readSync(file, start, 0, start.length, 0);
  } finally {
    closeSync(file);
  }
  return start.toString() === "#!";
}
