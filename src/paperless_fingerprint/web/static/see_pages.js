// Pages of two documents, large: side by side, over each other, in turn, and what differs.
// page.js fetches this when somebody asks for it, and pdf.js draws, in this browser alone.

// What one browser takes: of a file, of a drawn page, of the width of a difference, of time.
const MOST_BYTES = 100 * 1024 * 1024;
const MOST_PIXELS = 12e6;
const MOST_COMPARED = 1400;
const DRAWING_MS = 20_000;
const SEARCHING_MS = 10_000;
const MOST_SEARCHED = 300;
const MOST_MARKS = 3000;
const BLINK_MS = 900;
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

export async function open(dialog) {
  const text = await import(dialog.dataset.words);
  dialog.showModal();
  new View(dialog, text).open();
}

function say(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

class Trouble extends Error {}

// A document's pages ------------------------------------------------------------------------

class Pages {
  constructor(view, address, id) {
    const told = (text) => view.tell(text);
    Object.assign(this, { dialog: view.dialog, text: view.text, address, id, told, count: 0, pieces: new Map() });
    this.stop = new AbortController();
  }

  async open() {
    const words = this.dialog.dataset;
    let answer;
    try {
      answer = await fetch(this.address, { signal: this.stop.signal });
    } catch (error) {
      throw error.name === "AbortError" ? error : new Trouble(words.gone);
    }
    if (answer.status === 401) { location.reload(); throw new DOMException("", "AbortError"); }
    if (!answer.ok) throw new Trouble(await why(answer) || words.gone);
    const kind = (answer.headers.get("Content-Type") || "").split(";")[0];
    if (kind !== "application/pdf" && !kind.startsWith("image/")) {
      await answer.body?.cancel();
      throw new Trouble(words.kind);
    }
    const data = await this.read(answer);
    if (kind.startsWith("image/")) {
      try { this.picture = await createImageBitmap(new Blob([data], { type: kind })); }
      catch { throw new Trouble(words.broken); }
      this.count = 1;
      return;
    }
    await this.openPdf(data);
  }

  async read(answer) {
    const words = this.dialog.dataset;
    const pieces = [];
    let size = 0;
    const reader = answer.body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        size += value.length;
        if (size > MOST_BYTES) {
          await reader.cancel();
          throw new Trouble(say(words.large, { size: MOST_BYTES >> 20 }));
        }
        pieces.push(value);
        // Only of what takes a while, and not with every piece: it is read out.
        if (size >> 21 > (size - value.length) >> 21) this.told(say(words.loading, { id: this.id, size: size >> 20 }));
      }
    } catch (error) {
      throw error instanceof Trouble || error.name === "AbortError" ? error : new Trouble(words.lost);
    }
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
  }

  async openPdf(data) {
    const words = this.dialog.dataset;
    const base = new URL(words.pdfjs, location.href).href;
    let pdfjs;
    try {
      pdfjs = await import(`${base}pdf.min.mjs`);
      pdfjs.GlobalWorkerOptions.workerSrc = `${base}pdf.worker.min.mjs`;
    } catch { throw new Trouble(words.viewer); }
    this.task = pdfjs.getDocument({
      data, verbosity: 0, useWasm: false, isEvalSupported: false, enableXfa: false,
      cMapUrl: `${base}cmaps/`, standardFontDataUrl: `${base}standard_fonts/`, wasmUrl: `${base}wasm/`,
    });
    try { this.pdf = await this.task.promise; }
    catch (error) { throw new Trouble(error.name === "PasswordException" ? words.locked : words.broken); }
    this.count = this.pdf.numPages;
  }

  // Draws onto a canvas, `width` CSS pixels wide, and finer where `least` pixels are wanted.
  // Whoever asks again meanwhile has the last word.
  async draw(number, canvas, width, least) {
    this.drawing?.cancel();
    const page = this.picture ? null : await this.pdf.getPage(number);
    const own = page ? page.getViewport({ scale: 1 }) : this.picture;
    const height = (width * own.height) / own.width;
    const wanted = Math.max(devicePixelRatio || 1, least / width);
    const dense = Math.min(wanted, Math.sqrt(MOST_PIXELS / (width * height)));
    // Elsewhere first: a page that cannot be drawn leaves what there was.
    const fresh = document.createElement("canvas");
    fresh.width = Math.max(1, Math.round(width * dense));
    fresh.height = Math.max(1, Math.round(height * dense));
    const paper = fresh.getContext("2d", { alpha: false, willReadFrequently: true });
    paper.fillStyle = "#fff";
    paper.fillRect(0, 0, fresh.width, fresh.height);
    if (page) {
      const viewport = page.getViewport({ scale: fresh.width / own.width });
      const drawing = page.render({ canvas: fresh, canvasContext: paper, viewport });
      this.drawing = drawing;
      let late = false;
      const clock = setTimeout(() => { late = true; drawing.cancel(); }, DRAWING_MS);
      try { await drawing.promise; }
      catch (error) {
        if (late) throw new Trouble(say(this.dialog.dataset.slow, { page: number }));
        if (error.name === "RenderingCancelledException") return false;
        throw new Trouble(say(this.dialog.dataset.pageFailed, { page: number }));
      } finally { clearTimeout(clock); page.cleanup(); }
    } else paper.drawImage(this.picture, 0, 0, fresh.width, fresh.height);
    canvas.width = fresh.width;
    canvas.height = fresh.height;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.getContext("2d", { alpha: false, willReadFrequently: true }).drawImage(fresh, 0, 0);
    fresh.width = fresh.height = 0;
    return true;
  }

  // The pieces of text on a page (see_words.js).
  async words(number) {
    if (!this.pdf) return [];
    if (!this.pieces.has(number)) this.pieces.set(number, await this.text.piecesOn(await this.pdf.getPage(number)));
    return this.pieces.get(number);
  }

  close() {
    this.stop.abort();
    this.drawing?.cancel();
    this.task?.destroy();
    this.picture?.close();
  }
}

