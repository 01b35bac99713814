// What is chosen to be kept, and what it gets, is shown at once. Without this a button does it.
"use strict";

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (!form?.matches("form[data-choice]")) return;
  const told = [...new FormData(form)].filter(([, value]) => value);
  // Whoever chose goes on from where that was.
  const { name, value } = event.target;
  swap(`${form.action}?${new URLSearchParams(told)}`, {}, true).then(() => {
    const again = [...document.getElementsByName(name)].find((each) => each.value === value || each.tagName === "SELECT" && [...each.options].some((option) => option.value === value && value));
    again?.focus({ preventScroll: true });
  });
});
