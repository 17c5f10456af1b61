// Follows what is read in, and says of a file that it is too large before it is sent. Both pages work
// without: the one is loaded anew, the other one hears it from the server.
"use strict";

(() => {
  const place = document.querySelector("[data-events]");
  if (place) {
    const bar = place.querySelector("progress");
    const words = place.querySelector("[aria-live]");
    const events = new EventSource(place.dataset.events);
    events.addEventListener("progress", (event) => {
      const { done, total, text } = JSON.parse(event.data);
      if (total) {
        bar.max = total;
        bar.value = done;
      }
      words.textContent = text;
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
