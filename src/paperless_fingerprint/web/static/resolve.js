// What is chosen to be kept, and what it gets, is shown at once. Without this a button does it.
"use strict";

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (!form?.matches("form[data-choice]")) return;
  const told = [...new FormData(form)].filter(([, value]) => value);
  const { id } = event.target;
  swap(`${form.action}?${new URLSearchParams(told)}`, {}, true).then(() => {
    // Whoever chose goes on from there.
    document.getElementById(id)?.focus();
  });
});
