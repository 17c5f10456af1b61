// Opens the pages of a server in a real browser, like a user.
//
// browser.mjs FLOW URL IDS: runs one flow below; a failed check ends it with an error. IDS is JSON with
// the ids of records that the server has.
import assert from "node:assert/strict";

import { accessible, fits, ids, opened, run, url } from "./browser_common.mjs";

const PAGES = ["/", "/?q=docker", "/?q=docker&in=knowledge&type=bug", "/?q=%22nothing-like-it%22",
  `/experiences/${ids.experience}`, "/knowledge", `/knowledge/${ids.entry}`, "/knowledge/graph",
  "/libraries", "/knowledge/none"];

// Opens one of the drawn entries: the pointer's shape shows where they are.
async function openDrawn(page) {
  const spot = await page.evaluate(() => {
    const canvas = document.querySelector("canvas");
    const box = canvas.getBoundingClientRect();
    for (let x = box.left; x < box.right; x += 5) {
      for (let y = box.top; y < box.bottom; y += 5) {
        canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y }));
        if (canvas.classList.contains("pointed")) return { x, y };
      }
    }
    return null;
  });
  assert.ok(spot, "an entry is drawn");
  await page.mouse.click(spot.x, spot.y);
}

const flows = {
  // Results appear while typing, can be navigated by keyboard, and are reflected in the address.
  async search(browser) {
    for (const [locale, label, found] of [["en", "Search", /Score/], ["zh-CN", "搜索", /得分/], ["fr", "Rechercher", /Score/]]) {
      const page = await opened(browser, { locale });
      await page.goto(url);
      assert.ok(await page.getByRole("button", { name: label, exact: true }).isVisible());
      await page.keyboard.press("Tab");
      await page.locator("body").click({ position: { x: 1, y: 1 } });
      await page.keyboard.press("/");
      await page.keyboard.type("docker volumes", { delay: 30 });
      const first = page.locator("#results h3 a").first();
      await first.waitFor();
      assert.match(await page.locator("#results").innerText(), found);
      await page.waitForURL(/q=docker(\+|%20)volumes/);
      assert.ok(await page.locator("#results mark").count() > 0);
      await page.keyboard.press("ArrowDown");
      await first.evaluate((link) => { if (link !== document.activeElement) throw new Error("not chosen"); });
      const parts = page.locator(".parts").first();
      assert.equal(await parts.isVisible(), false);
      await page.locator(".explained").first().hover();
      assert.ok(await parts.isVisible());
      const shared = page.url();
      await first.focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(/experiences|knowledge/);
      await page.goto(shared);
      assert.ok(await page.locator("#results h3 a").count() > 0);
      page.fine();
    }
  },

  // Every page works without JavaScript, also those that JavaScript enhances.
  async plain(browser) {
    const page = await opened(browser, { javaScriptEnabled: false });
    await page.goto(url);
    await page.getByRole("searchbox").fill("docker volumes");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.locator("#results h3 a").first().click();
    assert.ok(await page.locator("h1").isVisible());
    await page.goto(`${url}/knowledge/graph`);
    await page.getByText("The graph as a table").click();
    assert.ok(await page.locator("td a").first().isVisible());
    await page.getByLabel("Language").selectOption("fr");
    await page.getByRole("button", { name: "Apply" }).click();
    assert.match(page.url(), /knowledge\/graph/);
    assert.equal(await page.locator("html").getAttribute("lang"), "fr");
    page.fine();
  },

  // On a phone nothing is wider than the screen, in light and dark mode, and axe-core finds no violations.
  async accessible(browser) {
    for (const [width, colorScheme, locale] of [[1200, "light", "en"], [380, "dark", "fr"], [380, "light", "zh"]]) {
      const page = await opened(browser, { viewport: { width, height: 800 }, colorScheme, locale });
      for (const path of PAGES) {
        await page.goto(url + path);
        await fits(page, `${path} at ${width}`);
        await accessible(page, `${path} ${width} ${colorScheme} ${locale}`);
      }
      page.fine();
    }
  },

  // Stored markup is shown as text and is never executed.
  async harmless(browser) {
    const page = await opened(browser);
    for (const path of [`/experiences/${ids.hostile}`, `/knowledge/${ids.hostile_entry}`, "/knowledge", "/knowledge/graph", "/?q=hostile"]) {
      await page.goto(url + path, { waitUntil: "networkidle" });
      const alive = await page.evaluate(() => ({
        pictures: document.images.length,
        scripts: [...document.scripts].filter((script) => !script.src).length,
        drawings: document.querySelectorAll("main svg, main iframe, main object").length,
        handlers: document.querySelectorAll("[onclick], [onload], [onerror]").length,
        links: [...document.links].filter((link) => !/^https?:/.test(link.href)).length,
        owned: window.owned ?? 0,
      }));
      assert.deepEqual(alive, { pictures: 0, scripts: 0, drawings: 0, handlers: 0, links: 0, owned: 0 }, path);
    }
    page.fine();
  },

  // The drawing settles, and a click opens an entry.
  async graph(browser) {
    const page = await opened(browser, { viewport: { width: 1200, height: 1000 } });
    await page.goto(`${url}/knowledge/graph`);
    await page.locator("[data-settled]").waitFor({ timeout: 30_000 });
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Show all" }).click();
    await openDrawn(page);
    await page.waitForURL(/\/knowledge\/[0-9A-Z]{26}$/);
    page.fine();
  },

  // The largest possible graph: most entries can be pointed at, the page responds while the graph moves, the
  // graph settles, and can be zoomed, filtered and opened.
  async large_graph(browser) {
    const page = await opened(browser, { viewport: { width: 1200, height: 1000 } });
    await page.goto(`${url}/knowledge/graph`);
    await page.getByText(new RegExp(`${ids.nodes}|2,000`)).first().waitFor();
    assert.equal(await page.locator("[data-settled]").count(), 0, "it still moves");
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.locator("[data-settled]").waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "Show all" }).click();
    const titles = await page.evaluate(() => {
      const canvas = document.querySelector("canvas");
      const box = canvas.getBoundingClientRect();
      const seen = new Set();
      for (let x = box.left; x < box.right; x += 3) {
        for (let y = box.top; y < box.bottom; y += 3) {
          canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y }));
          if (canvas.title) seen.add(canvas.title);
        }
      }
      return seen.size;
    });
    // On a screen of this size some entries overlap, most do not.
    assert.ok(titles > ids.nodes * 0.7, `${titles} entries can be pointed at`);
    await page.locator("select[name=project]").selectOption("project 3");
    await page.waitForURL(/project=project(\+|%20)3/);
    await page.locator("[data-settled]").waitFor({ timeout: 60_000 });
    await openDrawn(page);
    await page.waitForURL(/\/knowledge\/[0-9A-Z]{26}$/);
    page.fine();
  },
};

await run(flows);
