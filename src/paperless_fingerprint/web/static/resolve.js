// What is chosen is shown at once, with what it would do. Without this a button does it.
"use strict";

let chosen = null;

async function showChosen() {
  // What is chosen while an answer is under way is asked for when that is there.
  while (chosen && !busy) {
    const { address, id } = chosen;
    chosen = null;
    await swap(address, {}, true);
    if (!chosen) document.getElementById(id)?.focus();
  }
}

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (!form?.matches("form[data-choice]")) return;
  const told = [...new FormData(form)].filter(([, value]) => value);
  chosen = { address: `${form.action}?${new URLSearchParams(told)}`, id: event.target.id };
  showChosen();
});

// What is loaded after the page: what a decision would change in Paperless.
new MutationObserver(loadParts).observe(document.body, { childList: true, subtree: true });
loadParts();

function loadParts() {
  for (const part of document.querySelectorAll("[data-load]")) {
    const address = part.dataset.load;
    delete part.dataset.load;
    // Whoever walks on is not asked for.
    setTimeout(async () => {
      if (!part.isConnected) return;
      try {
        const answer = await fetch(address, { headers: { Accept: "text/html" } });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("changes");
        if (answer.ok && fresh) part.replaceChildren(...fresh.childNodes);
      } catch { /* the link is still there */ }
    }, 250);
  }
}
