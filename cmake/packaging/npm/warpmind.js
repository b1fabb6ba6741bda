#!/usr/bin/env node
// Starts the program of this package with the terminal's own stdin, stdout and stderr, hands signals on, and ends
// as it ends.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const path = require("node:path");

const program = path.join(__dirname, "tree", "bin", "warpmind");
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  // A terminal sends Ctrl-C to both programs; a second one would end warpmind at once.
  const fromTerminal = process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT");
  process.on(signal, () => fromTerminal || child.kill(signal));
}
child.on("error", (error) => {
  console.error(`warpmind: cannot start ${program}: ${error.message}`);
  process.exitCode = 4;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