async function why(answer) {
  try { return (await answer.json()).detail; } catch { return ""; }
}

// Three words in a row, as the library compares them.
function runs(words) {
  const found = [];
  for (let i = 0; i + 2 < words.length; i += 1) found.push(words.slice(i, i + 3).join(" "));
  return found;
}

// What is seen --------------------------------------------------------------------------------

class View {
  constructor(dialog, text) {
    Object.assign(this, { dialog, text });
    this.said = dialog.querySelector(".see-said");
    this.sides = [...dialog.querySelectorAll(".see-side")].map((part) => new Side(this, part));
    this.share = dialog.querySelector(".see-share input");
    this.zoom = 1;
    this.found = new Map();
    this.listening = new AbortController();
    const listen = { signal: this.listening.signal };
    dialog.addEventListener("close", () => this.close(), listen);
    // Whoever has clicked beside everything has the focus nowhere.
    document.addEventListener("keydown", (event) => this.key(event), listen);
    dialog.addEventListener("click", (event) => this.click(event), listen);
    dialog.addEventListener("change", (event) => this.change(event), listen);
    this.share.addEventListener("input", () => this.lay(), listen);
    let waiting = 0;
    addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => this.draw(), 200); }, listen);
    for (const side of this.sides) {
      side.pane.addEventListener("scroll", () => this.scrolled(side), { ...listen, passive: true });
    }
  }

  get linked() { return this.dialog.querySelector("[data-see-linked]").checked; }
  get marks() { return this.dialog.querySelector("[data-see-changes]").checked; }
  get mode() { return this.dialog.querySelector("[name=see-mode]:checked").value; }

  async open() {
    this.dialog.querySelector("[value=side]").checked = true;
    this.lay();
    this.dialog.querySelector(".see-pane").focus();
    await Promise.all(this.sides.map((side) => side.open()));
    if (this.closed) return;
    this.tell();
    this.dialog.dataset.ready = "true";
    await this.findPlace();
    await this.markChanges();
  }

  close() {
    this.closed = true;
    clearInterval(this.blinking);
    this.listening.abort();
    for (const side of this.sides) side.close();
    delete this.dialog.dataset.ready;
  }

  tell(text) {
    this.said.textContent = text ?? [this.place, ...this.sides.map((side) => side.told), ...this.toldOfChanges()].filter(Boolean).join(" · ");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // What a field does with a key of its own, it does.
    if (event.target.matches("input:not([type=checkbox])") && /^(Arrow|Home|End|Page|Enter)/.test(event.key)) return;
    if (event.target.matches("input[type=number]") && /^[0-9.+-]$/.test(event.key)) return;
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    const pane = event.target.closest(".see-pane");
    if (steps[event.key]) {
      // A page that is wider than its pane is scrolled first.
      if (pane && pane.scrollWidth > pane.clientWidth + 1) return;
      event.preventDefault();
      const side = this.sides.find((each) => each.part.contains(event.target)) || this.sides[0];
      this.turn(side, steps[event.key]);
      return;
    }
    const button = [...this.dialog.querySelectorAll("[data-see-key]")].find((each) => each.dataset.seeKey === event.key);
    if (!button || button.disabled || button.closest("[hidden]")) return;
    event.preventDefault();
    button.click();
  }

  click(event) {
    const button = event.target.closest("[data-see-do]");
    if (!button) return;
    const side = this.sides.find((each) => each.part.contains(button));
    const act = button.dataset.seeDo;
    if (act === "before" || act === "after") this.turn(side, act === "after" ? 1 : -1);
    if (act === "larger" || act === "smaller" || act === "fit") this.zoomTo(act);
    if (act === "flip") this.flip();
    if (act === "place") this.go();
    if (act === "next") this.nextChange();
  }

  change(event) {
    if (event.target.name === "see-mode") { this.lay(); this.draw(); this.tell(); }
    if (event.target.matches("[data-see-changes]")) this.markChanges();
    if (event.target.type === "number") {
      const side = this.sides.find((each) => each.part.contains(event.target));
      this.turn(side, Math.round(Number(event.target.value) || side.number) - side.number);
    }
  }

  // Linked, both turn as far as both go; the distance between them stays.
  async turn(side, by) {
    const turned = this.linked ? this.sides : [side];
    const moved = turned.filter((each) => each.turn(by));
    if (!moved.length) side.field.value = side.number;
    await Promise.all(moved.map((each) => each.draw()));
    this.tell();
    this.lay();
  }

  zoomTo(act) {
    const at = ZOOMS.indexOf(this.zoom);
    const to = act === "fit" ? ZOOMS.indexOf(1) : Math.min(ZOOMS.length - 1, Math.max(0, at + (act === "larger" ? 1 : -1)));
    this.zoom = ZOOMS[to];
    this.dialog.querySelector("[data-see-zoom]").textContent = `${Math.round(100 * this.zoom)} %`;
    this.draw();
  }

  async draw() {
    if (this.closed) return;
    await Promise.all(this.sides.map((side) => side.draw()));
    this.lay();
  }

  scrolled(side) {
    if (!this.linked || this.mode !== "side" || this.follows === side) { this.follows = null; return; }
    const other = this.sides.find((each) => each !== side);
    const to = share(side.pane);
    const [left, top] = [to.x * room(other.pane).x, to.y * room(other.pane).y];
    if (Math.abs(other.pane.scrollLeft - left) < 1 && Math.abs(other.pane.scrollTop - top) < 1) return;
    this.follows = other;
    other.pane.scrollTo(left, top);
  }

  // Over each other: the right page lies on the left one's sheet ------------------------------

  lay() {
    const mode = this.mode;
    const [left, right] = this.sides;
    clearInterval(this.blinking);
    this.dialog.classList.toggle("single", mode !== "side");
    this.dialog.querySelector(".see-share").hidden = mode !== "overlay";
    this.dialog.querySelector("[data-see-do=flip]").hidden = mode !== "blink";
    this.dialog.querySelector(".see-legend").hidden = mode !== "difference";
    this.dialog.querySelector(".see-changes").hidden = mode !== "side";
    this.dialog.querySelector(".see-words-legend").hidden = mode !== "side" || !this.marks;
    if (!document.activeElement?.checkVisibility?.()) left.pane.focus();
    this.differing?.remove();
    this.differing = null;
    const sheet = mode === "side" ? right.sheet : left.sheet;
    if (right.canvas.parentNode !== sheet) {
      if (mode === "side") sheet.prepend(right.canvas); else left.canvas.after(right.canvas);
    }
    right.canvas.style.opacity = "";
    right.canvas.style.transform = "";
    // What is laid anew after a page was turned stays on the side that was shown.
    if (this.laid !== mode) right.canvas.hidden = false;
    this.laid = mode;
    if (mode === "side" || !left.drawn || !right.drawn) return;
    const shift = shiftOf(left.canvas, right.canvas);
    const scale = left.canvas.clientWidth / left.canvas.width;
    right.canvas.style.transform = `translate(${shift.x * scale}px, ${shift.y * scale}px)`;
    if (mode === "overlay") right.canvas.style.opacity = String(this.share.value / 100);
    if (mode === "blink" && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.blinking = setInterval(() => {
        right.canvas.hidden = !right.canvas.hidden;
        if (!this.dialog.isConnected) this.close();
      }, BLINK_MS);
    }
    if (mode === "difference") {
      this.differing = differenceOf(left.canvas, right.canvas, shift);
      this.differing.style.width = left.canvas.style.width;
      this.differing.style.height = left.canvas.style.height;
      this.differing.className = "see-difference";
      right.canvas.hidden = true;
      left.canvas.after(this.differing);
    }
  }

  // Pressed once it stops blinking by itself.
  flip() {
    clearInterval(this.blinking);
    this.sides[1].canvas.hidden = !this.sides[1].canvas.hidden;
  }

  // Where a part lies in a whole ----------------------------------------------------------------

  async findPlace() {
    const words = this.dialog.dataset;
    const whole = this.sides.find((side) => String(side.id) === words.whole);
    const part = this.sides.find((side) => side !== whole);
    if (!whole || !whole.pages?.pdf || !part.pages?.count) return;
    const names = { part: part.id, whole: whole.id, count: whole.pages.count };
    const until = performance.now() + SEARCHING_MS;
    const wanted = new Set();
    for (let n = 1; n <= Math.min(part.pages.count, MOST_SEARCHED) && performance.now() < until; n += 1) {
      for (const run of runs((await part.pages.words(n)).flatMap((each) => each.words))) wanted.add(run);
    }
    const last = Math.min(whole.pages.count, MOST_SEARCHED);
    let read = 0;
    let texts = 0;
    for (let n = 1; n <= last && wanted.size && performance.now() < until && !this.closed; n += 1) {
      const items = await whole.pages.words(n);
      if (n % 20 === 0) this.tell(say(words.searching, { ...names, page: n }));
      texts += items.length;
      read = n;
      const mark = markOf(items, wanted);
      if (mark) this.found.set(n, mark);
    }
    if (this.closed) return;
    const numbers = [...this.found.keys()];
    if (numbers.length) {
      const [first, end] = [numbers[0], numbers[numbers.length - 1]];
      this.place = say(first === end ? words.onePlace : words.place, { ...names, first, last: end });
      const button = this.dialog.querySelector("[data-see-do=place]");
      if (button) button.disabled = false;
      this.first = first;
      this.whole = whole;
      this.part = part;
      this.go();
    } else this.place = say(wanted.size && texts ? words.noPlace : words.noWords, names);
    if (read && read < whole.pages.count) this.place += ` ${say(words.somePages, { ...names, page: read })}`;
    this.tell();
  }

  async go() {
    this.whole.turn(this.first - this.whole.number);
    this.part.turn(1 - this.part.number);
    await this.draw();
    const mark = this.whole.mark;
    if (!mark.hidden) this.whole.pane.scrollTop = Math.max(0, mark.offsetTop - 40);
    this.tell();
  }

  // Changed words, on the pages themselves ---------------------------------------------------------

  // What the text differences name is looked for on the pages, the first time somebody wants it.
  async markChanges() {
    if (this.marks) {
      this.finding ??= this.findChanges();
      await this.finding;
    }
    if (this.closed) return;
    for (const side of this.sides) side.showWords();
    this.lay();
    this.tell();
    const next = this.dialog.querySelector("[data-see-do=next]");
    next.disabled = !this.marks || !this.sides.some((side) => side.changes?.length);
  }

  async findChanges() {
    const words = this.dialog.dataset;
    let pair;
    try {
      const answer = await fetch(words.pair, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Trouble();
      pair = await answer.json();
    } catch { this.trouble = words.noDifferences; return; }
    const until = performance.now() + SEARCHING_MS;
    for (const [n, side] of this.sides.entries()) await side.findWords(this.text.wordsTold(pair.segments, "ab"[n]), until, pair.shortened);
    if (pair.same_text) this.trouble = words.sameTexts;
    else if (pair.shortened) this.trouble = words.shortened;
  }

  toldOfChanges() {
    return this.marks && this.mode === "side" ? [this.trouble, ...this.sides.map((side) => side.toldOfWords)] : [];
  }

  // To the next page on which something is marked, and round again.
  async nextChange() {
    const ways = this.sides.filter((side) => side.changes?.length).map((side) => {
      const later = side.changes.find((page) => page > side.number);
      return { side, by: (later ?? side.changes[0]) - side.number, again: later === undefined };
    });
    if (!ways.length) return;
    ways.sort((one, other) => one.again - other.again || Math.abs(one.by) - Math.abs(other.by));
    await this.turn(ways[0].side, ways[0].by);
    const first = ways[0].side.layer.querySelector(".change");
    if (first) ways[0].side.pane.scrollTop = Math.max(0, first.offsetTop - 40);
  }
}

