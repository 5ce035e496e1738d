"use strict";
/* Asks once a second how the crawl is doing, while somebody looks, and shows it. What came from the
   web is set as text, never as HTML, and becomes a link only where it is a URL of the web. */

const EVERY_MS = 1000;
const SHOWN = 200;
const SURE_MS = 4000;
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

async function ask(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "X-Live-Token": token, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).then((response) => response.json()).catch(() => ({ error: "the crawl does not answer" }));
  say(answer.error ? `That was not done: ${answer.error}.` : "");
  look();
}

const say = (text) => { at("message").textContent = text; };

function tiles(data) {
  const { ends, queue } = data;
  const shown = [
    [data.pages_a_second.toFixed(1), "pages a second"],
    [number(ends.stored), "stored"], [number(ends.duplicate), "duplicates"],
    [number(ends.redirect), "redirects"], [number(ends.failed), "failed"],
    [number(ends.skipped), "skipped"], [number(queue.pending), "queued"],
    [number(queue.unread + queue.reading), "being read"], [size(data.wire_bytes), "received"],
    [span(data.elapsed_s), "this run"],
  ];
  at("tiles").replaceChildren(...shown.map(([value, name]) => {
    const tile = make("div", undefined, "tile");
    tile.append(make("b", value), name);
    return tile;
  }));
}

function chart(data) {
  const most = Math.max(1, ...data.bars.map((bar) => bar.reduce((sum, n) => sum + n, 0)));
  const width = 960 / 120, first = 120 - data.bars.length;
  const rects = data.bars.flatMap((bar, index) => {
    let top = 120;
    return bar.map((count, kind) => {
      const height = 118 * count / most;
      top -= height;
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      const place = { x: (first + index) * width, y: top, width: width - 1, height };
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
  at("scale").textContent = `Highest bar: ${number(most)} in ${data.stretch_s} s`;
}

function hosts(data) {
  const { queue } = data;
  at("hosts-told").textContent = `${number(queue.known_hosts)} with something to do, ` +
    `${number(queue.aside)} put aside. Shown are those that are stopped, that ended something ` +
    `lately, and some others.`;
  const busy = document.activeElement?.dataset?.host;
  at("hosts").tBodies[0].replaceChildren(...data.hosts.map((host) => {
    const row = make("tr"), state = make("td"), last = make("td");
    state.append(host.state);
    if (host.wait_s >= 1) state.append(`, ${span(host.wait_s)} left`);
    if (host.why) state.append(make("span", host.why, "why quiet"));
    const stopped = host.state === "stopped";
    const button = make("button", stopped ? "Go on" : "Stop");
    button.dataset.host = host.name;
    button.disabled = !["running", "paused"].includes(data.phase);
    button.setAttribute("aria-label", `${stopped ? "Go on with" : "Stop"} ${host.name}`);
    last.append(button);
    row.append(make("td", host.name), state, make("td", `${+host.delay_s.toFixed(2)} s`, "n"),
      make("td", number(host.queued), "n"), make("td", number(host.stored), "n"),
      make("td", number(host.duplicates), "n"), make("td", number(host.failed), "n"), last);
    return row;
  }));
  if (busy) [...document.querySelectorAll("#hosts button")]
    .find((button) => button.dataset.host === busy)?.focus();
}

const KINDS = {
  "": () => true,
  page: (item) => ["stored", "duplicate"].includes(item.dataset.state),
  duplicate: (item) => item.dataset.state === "duplicate",
  failed: (item) => item.dataset.state === "failed",
};

function feed(data) {
  const wanted = KINDS[at("kind").value];
  for (const ended of data.feed) {
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
  document.title = `Crawl: ${name}`;
  steering();
}

function show(data) {
  if (run !== null && data.run !== run) {  // another crawl has the port now, with another token
    location.reload();
    return;
  }
  run = data.run;
  last = data.last;
  commands = { report: data.report, resume: data.resume };
  seenAt = new Date().toTimeString().slice(0, 8);
  told(data.phase);
  tiles(data);
  chart(data);
  hosts(data);
  feed(data);
  if (phase === "ended") {
    const more = data.queue.pending ? `; ${number(data.queue.pending)} URLs are pending: ${data.resume}` : "";
    say(`The run has ended. Its report: ${data.report}${more}`);
  }
  document.body.dataset.ready = "true";
}

async function look() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const answer = await fetch(`/look?after=${last}`);
    if (answer.ok) show(await answer.json());
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
  if (phase !== "ended") timer = setTimeout(look, EVERY_MS);
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
document.addEventListener("visibilitychange", look);
look();
