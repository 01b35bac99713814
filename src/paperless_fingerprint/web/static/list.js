// The list: keys from entry to entry, ticking many, and what submits by itself.
"use strict";

function rows() { return [...document.querySelectorAll("[data-row]")]; }

function current() {
  const group = document.activeElement?.closest(".group");
  return rows().findIndex((row) => row.closest(".group") === group);
}

function step(by) {
  const all = rows();
  if (!all.length) return;
  const at = current();
  const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by));
  all[next].focus();
  all[next].closest(".group").scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog") || !settings.get("keys")) return;
  const ways = { j: 1, k: -1 };
  if (event.key in ways) { event.preventDefault(); step(ways[event.key]); }
  if (event.key === "x" && current() >= 0) {
    event.preventDefault();
    rows()[current()].closest(".group").querySelector("[name=pick]")?.click();
  }
});

// What is unticked after all that match were chosen is left out of them, and told so by name.
function leaveOut(form, pick) {
  const id = pick.value.split(" ")[0];
  const known = form.querySelector(`[name=except][value="${id}"]`);
  if (pick.checked) known?.remove();
  else if (!known) {
    const field = Object.assign(document.createElement("input"), { type: "hidden", name: "except", value: id });
    form.append(field);
  }
}

document.addEventListener("change", (event) => {
  const box = event.target;
  if (box.matches("[data-submits]")) { box.form.requestSubmit(); return; }
  const form = box.closest("#bulk");
  if (!form) return;
  const picks = [...form.querySelectorAll("[name=pick]")];
  const every = form.querySelector("#every");
  if (box.id === "page" || box === every) for (const pick of picks) pick.checked = box.checked;
  if (box === every || (box.id === "page" && !box.checked)) {
    for (const field of form.querySelectorAll("[name=except]")) field.remove();
    if (every) every.checked = box.checked;
  }
  if (box.name === "pick" && every?.checked) leaveOut(form, box);
  tell(form, picks, every);
});

function tell(form, picks, every) {
  const count = every?.checked
    ? every.dataset.total - form.querySelectorAll("[name=except]").length
    : picks.filter((pick) => pick.checked).length;
  const words = form.querySelector("[data-picked]");
  if (!words) return;
  words.hidden = false;
  words.textContent = words.dataset.picked.replace("{n}", count.toLocaleString(document.documentElement.lang));
  form.querySelector("#page").checked = picks.every((pick) => pick.checked);
}

// Back from an entry one is where it stands; after 'back' the browser has kept what was ticked.
function settle() {
  for (const part of document.querySelectorAll("#page, [data-script]")) part.hidden = false;
  const here = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  here?.querySelector?.("[data-row]")?.focus();
  const form = document.getElementById("bulk");
  if (form?.querySelector("[name=pick]:checked")) {
    tell(form, [...form.querySelectorAll("[name=pick]")], form.querySelector("#every"));
  }
}

document.addEventListener("arrived", settle);
addEventListener("pageshow", settle);
