// Finds the programs of RecallKit, which lie in a package for each platform. npm installs the one that fits.

"use strict";

const { accessSync, constants } = require("node:fs");
const { dirname, join } = require("node:path");
const { arch, platform, report } = require("node:process");

const { name: NAME, optionalDependencies } = require("./package.json");

/**
 * Returns the path of `recall-kit-client` or `recall-kit-server`. Throws an error whose `code` is
 * `PLATFORM_NOT_SUPPORTED` or `PROGRAM_NOT_FOUND`, and whose message says what to do.
 */
function programPath(program) {
  const packageName = `${NAME}-${platformName()}`;
  if (!(packageName in optionalDependencies)) {
    const known = Object.keys(optionalDependencies).map((name) => name.slice(NAME.length + 1));
    throw failure(
      "PLATFORM_NOT_SUPPORTED",
      `there is no ${program} for ${platformName()}, only for ${known.join(", ")}; ` +
        "build it from the source: https://github.com/recall-kit/recall-kit",
    );
  }
  const path = locate(packageName, program);
  try {
    accessSync(path, constants.X_OK);
  } catch (error) {
    throw failure("PROGRAM_NOT_FOUND", `${path} cannot be run (${error.code}); install ${NAME} again`);
  }
  return path;
}

function locate(packageName, program) {
  try {
    const folder = dirname(require.resolve(`${packageName}/package.json`));
    return join(folder, "bin", platform === "win32" ? `${program}.exe` : program);
  } catch {
    throw failure(
      "PROGRAM_NOT_FOUND",
      `the package ${packageName} with ${program} is not installed; it is an optional dependency of ${NAME}: ` +
        `install again without --omit=optional or --no-optional, for example: npm install --include=optional ${NAME}`,
    );
  }
}

/** Returns the system and processor as the packages name them, such as `linux-x64`. */
function platformName() {
  return `${platform}-${arch}${isMusl() ? "-musl" : ""}`;
}

function isMusl() {
  if (platform !== "linux") return false;
  report.excludeNetwork = true;
  return report.getReport().header.glibcVersionRuntime === undefined;
}

function failure(code, message) {
  return Object.assign(new Error(message), { code });
}

module.exports = { programPath };