// What of a page stands in the part: a frame around it, or null where it is too little.
function markOf(items, wanted) {
  const words = [];
  items.forEach((item, at) => { for (const word of item.words) words.push([word, at]); });
  const hit = new Set();
  let all = 0;
  let held = 0;
  for (let i = 0; i + 2 < words.length; i += 1) {
    all += 1;
    const three = words.slice(i, i + 3);
    if (!wanted.has(three.map(([word]) => word).join(" "))) continue;
    held += 1;
    for (const [, at] of three) hit.add(at);
  }
  // A letterhead is on every page of a firm; a third of a page, or of the part, is no accident.
  if (held < 4 || (held < 0.34 * all && held < 0.34 * wanted.size)) return null;
  const found = items.filter((_, at) => hit.has(at));
  return {
    left: Math.min(...found.map((each) => each.left)), top: Math.min(...found.map((each) => each.top)),
    right: Math.max(...found.map((each) => each.right)), bottom: Math.max(...found.map((each) => each.bottom)),
  };
}

class Side {
  constructor(view, part) {
    this.view = view;
    this.part = part;
    this.id = Number(part.dataset.document);
    this.pane = part.querySelector(".see-pane");
    this.sheet = part.querySelector(".see-sheet");
    this.canvas = this.sheet.querySelector("canvas");
    this.mark = part.querySelector(".see-mark");
    this.layer = part.querySelector(".see-words");
    this.trouble = part.querySelector(".see-trouble");
    this.field = part.querySelector("input[type=number]");
    this.number = 1;
    this.told = "";
    this.complain("");
  }

