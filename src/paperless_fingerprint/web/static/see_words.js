// The words on the pages of a PDF, and which of them the text differences name.

const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;
// So many words before and after one say which of several it is.
const NEIGHBOURS = 8;

export function wordsOf(text) {
  return text.normalize("NFKC").toLowerCase().match(WORD) || [];
}

let ruler = null;

// The pieces of text on a page with their words; where it stands is told from 0 to 1, from the top
// left. The boxes of single words are measured when somebody asks.
export async function piecesOn(page) {
  const port = page.getViewport({ scale: 1 });
  const { items, styles } = await page.getTextContent();
  const found = [];
  for (const item of items) {
    if (!item.str?.trim()) continue;
    found.push({
      words: wordsOf(item.str), ...boxOf(item, port, 0, 1),
      boxes: () => wordBoxes(item, port, styles[item.fontName]?.fontFamily || "sans-serif"),
    });
  }
  page.cleanup();
  return found;
}

function boxOf(item, port, from, to) {
  const [a, b, c, d, x, y] = item.transform;
  const long = Math.hypot(a, b) || 1;
  const high = Math.hypot(c, d) || item.height || 10;
  const [right, up] = [[a / long, b / long], [c / high, d / high]];
  const corners = [];
  for (const along of [from * item.width, to * item.width]) {
    for (const above of [-0.25 * high, high]) {
      corners.push(port.convertToViewportPoint(x + along * right[0] + above * up[0], y + along * right[1] + above * up[1]));
    }
  }
  const [xs, ys] = [corners.map((each) => each[0] / port.width), corners.map((each) => each[1] / port.height)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

// A piece is stretched to its width, so its letters are measured in any letters of that kind.
function wordBoxes(item, port, family) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `20px ${family}`;
  const text = item.str.normalize("NFKC");
  const whole = ruler.measureText(text).width || 1;
  const at = (index) => Math.min(1, ruler.measureText(text.slice(0, index)).width / whole);
  return [...text.toLowerCase().matchAll(WORD)].map((match) => {
    const [from, to] = [at(match.index), at(match.index + match[0].length)];
    return item.dir === "rtl" ? boxOf(item, port, 1 - to, 1 - from) : boxOf(item, port, from, to);
  });
}

// Of one side's text the words in their order, and what each is: "change", "noise" (misread, or only
// written otherwise), "moved"; nothing where both texts have it.
export function wordsTold(segments, side) {
  const found = [];
  for (const each of segments) {
    const kind = each.kind === "same" ? "" : each.kind === "moved" ? "moved" : each.matters ? "change" : "noise";
    for (const word of wordsOf(each[side])) found.push([word, kind]);
  }
  return found;
}

// Place among the words of the pages → what the word there is; and how many changes are not there.
// The text may be another reading than that of the file: a word is found by its neighbours.
export function matched(told, words) {
  const at = new Map();
  words.forEach((word, place) => { if (at.has(word)) at.get(word).push(place); else at.set(word, [place]); });
  const places = new Map();
  let missing = 0;
  told.forEach(([word, kind], i) => {
    if (!kind) return;
    const all = at.get(word) || [];
    let [best, most, nearest] = [-1, -1, Infinity];
    for (const place of all) {
      if (places.has(place)) continue;
      const alike = inARow(told, i, words, place, -1) + inARow(told, i, words, place, 1);
      const apart = Math.abs(place - i);
      if (alike > most || (alike === most && apart < nearest)) [best, most, nearest] = [place, alike, apart];
    }
    if (best >= 0 && (most > 0 || all.length === 1)) places.set(best, kind);
    else if (kind === "change") missing += 1;
  });
  return { places, missing };
}

function inARow(told, i, words, place, step) {
  let found = 0;
  while (found < NEIGHBOURS && told[i + step * (found + 1)]?.[0] === (words[place + step * (found + 1)] ?? null)) found += 1;
  return found;
}

// What is marked on each page: words that follow each other in a line are one mark.
// `pages`: the pieces of each page that was read, in order.
export function marksOn(pages, places) {
  const found = new Map();
  let count = 0;
  pages.forEach((pieces, index) => {
    const marks = [];
    let last = null;
    for (const piece of pieces) {
      const kinds = piece.words.map((_, n) => places.get(count + n));
      const boxes = kinds.some(Boolean) ? piece.boxes() : [];
      kinds.forEach((kind, n) => {
        const box = boxes[n];
        if (!kind || !box) { last = null; return; }
        if (last?.kind === kind && inLine(last, box)) {
          Object.assign(last, { left: Math.min(last.left, box.left), right: Math.max(last.right, box.right),
            top: Math.min(last.top, box.top), bottom: Math.max(last.bottom, box.bottom) });
        } else marks.push(last = { kind, ...box });
      });
      count += piece.words.length;
    }
    if (marks.length) found.set(index + 1, marks);
  });
  return found;
}

function inLine(one, other) {
  const high = Math.min(one.bottom - one.top, other.bottom - other.top);
  const beside = Math.max(other.left - one.right, one.left - other.right);
  return Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.5 * high && beside < 3 * high;
}
