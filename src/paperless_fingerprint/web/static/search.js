// One's own last searches, kept in this browser and nowhere else.
"use strict";

(() => {
  const section = document.getElementById("past");
  const name = `pf-searches ${section.dataset.owner}`;
  const most = 12;

  function kept() {
    try {
      const found = JSON.parse(localStorage.getItem(name) || "[]");
      return Array.isArray(found) ? found.filter(each => typeof each === "string") : [];
    } catch {
      return [];
    }
  }

  function keep(searches) {
    try {
      if (searches.length) localStorage.setItem(name, JSON.stringify(searches));
      else localStorage.removeItem(name);
    } catch {
      // A browser that keeps nothing has no history.
    }
  }

  function show(searches) {
    section.hidden = !searches.length;
    section.querySelector("ul").replaceChildren(...searches.map(each => {
      const link = document.createElement("a");
      link.href = `?${new URLSearchParams({ q: each })}`;
      link.textContent = each.length > 80 ? `${each.slice(0, 79)}…` : each;
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
  }

  const query = section.dataset.query.trim();
  const searches = kept();
  if (query && query.length <= 500) keep([query, ...searches.filter(each => each !== query)].slice(0, most));
  show(searches.filter(each => each !== query));
  section.querySelector("button").addEventListener("click", () => {
    keep([]);
    show([]);
    document.getElementById("q").focus();
  });
})();
