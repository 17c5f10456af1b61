// Changing records and deciding on suggestions in a real browser.
import assert from "node:assert/strict";

import { accessible, fits, ids, opened, run, signIn, url } from "./browser_common.mjs";

const PAGES = ["/experiences", `/experiences/${ids.record}`, `/experiences/${ids.record}/edit`,
  "/experiences?state=hidden", "/knowledge?order=most-shown", `/knowledge/${ids.entry}`,
  `/knowledge/${ids.entry}/edit`, "/knowledge/suggestions", "/knowledge/stale?days=0"];

await run({
  // Edits, deletes and undoes, decides on suggestions, marks stale entries; in three languages, on
  // two screens, once without JavaScript, and axe-core finds no violations.
  async change(browser) {
    for (const [locale, width, colorScheme, javaScriptEnabled] of [
      ["en", 1200, "light", true], ["zh-CN", 380, "light", false], ["fr", 380, "dark", true],
    ]) {
      const page = await opened(browser, { locale, colorScheme, javaScriptEnabled, viewport: { width, height: 900 } });
      await signIn(page, "writer", ids.password);
      for (const path of PAGES) {
        await page.goto(url + path);
        await accessible(page, `${path} ${locale}`);
        await fits(page, `${path} ${locale}`);
      }
      await page.goto(`${url}/experiences/${ids.record}/edit`);
      await page.locator("input[name=title]").fill(`the pool ran dry (${locale})`);
      await page.locator("button.main").click();
      await page.waitForURL(/done=edit/);
      assert.match(await page.locator("h1").innerText(), new RegExp(locale));
      await page.locator("article form[action$='/delete'] button").click();
      await page.waitForURL(/done=delete/);
      await accessible(page, `deleted ${locale}`);
      await page.locator(".done button").click();
      await page.waitForURL(/done=restore/);
      await page.goto(`${url}/knowledge/suggestions`);
      const waiting = await page.locator("li.card").count();
      assert.ok(waiting > 0, "suggestions wait");
      if (locale !== "fr") {
        await page.locator("li.card button[value^='accept ']").first().click();
        await page.locator(".done").waitFor();
        assert.equal(await page.locator("li.card").count(), waiting - 1);
      } else {
        await page.locator("button[data-choose-all]").click();
        await page.locator("button[value=reject]").click();
        await page.locator(".done").waitFor();
        assert.equal(await page.locator("li.card").count(), 0);
      }
      await page.goto(`${url}/knowledge/${ids.entry}`);
      await page.locator("article form[action$='/status'] button").click();
      await page.waitForURL(/done=obsolete/);
      await page.locator(".done button").click();
      await page.waitForURL(/done=active/);
      page.fine();
    }
  },
});
