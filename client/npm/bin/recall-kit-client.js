#!/usr/bin/env node
// Starts the program `recall-kit-client` with the same arguments, input and output.

import { spawn } from "node:child_process";
import process from "node:process";

import { findProgram } from "../program.js";

let program;
try {
  program = findProgram();
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends Ctrl-C to both processes; a signal that is sent only to this process is passed on.
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`error: ${program} did not start: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  for (const handled of signals) process.removeAllListeners(handled);
  process.kill(process.pid, signal);
});
