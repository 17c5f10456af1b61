// The insights and coloured code in a real browser.
import assert from "node:assert/strict";

import { accessible, fits, ids, opened, run, signIn, url } from "./browser_common.mjs";

await run({
  // Charts are drawn with text alternatives and tables, and queries without results link to the search; on two
  // screens, in light and dark mode, in three languages, once without JavaScript; axe-core finds no violations.
  async insights(browser) {
    for (const [locale, width, colorScheme, javaScriptEnabled] of [
      ["en", 1200, "light", true], ["zh-CN", 380, "dark", true], ["fr", 380, "light", true], ["en-GB", 1200, "dark", false],
    ]) {
      const page = await opened(browser, { locale, colorScheme, javaScriptEnabled, viewport: { width, height: 800 } });
      const what = `${locale} ${width} ${colorScheme}`;
      await page.goto(`${url}/insights`);
      await accessible(page, `without a name ${what}`);
      await fits(page, `without a name ${what}`);
      await signIn(page, "reader", ids.password);
      await page.goto(`${url}/insights`);
      for (const summary of await page.locator("main summary").all()) await summary.click();
      await accessible(page, what);
      await fits(page, what);
      const plots = page.getByRole("img");
      assert.equal(await plots.count(), 4);
      for (const plot of await plots.all()) {
        const { height } = await plot.boundingBox();
        assert.ok(height > 120, `${what}: ${height}`);
      }
      // With JavaScript a choice takes effect at once, and is reflected in the address.
      await page.locator("select[name=days]").selectOption("7");
      if (!javaScriptEnabled) await page.locator("form.filters button").click();
      await page.waitForURL(/days=7/);
      await page.locator("section.card tbody a").first().click();
      await page.waitForURL(/\?q=.*wombat/);
      await page.goto(`${url}/experiences/${ids.experience}`);
      for (const kind of ["comment", "text", "number", "keyword", "type", "call", "name", "gone"]) {
        assert.ok(await page.locator(`pre .code-${kind}`).count() > 0, kind);
      }
      await accessible(page, `code ${what}`);
      await fits(page, `code ${what}`);
      page.fine();
    }
  },
});