  async open() {
    const words = this.view.dialog.dataset;
    const pages = new Pages(this.view, this.part.dataset.address, this.id);
    this.pages = pages;
    try { await pages.open(); } catch (error) {
      if (error.name === "AbortError" || this.view.closed) return;
      this.complain(say(words.failed, { id: this.id, why: error instanceof Trouble ? error.message : words.broken }));
      this.pages.count = 0;
      return;
    }
    if (this.view.closed) { pages.close(); return; }
    this.part.querySelector("[data-see-count]").textContent = pages.count;
    this.field.max = pages.count;
    await this.draw();
  }

  turn(by) {
    const to = Math.min(this.pages?.count || 1, Math.max(1, this.number + by));
    if (to === this.number) return false;
    this.number = to;
    return true;
  }

  complain(text) {
    this.trouble.textContent = text;
    this.trouble.hidden = !text;
    this.told = text;
    this.drawn = false;
    this.sheet.hidden = Boolean(text);
  }

  async draw() {
    const view = this.view;
    this.field.value = this.number;
    if (!this.pages?.count || view.closed) return;
    const pane = view.mode === "side" ? this.pane : view.sides[0].pane;
    const width = Math.max(100, (pane.clientWidth - 20) * view.zoom);
    try {
      if (!(await this.pages.draw(this.number, this.canvas, width, view.mode === "difference" ? MOST_COMPARED : 0))) return;
      this.complain("");
      this.drawn = true;
    } catch (error) {
      if (view.closed) return;
      this.complain(error instanceof Trouble ? error.message : say(view.dialog.dataset.pageFailed, { page: this.number }));
      return;
    }
    const words = say(view.dialog.dataset.page, { id: this.id, page: this.number, count: this.pages.count });
    this.told = words;
    this.canvas.setAttribute("aria-label", words);
    this.showMark();
    this.showWords();
  }

