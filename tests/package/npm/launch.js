// Starts a program with the same arguments, input and output.

"use strict";

const { spawn } = require("node:child_process");

const { programPath } = require("./index.js");

function launch(program) {
  let path;
  try {
    path = programPath(program);
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(1);
  }
  const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
  // The terminal sends Ctrl-C to both processes; a signal that is sent only to this process is passed on.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`error: ${path} did not start: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const handled of signals) process.removeAllListeners(handled);
    process.kill(process.pid, signal);
  });
}

module.exports = { launch };
