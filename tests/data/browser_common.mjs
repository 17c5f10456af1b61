// Shared code of the browser flows: pages without errors, axe-core, and the browser itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/// The server's address, and the parameters that a test passes to its flow.
export const url = process.argv[3];
export const ids = JSON.parse(process.argv[4]);

/// Opens a page that may load only the server's own resources, and must not report errors or warnings.
export async function opened(browser, options = {}) {
  const context = await browser.newContext({ locale: "en", ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) wrong.push(`asked elsewhere: ${request.url()}`);
  });
  page.on("console", (message) => {
    const missing = /status of 4\d\d/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !missing) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("dialog", (dialog) => { wrong.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.hasScript = options.javaScriptEnabled ?? true;
  page.fine = () => assert.deepEqual(wrong, []);
  return page;
}

/// Checks the page with axe-core, which is evaluated where the content security policy of the page does not
/// apply. Without JavaScript its timers would never fire, so only the same page with JavaScript is checked.
export async function accessible(page, what) {
  if (!page.hasScript) return;
  const violations = await page.evaluate(`${AXE}; axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
    .then((found) => found.violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html).join(" | ")))`);
  assert.deepEqual(violations, [], what);
}

/// Checks that nothing on the page is wider than the screen.
export async function fits(page, what) {
  const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(wide <= 0, `${what} is ${wide} too wide`);
}

/// Signs in with a name and a password, in whatever language the page is.
export async function signIn(page, name, password) {
  await page.goto(`${url}/sign-in`);
  await page.locator("input[name=name]").fill(name);
  await page.locator("input[name=password]").fill(password);
  await page.locator("button.main").click();
  await page.locator("a[href='/account']").waitFor();
}

/// Runs the flow that the command line names.
export async function run(flows) {
  const executablePath = process.env.RECALL_KIT_TEST_BROWSER;
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    await flows[process.argv[2]](browser);
    console.log("fine");
  } finally {
    await browser.close();
  }
}
