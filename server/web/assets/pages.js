// Keyboard shortcuts, copying and other additions of pages. Every page works without this script.
"use strict";

(() => {
  const results = () => [...document.querySelectorAll("#results h3 a")];

  // "/" focuses the search box, the arrow keys move through the results.
  document.addEventListener("keydown", (event) => {
    const box = document.getElementById("q");
    const typing = event.target.closest("input, textarea, select");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !typing) {
      event.preventDefault();
      if (box) {
        box.focus();
        box.select();
      } else {
        location.href = "/";
      }
      return;
    }
    if (!box || (typing && typing !== box)) return;
    const links = results();
    const at = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown" && links.length) {
      event.preventDefault();
      links[Math.min(at + 1, links.length - 1)].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (at === 0 ? box : links[at - 1]).focus();
    } else if (event.key === "Escape" && at >= 0) {
      box.focus();
    }
  });

  // The copy buttons are shown only if the clipboard is available.
  for (const button of document.querySelectorAll("button[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]");
    if (!button) return;
    const text = document.getElementById(button.dataset.copy).textContent;
    await navigator.clipboard.writeText(text);
    const name = button.textContent;
    button.textContent = document.body.dataset.copied;
    setTimeout(() => { button.textContent = name; }, 1500);
  });

  // Selects all checkboxes of a form; if all are selected, deselects them.
  for (const button of document.querySelectorAll("button[data-choose-all]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const boxes = [...button.form.querySelectorAll("input[type=checkbox]")];
      const all = boxes.every((box) => box.checked);
      for (const box of boxes) box.checked = !all;
    });
  }

  // A changed filter applies at once, as on the search page.
  for (const form of document.querySelectorAll("form.filters, form.switches")) {
    form.addEventListener("change", () => form.requestSubmit());
    const button = form.querySelector("button[type=submit]");
    if (button) button.hidden = true;
  }
})();
