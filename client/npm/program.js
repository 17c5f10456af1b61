// Finds the program `recall-kit-client` on this machine. It is not part of this package.

import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env, platform } from "node:process";

import { RecallKitError } from "./errors.js";

const NAME = platform === "win32" ? "recall-kit-client.exe" : "recall-kit-client";

/**
 * Returns the program's path: `named`, else `RECALL_KIT_CLIENT`, else the first on `PATH` that is not a
 * script. Package managers install launchers of that name there, including the one of this package.
 */
export function findProgram(named) {
  const wanted = named ?? env.RECALL_KIT_CLIENT;
  if (wanted) {
    if (isProgram(wanted)) return wanted;
    const option = named === undefined ? "RECALL_KIT_CLIENT" : "programPath";
    throw new RecallKitError("PROGRAM_NOT_FOUND", `${option} is not a program: ${wanted}`);
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
