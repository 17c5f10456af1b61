// Takes the pictures of the web pages that the README and docs/ show.
//
// pictures.mjs pictures URL IDS: IDS names the folder for the pictures, and the user who signs in.
import { ids, opened, run, signIn, url } from "./browser_common.mjs";

const DESK = { viewport: { width: 1200, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 } };

// Name, path, options of the browser, and the selector to wait for besides the page, if any.
const PICTURES = [
  ["start", "/", { ...DESK }],
  ["search", "/?q=docker+volume", { ...DESK }],
  ["experience", `/experiences/${ids.experience}`, { ...PHONE }],
  ["knowledge", "/knowledge", { ...DESK, locale: "zh-CN" }],
  ["graph", "/knowledge/graph", { ...DESK, locale: "fr", colorScheme: "dark" }, "[data-settled]"],
  ["libraries", "/libraries", { ...DESK }],
  ["insights", "/insights?family=experiences", { viewport: { width: 1200, height: 1900 } }],
  ["audit", "/audit", { ...DESK, colorScheme: "dark" }],
];

await run({
  async pictures(browser) {
    const first = await opened(browser);
    await signIn(first, "ada", ids.password);
    const storageState = await first.context().storageState();
    for (const [name, path, options, awaited] of PICTURES) {
      const page = await opened(browser, { reducedMotion: "reduce", storageState, ...options });
      await page.goto(url + path, { waitUntil: "networkidle" });
      if (awaited) await page.locator(awaited).waitFor({ timeout: 60_000 });
      await page.evaluate(() => document.activeElement.blur());
      await page.screenshot({ path: `${ids.folder}/${name}.png` });
      page.fine();
    }
  },
});
