// What pages gain where script runs: keys, copying. Every page works without it.
"use strict";

(() => {
  const results = () => [...document.querySelectorAll("#results h3 a")];

  // "/" goes to the search, the arrows walk through the results.
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

  // Copying: the buttons are there only where it works.
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

  // All boxes of a form at once; a second time none of them.
  for (const button of document.querySelectorAll("button[data-choose-all]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const boxes = [...button.form.querySelectorAll("input[type=checkbox]")];
      const all = boxes.every((box) => box.checked);
      for (const box of boxes) box.checked = !all;
    });
  }

  // A choice of a filter counts at once where script runs, as in the search.
  for (const form of document.querySelectorAll("form.filters, form.switches")) {
    form.addEventListener("change", () => form.requestSubmit());
    const button = form.querySelector("button[type=submit]");
    if (button) button.hidden = true;
  }
})();
