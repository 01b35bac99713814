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
