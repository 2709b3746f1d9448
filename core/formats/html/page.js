(() => {
  "use strict";
  const MOST_MARKS = 5000;
  const steps = [...document.querySelectorAll(".step")];
  const box = document.getElementById("q");
  const count = document.getElementById("count");
  const only = document.getElementById("only");
  document.documentElement.classList.add("scripted");
  let texts = null;
  let hits = [];
  let at = -1;
  let waiting = 0;

  const low = (text) => text.toLowerCase();

  function unmark() {
    for (const mark of document.querySelectorAll("mark")) {
      const parent = mark.parentNode;
      mark.replaceWith(mark.firstChild);
      parent.normalize();
    }
  }

  function places(text, words) {
    const found = [];
    const flat = low(text);
    if (flat.length !== text.length) return found;
    for (let from = flat.indexOf(words); from >= 0; from = flat.indexOf(words, from + words.length)) {
      found.push(from);
    }
    return found;
  }

  function markIn(step, words, room) {
    const walker = document.createTreeWalker(step, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    let made = 0;
    for (const node of nodes) {
      for (const from of places(node.data, words).reverse()) {
        if (made >= room) return made;
        const rest = node.splitText(from);
        rest.splitText(words.length);
        const mark = document.createElement("mark");
        rest.replaceWith(mark);
        mark.append(rest);
        made += 1;
      }
    }
    return made;
  }

  function tell() {
    const words = box.value;
    if (!words) count.value = "";
    else if (!hits.length) count.value = "nothing found";
    else count.value = `${at < 0 ? "" : `${at + 1} of `}${hits.length} step${hits.length > 1 ? "s" : ""}`;
  }

  function find() {
    const words = low(box.value);
    unmark();
    texts ??= steps.map((step) => low(step.textContent));
    hits = [];
    at = -1;
    let room = MOST_MARKS;
    steps.forEach((step, index) => {
      const hit = words !== "" && texts[index].includes(words);
      step.classList.toggle("hit", hit);
      step.classList.remove("here");
      if (!hit) return;
      hits.push(step);
      room -= markIn(step, words, room);
    });
    filter();
    tell();
  }

  function filter() {
    document.body.classList.toggle("only", only.checked && box.value !== "");
  }

  function go(step) {
    document.querySelectorAll(".here").forEach((other) => other.classList.remove("here"));
    step.classList.add("here");
    for (const mark of step.querySelectorAll("mark")) {
      for (let up = mark.closest("details"); up; up = up.parentElement.closest("details")) up.open = true;
    }
    step.scrollIntoView({ block: "center" });
  }

  function walk(by) {
    if (!hits.length) return;
    at = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    go(hits[at]);
    tell();
  }

  function move(by) {
    const shown = steps
      .filter((step) => step.offsetParent !== null)
      .sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
    const here = shown.findIndex((step) => step.classList.contains("here"));
    const next = shown[here < 0 ? 0 : Math.min(Math.max(here + by, 0), shown.length - 1)];
    if (next) go(next);
  }

  function now() {
    if (!waiting) return;
    clearTimeout(waiting);
    waiting = 0;
    find();
  }

  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { waiting = 0; find(); }, 120);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { now(); walk(event.shiftKey ? -1 : 1); event.preventDefault(); }
    if (event.key === "Escape") { box.value = ""; find(); box.blur(); }
  });
  only.addEventListener("change", () => { now(); filter(); });
  document.getElementById("on").addEventListener("click", () => { now(); walk(1); });
  document.getElementById("back").addEventListener("click", () => { now(); walk(-1); });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { "/": () => box.focus(), n: () => walk(1), N: () => walk(-1), j: () => move(1), k: () => move(-1) };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((each) => { each.open = true; });
  });
})();
