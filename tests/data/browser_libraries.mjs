// Ingesting documentation, following the job, reading and removing the documentation in a real browser.
import assert from "node:assert/strict";

import { accessible, fits, ids, opened, run, signIn, url } from "./browser_common.mjs";

/// Fills in the form and sends it, which opens the page of the job.
async function send(page, library, file) {
  await page.goto(`${url}/libraries`);
  await page.locator("a[href='/libraries/ingest']").click();
  await page.locator("input[name=library]").fill(library);
  await page.locator("input[name=version]").fill("v1/β");
  await page.locator("input[type=file]").setInputFiles(file);
  await page.locator("form[enctype] button.main").click();
  await page.waitForURL(/libraries\/jobs\//);
}

await run({
  // Uploads a file, sees its progress live, reads and searches it; in three languages, on two screens.
  async libraries(browser) {
    for (const [locale, width, colorScheme] of [["en", 1200, "light"], ["zh-CN", 380, "light"], ["fr", 380, "dark"]]) {
      const page = await opened(browser, { locale, colorScheme, viewport: { width, height: 800 } });
      page.setDefaultTimeout(120_000);
      const good = async (what) => {
        await accessible(page, `${what} ${locale}`);
        await fits(page, `${what} ${locale}`);
      };
      await signIn(page, "writer", ids.password);
      await page.goto(`${url}/libraries/ingest`);
      await good("the form");
      await page.locator("input[type=file]").evaluate((file) => { file.dataset.limit = "10"; });
      await page.locator("input[type=file]").setInputFiles(ids.docs);
      assert.equal(await page.locator("input[type=file]").evaluate((file) => file.validity.valid), false);

      const events = page.waitForRequest(/\/events$/);
      await send(page, `Many ${locale}`, ids.very_many);
      await events;
      await page.locator("progress[value]").waitFor();
      await good("a job");
      await page.locator("form[action$='/cancel'] button").click();
      await page.locator("p.done[role=status]").waitFor();
      assert.equal(await page.locator("table").count(), 0);
      await good("a cancelled job");

      await send(page, `Gin ${locale}`, ids.docs);
      // Reloaded at the end by JavaScript only.
      await page.locator("p.done[role=status]").waitFor();
      assert.ok(await page.locator("table").count() >= 2);
      await good("the report");
      await page.locator("main a[href*='%2F']").click();
      await page.locator(".piece").first().waitFor();
      await good("the reader");
      await page.locator("nav.tabs a").nth(1).click();
      await page.waitForURL(/mode=code/);
      assert.equal(await page.locator("nav.tabs a[aria-current]").count(), 1);
      assert.equal(await page.locator(".piece").count(), 1);
      await page.locator("nav.tabs a").nth(2).click();
      await page.waitForURL(/mode=info/);
      await page.locator("#q").fill("route handler");
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=route/);
      assert.match(await page.locator(".piece").first().innerText(), /leads from a path/);
      await good("found");
      await page.locator("details summary").click();
      await page.locator("form[action$='/remove'] button").click();
      await page.waitForURL(`${url}/libraries`);
      assert.equal(await page.getByText(`Gin ${locale}`).count(), 0);
      await good("the list");
      page.fine();
    }
  },

  // The same without JavaScript: the page of a running job reloads itself.
  async plain(browser) {
    const page = await opened(browser, { javaScriptEnabled: false });
    page.setDefaultTimeout(120_000);
    await signIn(page, "writer", ids.password);
    await send(page, "Many", ids.many);
    await page.locator("p.done[role=status]").waitFor();
    await page.locator("main a[href*='%2F']").click();
    await page.locator("a[rel=next]").click();
    assert.match(page.url(), /page=2/);
    assert.equal(await page.locator(".piece").count(), 30);
    page.fine();
  },
});
