// Finds the program `recall-kit-client` on this machine. It is part of the package `@recall-kit/cli`, not of this one.

import { createRequire } from "node:module";
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env, platform } from "node:process";

import { RecallKitError } from "./errors.js";

const NAME = platform === "win32" ? "recall-kit-client.exe" : "recall-kit-client";

/**
 * Returns the program's path: `named`, else `RECALL_KIT_CLIENT`, else that of `@recall-kit/cli` if it is
 * installed beside this package, else the first on `PATH` that is not a script. Package managers install launchers
 * of that name there, including the one of this package.
 */
export function findProgram(named) {
  const wanted = named ?? env.RECALL_KIT_CLIENT;
  if (wanted) {
    if (isProgram(wanted)) return wanted;
    const option = named === undefined ? "RECALL_KIT_CLIENT" : "programPath";
    throw new RecallKitError("PROGRAM_NOT_FOUND", `${option} is not a program: ${wanted}`);
  }
  const installed = programOfPackage();
  if (installed.path) return installed.path;
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const path = join(folder, NAME);
    if (folder && isProgram(path) && !isScript(path)) return path;
  }
  throw new RecallKitError(
    "PROGRAM_NOT_FOUND",
    installed.problem ?? `${NAME} is not on PATH`,
    "install the package @recall-kit/cli, or run `cargo install --path cli` in a clone of the project, or name the " +
      "program with RECALL_KIT_CLIENT or programPath",
  );
}

/** Asks `@recall-kit/cli`; `problem` says why it has no program although it is installed. */
function programOfPackage() {
  let cli;
  try {
    cli = createRequire(import.meta.url)("@recall-kit/cli");
  } catch {
    return {};
  }
  try {
    return { path: cli.programPath("recall-kit-client") };
  } catch (error) {
    return { problem: error.message };
  }
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
