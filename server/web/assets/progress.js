// Shows the progress of an ingest job, and reports a file that is too large before it is sent. Both pages
// work without this script: one is reloaded regularly, the other one gets the error from the server.
"use strict";

(() => {
  const section = document.querySelector("[data-events]");
  if (section) {
    const bar = section.querySelector("progress");
    const status = section.querySelector("[aria-live]");
    const events = new EventSource(section.dataset.events);
    events.addEventListener("progress", (event) => {
      const { done, total, text } = JSON.parse(event.data);
      if (total) {
        bar.max = total;
        bar.value = done;
      }
      status.textContent = text;
    });
    events.addEventListener("done", () => {
      events.close();
      location.reload();
    });
  }

  const file = document.querySelector("input[type=file][data-limit]");
  if (file) {
    file.addEventListener("change", () => {
      const large = [...file.files].some((one) => one.size > Number(file.dataset.limit));
      file.setCustomValidity(large ? file.dataset.tooLarge : "");
      file.reportValidity();
    });
  }
})();