  // Until all words of the text could have been read: a bundle may have many pages more.
  async findWords(told, until, shortened) {
    const words = this.view.dialog.dataset;
    const wanted = told.filter(([, kind]) => kind === "change").length;
    if (!this.pages?.count || !told.some(([, kind]) => kind)) return;
    const pages = [];
    const read = [];
    for (let n = 1; n <= Math.min(this.pages.count, MOST_SEARCHED); n += 1) {
      if (this.view.closed || (!shortened && read.length > 1.2 * told.length + 500) || performance.now() > until) break;
      pages.push(await this.pages.words(n).catch(() => []));
      for (const piece of pages.at(-1)) read.push(...piece.words);
    }
    if (!read.length) { this.toldOfWords = say(words.noLayer, { id: this.id }); return; }
    const { places, missing } = this.view.text.matched(told, read);
    this.found = this.view.text.marksOn(pages, places);
    const changed = [...this.found].map(([page, marks]) => [page, marks.filter((each) => each.kind === "change").length]).filter(([, count]) => count);
    this.changes = changed.map(([page]) => page);
    const count = changed.reduce((sum, [, each]) => sum + each, 0);
    const shown = this.changes.slice(0, 12).join(", ") + (this.changes.length > 12 ? " …" : "");
    if (count) this.toldOfWords = say(words.marked, { id: this.id, count, pages: shown });
    if (missing && missing === wanted) this.toldOfWords = say(words.notFound, { id: this.id });
    else if (missing) this.toldOfWords += ` ${say(words.someNotFound, { count: missing })}`;
  }

