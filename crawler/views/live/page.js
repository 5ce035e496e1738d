"use strict";
/* Asks once a second how the crawl is doing, while somebody looks, and shows it. What came from the
   web is set as text, never as HTML, and becomes a link only where it is a URL of the web. */

const EVERY_MS = 1000;
const SHOWN = 200;
const SURE_MS = 4000;
const LEAST_BARS = 24;
const token = document.querySelector("meta[name=live-token]").content;
const at = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");

const make = (tag, text, name) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
};

const link = (url) => {
  if (!/^https?:\/\//.test(url) || url.endsWith("…")) return make("span", url);
  const made = make("a", url);
  made.href = url;
  made.rel = "noopener noreferrer nofollow";
  made.target = "_blank";
  return made;
};

/* A stretch of seconds in the unit that people say it in; bytes likewise. */
const span = (seconds) => seconds < 120 ? `${Math.ceil(seconds)} s`
  : seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
const size = (bytes) => bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB`
  : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;

let run = null;
let last = 0;
let phase = "";
let timer = null;
let seenAt = null;
let commands = {};
const held = [];

async function ask(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "X-Live-Token": token, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).then((response) => response.json()).catch(() => ({ error: "the crawl does not answer" }));
  say(answer.error ? `That was not done: ${answer.error}.` : "");
  look(true);
}

const say = (text) => { at("message").textContent = text; };

function tiles(data) {
  const { ends, queue } = data;
  const shown = [
    [data.pages_a_second.toFixed(1), "pages/s"],
    [number(ends.stored), "stored"], [number(ends.duplicate), "duplicates"],
    [number(ends.redirect), "redirects"], [number(ends.failed), "failed"],
    [number(ends.skipped), "skipped"], [number(queue.pending), "queued"],
    [size(data.wire_bytes), "received"], [span(data.elapsed_s), "this run"],
  ];
  at("tiles").replaceChildren(...shown.map(([value, name]) => {
    const tile = make("div", undefined, "tile");
    tile.append(make("b", value), name);
    return tile;
  }));
}

function chart(data) {
  const most = Math.max(1, ...data.bars.map((bar) => bar.reduce((sum, n) => sum + n, 0)));
  const shown = Math.max(LEAST_BARS, data.bars.length);
  const width = 960 / shown, first = shown - data.bars.length;
  const rects = data.bars.flatMap((bar, index) => {
    let top = 120;
    return bar.map((count, kind) => {
      const height = 118 * count / most;
      top -= height;
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      const place = { x: (first + index) * width, y: top, width: 0.9 * width, height };
      for (const [name, value] of Object.entries(place)) rect.setAttribute(name, value);
      rect.setAttribute("class", `v-${data.kinds[kind]}`);
      return count ? rect : null;
    }).filter(Boolean);
  });
  at("chart").replaceChildren(...rects);
  at("legend").replaceChildren(...data.kinds.map((kind) => {
    const entry = make("span");
    entry.append(make("i", undefined, `v-${kind}`), kind === "rest" ? "no page" : kind);
    return entry;
  }));
  at("scale").textContent = `A bar is ${data.stretch_s} s, the highest ${number(most)} URLs; ` +
    `the chart is of the last ${span(data.stretch_s * shown)}.`;
}

/* Rows must not move under who is about to press one of their buttons. */
const isPointedAt = (part) => matchMedia("(hover: hover)").matches && part.matches(":hover");

function hosts(data, anew) {
  const { queue } = data;
  at("hosts-told").textContent = `${number(queue.known_hosts)} with something to do, ` +
    `${number(queue.aside)} put aside; ${number(queue.unread + queue.reading)} pages are being ` +
    `read. Shown are hosts that are stopped, that ended something lately, and some others.`;
  if (!anew && isPointedAt(at("hosts"))) return;
  const busy = document.activeElement?.dataset?.host;
  at("hosts").tBodies[0].replaceChildren(...data.hosts.map((host) => {
    const row = make("tr"), press = make("td"), state = make("td");
    state.append(host.state);
    if (host.wait_s >= 1) state.append(`, ${span(host.wait_s)} left`);
    if (host.why) state.append(make("span", host.why, "why quiet"));
    const stopped = host.state === "stopped";
    const button = make("button", stopped ? "Go on" : "Stop");
    button.dataset.host = host.name;
    button.disabled = !["running", "paused"].includes(data.phase);
    button.setAttribute("aria-label", `${stopped ? "Go on with" : "Stop"} ${host.name}`);
    press.append(button);
    row.append(make("td", host.name), press, state,
      make("td", `${+host.delay_s.toFixed(2)} s`, "n"), make("td", number(host.queued), "n"),
      make("td", number(host.stored), "n"), make("td", number(host.duplicates), "n"),
      make("td", number(host.failed), "n"));
    return row;
  }));
  if (busy) [...document.querySelectorAll("#hosts button")]
    .find((button) => button.dataset.host === busy)?.focus();
}

function rules(data) {
  const { count, urls, waiting, turns, released } = data.rules;
  at("foreseen").hidden = !(count || turns.length || released.length);
  at("rules-told").textContent = `${number(urls)} URLs wait behind others, by ${number(count)} ` +
    `rules. Shown are those used last, and which came and went in this run.`;
  at("rules").hidden = !count;
  at("rules").tBodies[0].replaceChildren(...waiting.map(([rule, wait]) => {
    const row = make("tr");
    row.append(make("td", rule), make("td", number(wait), "n"));
    return row;
  }));
  const told = [
    ...turns.map((turn) => [`${span(turn.ago_s)} ago`, turn.came ? "came" : "revoked", turn.rule]),
    ...released.map((rule) => ["before", "released", rule]),
  ];
  at("turns").replaceChildren(...told.map(([when, what, rule]) => {
    const item = make("li");
    item.append(make("time", when, "quiet"), make("span", what), make("span", rule, "what"));
    return item;
  }));
}

const KINDS = {
  "": () => true,
  page: (item) => ["stored", "duplicate"].includes(item.dataset.state),
  duplicate: (item) => item.dataset.state === "duplicate",
  failed: (item) => item.dataset.state === "failed",
};

function feed(data) {
  held.push(...data.feed);
  if (isPointedAt(at("feed")) && held.length < SHOWN) return;
  const wanted = KINDS[at("kind").value];
  for (const ended of held.splice(0)) {
    const item = make("li"), verdict = make("span", undefined, "verdict");
    item.dataset.state = ended.state;
    const known = data.kinds.includes(ended.verdict) ? ended.verdict : "rest";
    const name = ended.verdict === "new" || ended.state === "duplicate" || known !== "rest"
      ? ended.verdict : `${ended.state} ${ended.verdict}`;
    verdict.append(make("i", undefined, `v-${known}`), name);
    const what = make("span", undefined, "what");
    what.append(link(ended.url));
    if (ended.title) what.append(make("span", ended.title, "of"));
    if (ended.of) {
      const of = make("span", ended.state === "redirect" ? "leads to " : "like ", "of quiet");
      of.append(link(ended.of));
      what.append(of);
    }
    if (ended.why) what.append(make("span", ended.why, "why quiet"));
    const time = new Date(1000 * ended.at).toTimeString().slice(0, 8);
    item.append(make("time", time, "quiet"), verdict, what);
    item.hidden = !wanted(item);
    at("feed").prepend(item);
  }
  while (at("feed").children.length > SHOWN) at("feed").lastChild.remove();
  at("feed-none").hidden = at("feed").children.length > 0;
}

function steering() {
  const steerable = ["running", "paused"].includes(phase);
  at("pause").disabled = !steerable;
  at("pause").textContent = phase === "paused" ? "Resume" : "Pause";
  at("stop").disabled = !(steerable || phase === "opening");
}

function told(name) {
  phase = name;
  at("phase").textContent = name;
  at("phase").className = `phase ${name}`;
  document.title = `${at("name").textContent}: ${name}`;
  steering();
}

function show(data, anew) {
  if (run !== null && data.run !== run) {  // another crawl has the port now, with another token
    location.reload();
    return;
  }
  run = data.run;
  last = data.last;
  commands = { report: data.report, resume: data.resume };
  seenAt = new Date().toTimeString().slice(0, 8);
  at("name").textContent = data.name;
  told(data.phase);
  tiles(data);
  chart(data);
  hosts(data, anew);
  rules(data);
  feed(data);
  if (phase === "ended") {
    const more = data.queue.pending ? `; ${number(data.queue.pending)} URLs are pending: ${data.resume}` : "";
    say(`The run has ended. Its report: ${data.report}${more}`);
  }
  document.body.dataset.ready = "true";
}

async function look(anew = false) {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const answer = await fetch(`/look?after=${last}`);
    if (answer.ok) show(await answer.json(), anew);
    else throw new Error(`it answered ${answer.status}`);
  } catch (error) {
    if (phase !== "ended") {
      told("lost");
      at("phase").textContent = "no answer";
      const since = seenAt ? ` since ${seenAt}` : "";
      const resume = commands.resume ? ` If its process has ended: ${commands.resume}` : "";
      say(`The crawl does not answer${since}.${resume}`);
    }
  }
  if (phase !== "ended") timer = setTimeout(() => look(), EVERY_MS);
}

at("pause").addEventListener("click", () => ask(phase === "paused" ? "/go-on" : "/pause"));

/* Stopping cannot be taken back: it takes two presses. */
at("stop").addEventListener("click", () => {
  const button = at("stop");
  if (button.classList.contains("sure")) {
    unsure();
    ask("/stop");
    return;
  }
  button.classList.add("sure");
  button.textContent = "Stop: sure?";
  setTimeout(unsure, SURE_MS);
});
const unsure = () => {
  at("stop").classList.remove("sure");
  at("stop").textContent = "Stop";
};

at("hosts").addEventListener("click", (event) => {
  const host = event.target.dataset.host;
  if (host === undefined) return;
  ask(event.target.textContent === "Stop" ? "/stop-host" : "/release-host", { host });
});
at("kind").addEventListener("change", () => {
  const wanted = KINDS[at("kind").value];
  for (const item of at("feed").children) item.hidden = !wanted(item);
});
document.addEventListener("visibilitychange", () => look());
look();
