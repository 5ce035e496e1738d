"use strict";
/* What needs a script: filters, the list of pages that are alike, and the comparison of two texts.
   All else of the page is there without. Nothing is ever set as HTML. */

const SHOWN = 200;
const MAX_LINES = 2000;
const MAX_WORDS = 1500;

const make = (tag, text, name) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
};

/* Tables with a filter: rows without the words are hidden. */
for (const input of document.querySelectorAll("input[data-filters]")) {
  const of = `#${input.dataset.filters}`;
  const rows = [...document.querySelectorAll(`table${of} > tbody > tr, div${of} > details`)];
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
    }
  });
}

/* Who follows a link to a host finds it open. */
function opened() {
  const place = location.hash && document.getElementById(location.hash.slice(1));
  if (place && place.tagName === "DETAILS") { place.open = true; place.scrollIntoView(); }
}
addEventListener("hashchange", opened);

/* The list of pages that are alike: packed, since there may be a hundred thousand. */
async function unpacked(id) {
  const packed = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function listed(data) {
  const [search, verdict, order] = ["search", "verdict", "order"].map((id) =>
    document.getElementById(id));
  const body = document.querySelector("#alike-table tbody");
  const told = document.getElementById("found");
  const lower = data.urls.map((url) => url.toLowerCase());
  let most = SHOWN;
  const wanted = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = data.rows.filter((row) =>
      (!verdict.value || row[2] === verdict.value || row[3] === verdict.value) &&
      words.every((word) => lower[row[0]].includes(word) || lower[row[1]].includes(word)));
    const key = { least: (row) => row[4] ?? 2, most: (row) => -(row[4] ?? -1) }[order.value];
    return key ? rows.sort((one, other) => key(one) - key(other)) : rows;
  };
  const show = () => {
    const rows = wanted();
    body.replaceChildren(...rows.slice(0, most).map((row) => {
      const line = make("tr");
      line.append(make("td", data.urls[row[0]], "u"), make("td", data.urls[row[1]], "u"),
        make("td", row[2]), make("td", row[3] ?? ""),
        make("td", row[4] === null ? "" : row[4].toFixed(3), "n"),
        make("td", row[5] === null ? "" : String(row[5]), "n"));
      return line;
    }));
    const noun = told.dataset.noun + (rows.length === 1 ? "" : "s");
    told.textContent = `${rows.length.toLocaleString()} ${noun}` +
      (rows.length > most ? `, the first ${most} shown` : "");
    more.hidden = rows.length <= most;
  };
  const more = document.getElementById("more");
  more.addEventListener("click", () => { most += SHOWN; show(); });
  for (const input of [search, verdict, order]) {
    input.addEventListener("input", () => { most = SHOWN; show(); });
  }
  show();
}

/* Two texts side by side: lines first, then the words of lines that stand for one another. */
function common(one, other, most) {
  if (one.length * other.length > most * most) return null;
  const width = other.length + 1;
  const table = new Uint32Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      table[i * width + j] = one[i] === other[j]
        ? table[(i + 1) * width + j + 1] + 1
        : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const found = [];
  for (let i = 0, j = 0; i < one.length || j < other.length;) {
    if (i < one.length && j < other.length && one[i] === other[j]) found.push([i++, j++]);
    else if (j >= other.length ||
      (i < one.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) found.push([i++, -1]);
    else found.push([-1, j++]);
  }
  return found;
}

const words = (line) => line.match(/[\p{Script=Han}]|[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];

function marked(line, kept, tag) {
  const shown = [];
  words(line).forEach((word, at) => {
    const last = shown[shown.length - 1];
    const same = kept.has(at);
    if (last && last.same === same) last.text += word;
    else shown.push({ same, text: word });
  });
  return shown.map(({ same, text }) => same ? document.createTextNode(text) : make(tag, text));
}

function changed(one, other) {
  const pairs = common(words(one), words(other), MAX_WORDS);
  const kept = [new Set(), new Set()];
  for (const [i, j] of pairs ?? []) if (i >= 0 && j >= 0) { kept[0].add(i); kept[1].add(j); }
  const left = make("p", undefined, "gone"), right = make("p", undefined, "come");
  left.append(...marked(one, kept[0], "del"));
  right.append(...marked(other, kept[1], "ins"));
  return [left, right];
}

function difference(one, other) {
  if (one === other) return [make("p", "The two texts are the same.", "both")];
  const lines = [one.split("\n"), other.split("\n")];
  const pairs = common(lines[0], lines[1], MAX_LINES);
  if (pairs === null) return [make("p", one), make("p", other)];
  const shown = [];
  let gone = [], come = [], same = 0;
  const changes = () => {
    for (let at = 0; at < Math.max(gone.length, come.length); at++) {
      shown.push(...changed(gone[at] ?? "", come[at] ?? ""));
    }
    gone = []; come = [];
  };
  const equal = () => {
    if (same) shown.push(make("p", `${same} ${same === 1 ? "line" : "lines"} the same`, "both"));
    same = 0;
  };
  for (const [i, j] of pairs) {
    if (i >= 0 && j >= 0) { changes(); same++; continue; }
    equal();
    if (i >= 0) gone.push(lines[0][i]); else come.push(lines[1][j]);
  }
  changes();
  equal();
  return shown;
}

function looks(pair) {
  if (!pair.some((member) => member.picture)) return [];
  const place = make("p", undefined, "looks");
  for (const member of pair) {
    const picture = make(member.picture ? "img" : "span", member.picture ? undefined : "no picture");
    if (member.picture) {
      picture.src = `data:image/jpeg;base64,${member.picture}`;
      picture.alt = `what ${member.url} looks like`;
    }
    place.append(picture);
  }
  return [place];
}

function compared(group, members) {
  const [first, second] = group.querySelectorAll("select");
  const place = group.querySelector(".diff");
  const show = () => {
    const pair = [members[first.value], members[second.value]];
    const missing = pair.find((member) => member.text === null);
    place.replaceChildren(...looks(pair), ...(missing
      ? [make("p", `${missing.url}: ${missing.missing}`, "both")]
      : difference(pair[0].text, pair[1].text)));
  };
  first.addEventListener("change", show);
  second.addEventListener("change", show);
  show();
}

(async () => {
  const texts = await unpacked("texts");
  for (const group of document.querySelectorAll("details[data-group]")) {
    const begin = () => compared(group, texts[group.dataset.group]);
    if (group.open) begin();
    else group.addEventListener("toggle", begin, { once: true });
  }
  if (document.getElementById("rows")) listed(await unpacked("rows"));
  opened();
  document.body.dataset.ready = "true";
})();
