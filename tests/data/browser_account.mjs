// Signing in and managing keys and users in a real browser.
import assert from "node:assert/strict";

import { accessible, fits, ids, opened, run, signIn, url } from "./browser_common.mjs";

const PAGES = ["/account", "/keys", "/users", "/audit"];

await run({
  // Signs in, creates a key that is shown once, revokes it, signs out; in three languages, on two
  // screens, once without JavaScript, and axe-core finds no violations.
  async account(browser) {
    for (const [locale, width, colorScheme, javaScriptEnabled] of [
      ["en", 1200, "light", true], ["zh-CN", 380, "light", true], ["fr", 380, "dark", true], ["en-GB", 1200, "dark", false],
    ]) {
      const page = await opened(browser, { locale, colorScheme, javaScriptEnabled, viewport: { width, height: 800 } });
      await page.goto(`${url}/keys`);
      await page.waitForURL(/sign-in/);
      await accessible(page, `sign-in ${locale}`);
      await fits(page, `sign-in ${locale}`);
      await signIn(page, "admin", ids.password);
      for (const path of PAGES) {
        await page.goto(url + path);
        await accessible(page, `${path} ${locale}`);
        await fits(page, `${path} ${locale}`);
      }
      await page.goto(`${url}/keys`);
      await page.locator("details.card > summary").click();
      await page.locator("input[name=name]").fill(`laptop ${locale}`);
      await page.locator("form[action='/keys'] button.main").click();
      const key = await page.locator("#made-key").innerText();
      assert.match(key, /^rk_/);
      await accessible(page, `a key ${locale}`);
      const row = page.getByRole("row").filter({ hasText: `laptop ${locale}` });
      await row.locator("summary").click();
      await row.getByRole("button").click();
      assert.equal(await row.getByRole("button").count(), 0);
      await page.goto(`${url}/account`);
      await page.locator("form[action='/sign-out'] button").click();
      await page.locator("a[href^='/sign-in']").waitFor();
      page.fine();
    }
  },
});