  showWords() {
    const marks = this.view.marks ? (this.found?.get(this.number) || []).slice(0, MOST_MARKS) : [];
    this.layer.replaceChildren(...marks.map((mark) => {
      const box = document.createElement("span");
      box.className = mark.kind;
      Object.assign(box.style, {
        left: `${100 * mark.left}%`, top: `${100 * mark.top}%`,
        width: `${100 * (mark.right - mark.left)}%`, height: `${100 * (mark.bottom - mark.top)}%`,
      });
      return box;
    }));
  }

  showMark() {
    const box = this.view.whole === this ? this.view.found.get(this.number) : null;
    this.mark.hidden = !box;
    if (!box) return;
    const [width, height] = [parseFloat(this.canvas.style.width), parseFloat(this.canvas.style.height)];
    Object.assign(this.mark.style, {
      left: `${box.left * width - 6}px`, top: `${box.top * height - 6}px`,
      width: `${(box.right - box.left) * width + 12}px`, height: `${(box.bottom - box.top) * height + 12}px`,
    });
  }

  close() {
    this.pages?.close();
    // What a canvas holds is given back at once.
    this.canvas.width = this.canvas.height = 1;
    this.canvas.hidden = false;
    this.canvas.removeAttribute("style");
    this.mark.hidden = true;
    this.layer.replaceChildren();
    this.sheet.prepend(this.canvas);
    this.part.querySelector("[data-see-count]").textContent = "–";
  }
}

function room(pane) {
  return { x: pane.scrollWidth - pane.clientWidth, y: pane.scrollHeight - pane.clientHeight };
}

function share(pane) {
  const { x, y } = room(pane);
  return { x: x > 0 ? pane.scrollLeft / x : 0, y: y > 0 ? pane.scrollTop / y : 0 };
}

// Pictures of pages -------------------------------------------------------------------------

// How dark each place of a page is, so many places wide.
function greys(canvas, width, height) {
  const small = document.createElement("canvas");
  small.width = width;
  small.height = height;
  const paper = small.getContext("2d", { alpha: false, willReadFrequently: true });
  paper.fillStyle = "#fff";
  paper.fillRect(0, 0, width, height);
  const high = Math.round((width * canvas.height) / canvas.width);
  paper.drawImage(canvas, 0, 0, width, high);
  const { data } = paper.getImageData(0, 0, width, height);
  const found = new Uint8Array(width * height);
  for (let i = 0; i < found.length; i += 1) found[i] = 255 - (data[4 * i] * 3 + data[4 * i + 1] * 6 + data[4 * i + 2]) / 10;
  small.width = small.height = 0;
  return found;
}

