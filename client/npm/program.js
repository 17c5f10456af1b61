// Finds the program `recall-kit-client` on this machine. It is not part of this package.

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { env, platform } from "node:process";
import { fileURLToPath } from "node:url";

import { RecallKitError } from "./errors.js";

const NAME = platform === "win32" ? "recall-kit-client.exe" : "recall-kit-client";
const HERE = dirname(fileURLToPath(import.meta.url)) + sep;

/**
 * Returns the program's path: the one that was named, `RECALL_KIT_CLIENT`, or the first on `PATH`
 * that is not this package's own launcher.
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
    if (folder && isProgram(path) && !realpathSync(path).startsWith(HERE)) return path;
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
