// Adds to the pages: keys, decisions without a new page, live progress. Nothing needs it.
"use strict";

const live = document.getElementById("live");

function announce(text) {
  // Emptied first, so that the same sentence is read out a second time, too.
  live.textContent = "";
  if (text) setTimeout(() => { live.textContent = text; }, 50);
}

// What could not be done is seen and heard, wherever on the page one is.
function lost() {
  document.getElementById("lost")?.remove();
  const note = Object.assign(document.createElement("p"), { id: "lost", className: "note bad" });
  note.setAttribute("role", "alert");
  document.body.append(note);
  note.textContent = document.body.dataset.lost;
}

// Forms and links marked data-swap change the main part alone ---------------------------------

let busy = false;

async function swap(address, options, push) {
  if (busy) return;
  busy = true;
  const place = location.pathname;
  document.documentElement.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { ...options, headers: { Accept: "text/html" } });
    // Whoever is signed out meanwhile signs in again, and is led back to where this was.
    if (answer.status === 401) { location.reload(); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("main");
    if (!fresh) throw new Error("no page of ours");
    document.getElementById("main").replaceWith(fresh);
    document.title = page.title;
    // What was refused has no address of its own: a reload shows where one was.
    if (push && (answer.redirected || options.method !== "POST")) history.pushState({}, "", answer.url);
    document.getElementById("lost")?.remove();
    arrive(true, place === location.pathname);
  } catch {
    lost();
  } finally {
    busy = false;
    document.documentElement.removeAttribute("aria-busy");
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-swap]")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  swap(form.action, { method: "POST", body }, true);
});

document.addEventListener("click", (event) => {
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  const link = event.target.closest("a[data-swap]");
  if (link && plain) {
    event.preventDefault();
    swap(link.href, {}, true);
  }
  const opener = event.target.closest("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog).showModal();
});

// Pages large and side by side: what draws them is fetched when somebody asks for it.
document.addEventListener("click", async (event) => {
  const opener = event.target.closest("[data-see]");
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
  if (!opener || (elsewhere && opener.matches("a"))) return;
  event.preventDefault();
  const dialog = document.getElementById("see");
  try { (await import(dialog.dataset.script)).open(dialog); } catch { announce(document.body.dataset.lost); }
});

window.addEventListener("popstate", () => swap(location.href, {}, false));

// Keys ----------------------------------------------------------------------------------------

const settings = {
  get(name) { try { return localStorage.getItem(name) !== "off"; } catch { return true; } },
  set(name, on) { try { localStorage.setItem(name, on ? "on" : "off"); } catch { /* not kept */ } },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Escape" && event.target.matches("[type=search]")) event.target.blur();
  if (event.target.closest("input:not([type=checkbox]), textarea, select")) return;
  // Wherever the focus is: for a moment after a dialog has closed it is still in there, and whoever
  // has clicked beside everything in an open one does not mean the page behind it.
  if (document.querySelector("dialog[open]")) return;
  const walker = event.target.closest("[data-walk] a");
  if (walker && walk(walker, event.key)) { event.preventDefault(); return; }
  if (event.key !== "?" && event.key !== "/" && !settings.get("keys")) return;
  if (event.key.startsWith("Arrow") && event.target.closest(".diff, .scroll, .strip, .members, summary")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  for (const element of document.querySelectorAll("[data-key]")) {
    if (!element.dataset.key.split(" ").includes(key) || element.disabled) continue;
    event.preventDefault();
    if (element.matches("input:not([type=checkbox])")) element.focus();
    else element.click();
    return;
  }
});

// Arrow keys go to the nearest document in that direction.
function walk(from, key) {
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const way = ways[key];
  if (!way) return false;
  const middle = (link) => {
    const box = link.querySelector("circle").getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(from);
  let best = null;
  let least = Infinity;
  for (const other of from.closest("[data-walk]").querySelectorAll("a")) {
    if (other === from) continue;
    const [dx, dy] = middle(other).map((value, axis) => value - [x, y][axis]);
    const along = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    if (along <= 0 || aside > 2 * along) continue;
    if (along + aside < least) { least = along + aside; best = other; }
  }
  if (best) best.focus();
  return true;
}

document.addEventListener("change", (event) => {
  const box = event.target;
  if (box.dataset.setting) settings.set(box.dataset.setting, box.checked);
});

// Progress, live ---------------------------------------------------------------------------------

let events = null;

function follow(part) {
  events?.close();
  events = null;
  if (!part) return;
  let version = part.dataset.version;
  let told = version;
  let asking = false;
  let said = "";
  async function renew() {
    // What is told while the answer is under way may be newer than the answer: once more then.
    while (told !== version && part.isConnected) {
      const wanted = told;
      const answer = await fetch(part.dataset.part, { headers: { Accept: "text/html" } });
      // A person in the middle of the list of failures is not torn out of it.
      if (!answer.ok || part.contains(document.activeElement)) return;
      const open = part.querySelector("details")?.open;
      part.innerHTML = await answer.text();
      if (open) part.querySelector("details").open = true;
      version = wanted;
      const now = part.querySelector("[data-announce]")?.textContent.trim();
      if (now !== said && said) announce(now);
      said = now;
    }
  }
  events = new EventSource(part.dataset.events);
  events.addEventListener("progress", async (event) => {
    told = String(JSON.parse(event.data).version);
    if (asking) return;
    asking = true;
    try { await renew(); } catch { /* the next event tries again */ } finally { asking = false; }
  });
}

// On arrival -------------------------------------------------------------------------------------

function arrive(swapped, stays = false) {
  for (const element of document.querySelectorAll("[data-dialog]")) element.hidden = false;
  for (const box of document.querySelectorAll("[data-setting]")) box.checked = settings.get(box.dataset.setting);
  const said = [...document.querySelectorAll("#main [data-announce]")].map((part) => part.textContent.trim());
  if (swapped) {
    document.getElementById("main").focus({ preventScroll: true });
    if (!stays) scrollTo(0, 0);
    announce(said[0] || document.querySelector("#main h1")?.textContent.trim());
  } else announce(said[0]);
  follow(document.getElementById("progress"));
  document.dispatchEvent(new Event("arrived"));
}

// A menu closes when one goes elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
});

arrive(false);

// Whoever signs out leaves no searches behind ---------------------------------------------------

document.addEventListener("submit", event => {
  if (!event.target.action.endsWith("/sign-out")) return;
  for (const name of Object.keys(localStorage)) if (name.startsWith("pf-searches ")) localStorage.removeItem(name);
});