// A scan lies a little beside the page it was made of: by how much, in pixels of the left canvas.
// First roughly, then finely around that.
function shiftOf(left, right) {
  const rough = bestShift(left, right, 160, 8, { x: 0, y: 0 });
  const fine = bestShift(left, right, 640, 3, { x: 4 * rough.x, y: 4 * rough.y });
  return { x: (fine.x * left.width) / 640, y: (fine.y * left.width) / 640 };
}

function bestShift(left, right, width, most, around) {
  const height = Math.round((width * Math.max(left.height / left.width, right.height / right.width)));
  const [a, b] = [greys(left, width, height), greys(right, width, height)];
  let best = around;
  let highest = -1;
  for (let y = around.y - most; y <= around.y + most; y += 1) {
    for (let x = around.x - most; x <= around.x + most; x += 1) {
      let alike = 0;
      for (let row = Math.max(0, y); row < Math.min(height, height + y); row += 1) {
        const [from, to] = [row * width, (row - y) * width - x];
        for (let column = Math.max(0, x); column < Math.min(width, width + x); column += 1) alike += a[from + column] * b[to + column];
      }
      // Where it makes no difference they stay where they are.
      const nearer = Math.abs(x) + Math.abs(y) < Math.abs(best.x) + Math.abs(best.y);
      if (alike > highest || (alike === highest && nearer)) [highest, best] = [alike, { x, y }];
    }
  }
  return best;
}

// Ink that both have is grey, the left's red and the right's blue where they differ. A hair's
// breadth beside the other's ink is the same ink.
function differenceOf(left, right, shift) {
  const width = Math.min(left.width, MOST_COMPARED);
  const scale = width / left.width;
  const height = Math.round(left.height * scale);
  const moved = document.createElement("canvas");
  moved.width = width;
  moved.height = height;
  const paper = moved.getContext("2d", { alpha: false, willReadFrequently: true });
  paper.fillStyle = "#fff";
  paper.fillRect(0, 0, width, height);
  paper.drawImage(right, shift.x * scale, shift.y * scale, width, (width * right.height) / right.width);
  const reach = Math.max(1, Math.round(width / 1000));
  const [a, b] = [greys(left, width, height), greys(moved, width, height)];
  const [wideA, wideB] = [widened(a, width, height, reach), widened(b, width, height, reach)];
  // Ink of one side far from any of the other; around it all ink is coloured, so that one reads
  // which figure stands for which.
  const strong = new Uint8Array(a.length);
  for (let i = 0; i < a.length; i += 1) {
    if ((a[i] > 140 && wideB[i] < 70) || (b[i] > 140 && wideA[i] < 70)) strong[i] = 255;
  }
  const differs = widened(strong, width, height, 4 * reach);
  const image = paper.createImageData(width, height);
  for (let i = 0; i < a.length; i += 1) {
    const [onlyA, onlyB] = differs[i] ? [a[i], b[i]] : [0, 0];
    const both = differs[i] ? 0 : 0.35 * Math.max(a[i], b[i]);
    image.data[4 * i] = 255 - both - onlyB;
    image.data[4 * i + 1] = 255 - both - onlyA - 0.6 * onlyB;
    image.data[4 * i + 2] = 255 - both - onlyA;
    image.data[4 * i + 3] = 255;
  }
  paper.putImageData(image, 0, 0);
  return moved;
}

function widened(greys, width, height, reach) {
  const across = new Uint8Array(greys.length);
  const found = new Uint8Array(greys.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let most = 0;
      for (let at = Math.max(0, x - reach); at <= Math.min(width - 1, x + reach); at += 1) most = Math.max(most, greys[y * width + at]);
      across[y * width + x] = most;
    }
  }
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let most = 0;
      for (let at = Math.max(0, y - reach); at <= Math.min(height - 1, y + reach); at += 1) most = Math.max(most, across[at * width + x]);
      found[y * width + x] = most;
    }
  }
  return found;
}
