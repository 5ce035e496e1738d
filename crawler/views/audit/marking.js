"use strict";
// Marks of pairs: kept in this browser, counted, and exported. Nothing is sent anywhere.
(() => {
  const Z = 1.959963984540054;  // the estimate is that of estimate.py
  const KEYS = {c: "copy", o: "other page", u: "unsure"};
  const STEPS = {n: 1, ArrowRight: 1, p: -1, ArrowLeft: -1};
  const articles = [...document.querySelectorAll("article")];
  const lines = articles.map(article => JSON.parse(article.dataset.line));
  const key = document.body.dataset.key;
  const marks = new Map();
  let current = 0;

  function load() {
    try {
      const kept = Object.entries(JSON.parse(localStorage.getItem(key) || "{}"));
      const known = Object.values(KEYS);
      kept.filter(([, mark]) => known.includes(mark)).forEach(([url, mark]) => marks.set(url, mark));
    } catch { notKept(); }
  }

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify(Object.fromEntries(marks)));
    } catch { notKept(); }
  }

  function notKept() {
    document.getElementById("kept").textContent =
      "This browser keeps no marks: export them before you close the page.";
  }

  function wilson(found, of) {
    const middle = (found + Z * Z / 2) / (of + Z * Z);
    const half = Z / (of + Z * Z) * Math.sqrt(found * (of - found) / of + Z * Z / 4);
    return [found ? middle - half : 0, found < of ? middle + half : 1];
  }

  const count = number => number.toLocaleString("en-US");
  const percent = share => (Math.floor(1000 * share + .5) / 10).toFixed(1) + "%";
  const filled = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  function sentence(of) {
    const given = lines.filter(line => line.stratum === of.stratum).map(line => marks.get(line.url));
    const times = mark => given.filter(one => one === mark).length;
    const wrong = times(of.wrong), decided = times("copy") + times("other page");
    const population = Number(of.population), values = {population: count(population)};
    let told = of.nothing;
    if (of.biased && given.some(one => !one)) {
      told = of.biased;
    } else if (decided) {
      const [low, high] = wilson(wrong, decided);
      const fewest = Math.max(wrong, Math.floor(low * population));
      const most = Math.max(
        fewest, Math.min(population - (decided - wrong), Math.ceil(high * population)));
      Object.assign(values, {
        wrong: count(wrong), decided: count(decided), share: percent(wrong / decided),
        low: percent(low), high: percent(high),
        pages: fewest < most ? `between ${count(fewest)} and ${count(most)}` : count(fewest),
      });
      told = of.template;
    }
    if (times("unsure")) {
      told += of.unsure;
      values.unsure = count(times("unsure"));
    }
    return filled(told, values);
  }

  function show() {
    articles.forEach((article, number) => {
      const mark = marks.get(lines[number].url);
      article.querySelectorAll("button").forEach(button =>
        button.setAttribute("aria-pressed", String(button.dataset.mark === mark)));
      article.classList.toggle("current", number === current);
    });
    const done = lines.filter(line => marks.has(line.url)).length;
    document.getElementById("marked").textContent = `${done} of ${lines.length} marked`;
    document.querySelector("progress").value = done;
    document.querySelectorAll("[data-template]").forEach(place => {
      place.textContent = sentence(place.dataset);
    });
  }

  function mark(number, given) {
    const {url} = lines[number];
    if (marks.get(url) === given) marks.delete(url);
    else marks.set(url, given);
    keep();
    show();
  }

  function go(number) {
    current = Math.min(Math.max(number, 0), articles.length - 1);
    show();
    articles[current].focus({preventScroll: true});
    articles[current].scrollIntoView({block: "start"});
  }

  function download() {
    const rows = lines.map(line => JSON.stringify({...line, mark: marks.get(line.url) ?? null}));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([rows.join("\n") + "\n"]));
    link.download = "marks.jsonl";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  articles.forEach((article, number) => {
    article.addEventListener("focusin", () => { current = number; show(); });
    article.addEventListener("click", event => {
      current = number;
      const button = event.target.closest("button");
      if (button) mark(number, button.dataset.mark);
      else show();
    });
  });
  document.getElementById("export").addEventListener("click", download);
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in STEPS) go(current + STEPS[event.key]);
    else if (event.key in KEYS) {
      if (marks.get(lines[current].url) !== KEYS[event.key]) mark(current, KEYS[event.key]);
      go(current + 1);
    } else return;
    event.preventDefault();
  });
  load();
  show();
})();
