"use strict";
(() => {
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);

  // Light and dark: the system's choice until the button says otherwise.
  const preferred = window.matchMedia("(prefers-color-scheme: dark)");
  const paint = (dark) => {
    root.classList.toggle("dark", dark);
    $("theme").setAttribute("aria-pressed", String(dark));
  };
  let chosen = false;
  preferred.addEventListener("change", (event) => chosen || paint(event.matches));
  $("theme").addEventListener("click", () => {
    chosen = true;
    paint(!root.classList.contains("dark"));
  });
  paint(preferred.matches);

  // Tables print open; the numbers of figures, which the figures show, do not.
  const closed = [...document.querySelectorAll("#tables-title ~ details:not([open])")];
  window.addEventListener("beforeprint", () => closed.forEach((part) => { part.open = true; }));

  if (!$("questions")) return;
  const data = JSON.parse($("data").textContent);
  const PAGE = 50;
  const MOST_COLUMNS = 4;
  const SIGNS = {
    hard: ["✓", "good"], right: ["✓", "good"], other_hard: ["◐", "middle"], stated: ["○", "middle"],
    further: ["○", "middle"], wrong: ["✗", "bad"], empty: ["–", "none"], missing: ["–", "none"],
  };
  const ORDER = Object.keys(SIGNS);

  // Everything on the page is made here, and only ever from texts.
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null));
    return element;
  };
  const named = (place) => {
    const label = data.labels[place];
    return label ? `${data.names[place]} (${label})` : data.names[place];
  };
  const name = (place) => make("bdi", {}, named(place));
  const list = (places, total = places.length) => {
    const shown = places.flatMap((place, i) => (i ? [", ", name(place)] : [name(place)]));
    return total > places.length ? [...shown, ` … (${total.toLocaleString("en")} in all)`] : shown;
  };
  const runName = (run) => `${data.runs[run].system} · ${data.runs[run].kg}`;
  const said = (verdict) => data.verdicts[verdict] || verdict;
  const solved = (question) => question.outcomes.filter((o) => o.verdict === "hard" || o.verdict === "right").length;
  const outcome = (question, run) => question.outcomes.find((o) => o.run === run);
  const rank = (question, run) => {
    const found = outcome(question, run);
    return found ? ORDER.indexOf(found.verdict) : ORDER.length;
  };

  for (const question of data.questions) {
    const places = [...question.topics, ...question.hard.names, ...question.stated.names, ...question.proof.flat()];
    question.words = [question.id, question.text, question.query, question.form, ...places.map(named)].join("\n").toLowerCase();
  }

  // Columns: what is shown, and what is compared when they are sorted.
  const rules = data.questions.some((q) => q.shown.some(([title]) => title === "Rule")) && data.questions.every((q) => !/^\d/.test(q.form));
  const columns = [
    ["Question", (q) => q.id], ["Text", (q) => q.text.toLowerCase()],
    [rules ? "Rule type" : "Structure", (q) => q.form], ["Core", (q) => Number(!q.core)], ["Missing links", (q) => q.missing],
  ];
  const single = data.runs.length <= MOST_COLUMNS ? data.runs.map((_, run) => run) : [];
  for (const run of single) columns.push([runName(run), (q) => rank(q, run)]);
  if (data.runs.length > 1) columns.push(["Solved by", (q) => -solved(q)]);
  const sorting = { column: 0, down: false };
  let found = data.questions;
  let at = 0;

  const head = make("tr");
  columns.forEach(([title], place) => {
    const button = make("button", { type: "button" }, title);
    button.addEventListener("click", () => {
      sorting.down = sorting.column === place && !sorting.down;
      sorting.column = place;
      show(0);
    });
    head.append(make("th", { scope: "col", class: place > 2 ? "wraps" : "" }, button));
  });
  $("questions").tHead.append(head);

  const fill = (id, pairs) => $(id).append(...pairs.map(([value, text]) => make("option", { value }, text)));
  $("form-label").textContent = rules ? "Rule type" : "Structure";
  fill("form", [...new Set(data.questions.map((q) => q.form))].sort().map((form) => [form, form]));
  fill("system", data.runs.map((_, run) => [run, runName(run)]));
  const verdicts = new Set(data.questions.flatMap((q) => q.outcomes.map((o) => o.verdict)));
  fill("verdict", ORDER.filter((verdict) => verdicts.has(verdict)).map((verdict) => [verdict, said(verdict)]));
  for (const label of document.querySelectorAll(".of-systems")) label.hidden = !data.runs.length;

  const matches = () => {
    const words = $("text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [form, core, system, verdict] = ["form", "core", "system", "verdict"].map((id) => $(id).value);
    return data.questions.filter((q) =>
      words.every((word) => q.words.includes(word)) && (!form || q.form === form) && (!core || q.core === (core === "1")) &&
      ((!verdict && !system) || q.outcomes.some((o) => (!system || o.run === Number(system)) && (!verdict || o.verdict === verdict))));
  };

  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  function show(page, open = "") {
    const key = columns[sorting.column][1];
    const sign = sorting.down ? -1 : 1;
    found = matches().sort((a, b) => sign * compare(key(a), key(b)) || compare(a.id, b.id));
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    if (open) page = Math.floor(found.findIndex((q) => q.id === open) / PAGE);
    at = Math.min(Math.max(page, 0), pages - 1);
    [...head.children].forEach((cell, place) => {
      if (place === sorting.column) cell.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    $("questions").tBodies[0].replaceChildren(...found.slice(at * PAGE, (at + 1) * PAGE).map(row));
    $("count").textContent = `${found.length.toLocaleString("en")} of ${data.questions.length.toLocaleString("en")} questions`;
    $("page").textContent = `Page ${at + 1} of ${pages}`;
    $("previous").disabled = at === 0;
    $("next").disabled = at === pages - 1;
  }

  const badge = (verdict, words) => {
    const [sign, kind] = SIGNS[verdict] || ["?", "none"];
    return make("span", { class: kind, title: said(verdict) }, make("span", { "aria-hidden": "true" }, `${sign} `), words);
  };
  const SHORT = { hard: "hard", right: "right", other_hard: "other hard", stated: "stated", further: "beyond", wrong: "wrong", empty: "none", missing: "missing" };

  function row(question) {
    const button = make("button", { type: "button", class: "open-row", "aria-expanded": "false" }, question.id);
    const line = make("tr", { class: "row", "data-id": question.id }, make("td", {}, button), make("td", { class: "text", dir: "auto" }, question.text),
      make("td", {}, question.form), make("td", {}, question.core ? "core" : "–"), make("td", {}, String(question.missing)),
      ...single.map((run) => {
        const one = outcome(question, run);
        return make("td", { class: "verdict" }, one ? badge(one.verdict, SHORT[one.verdict] || one.verdict) : "");
      }));
    if (data.runs.length > 1) line.append(make("td", {}, `${solved(question)} of ${question.outcomes.length}`));
    const toggle = () => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      line.classList.toggle("open", !open);
      if (open) line.nextSibling.remove();
      else line.after(make("tr", {}, make("td", { class: "detail", colspan: columns.length }, detail(question))));
    };
    line.addEventListener("click", () => window.getSelection().isCollapsed && toggle());
    line.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const buttons = [...$("questions").querySelectorAll(".open-row")];
      (buttons[buttons.indexOf(button) + step] || button).focus();
      event.preventDefault();
    });
    return line;
  }

  const pairs = (rows) => make("dl", { class: "about" }, ...rows.filter(([, content]) => content.length)
    .map(([term, content]) => make("div", {}, make("dt", {}, term), make("dd", {}, ...content))));

  function detail(q) {
    const others = q.hard.names.filter((place) => place !== q.answer);
    const box = make("div", {}, make("h3", { dir: "auto" }, q.text), pairs([
      [q.topics.length > 1 ? "Topic entities" : "Topic entity", list(q.topics)],
      ["Query", [make("code", {}, q.query)]],
      ["Hard answer", q.answer === null ? ["none: every answer is stated"] : [name(q.answer)]],
      ["Other hard answers", list(others, q.hard.n - (q.answer === null ? 0 : 1))],
      ["Stated answers", list(q.stated.names, q.stated.n)],
      ["Answers beyond the complete graph", list(q.further.names, q.further.n)],
    ]));
    const line = (text) => make("p", { class: text.startsWith(" ") ? "line deeper" : "line", dir: "auto" }, text.trim());
    for (const [title, lines] of q.shown) box.append(make("h3", {}, title), ...lines.map(line));
    if (!q.outcomes.length) return box;
    box.append(make("h3", {}, "Systems"));
    const proof = new Set(q.proof.map((triple) => triple.join()));
    box.append(make("div", { class: "systems" }, ...q.outcomes.map((o) => system(o, proof))));
    return box;
  }

  function system(o, proof) {
    const part = make("article", { class: "system" }, make("h4", {}, runName(o.run)), make("p", {}, badge(o.verdict, said(o.verdict))), make("p", {}, o.why));
    const answers = o.answers.flatMap(([place, right], i) => [i ? ", " : "", make("span", { class: right ? "good" : "bad" }, right ? "✓ " : "✗ ", name(place))]);
    const scores = Object.entries(o.scores).map(([id, value]) => `${data.scores[id]} ${(100 * value).toFixed(1)}`);
    part.append(pairs([
      ["Answers", o.n > o.answers.length ? [...answers, ` … (${o.n.toLocaleString("en")} in all)`] : answers],
      ["Scores, percent", scores.length ? [scores.join(" · ")] : []],
    ]));
    const folded = (title, content, open) => part.append(make("details", open ? { open: "" } : {}, make("summary", {}, title), content));
    if (o.said) folded("Said", make("pre", { tabindex: "0", dir: "auto" }, o.said), o.said.length < 400);
    const triples = (all) => make("ol", {}, ...all.map((t) => make("li", proof.has(t.join()) ? { class: "of-proof" } : {},
      name(t[0]), ` — ${data.names[t[1]]} → `, name(t[2]), proof.has(t.join()) ? " (of the proof)" : "")));
    const of = (all, total) => (total > all.length ? `${all.length} of ${total.toLocaleString("en")}` : String(total));
    if (o.count !== null) folded(`Retrieved triples: ${of(o.retrieved, o.count)}`, triples(o.retrieved), false);
    if (o.generated.length) folded(`Triples proposed by the model: ${o.generated.length}`, triples(o.generated), false);
    return part;
  }

  let waiting = 0;
  $("filters").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => show(0), 80);
  });
  $("filters").addEventListener("reset", () => setTimeout(() => show(0)));
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("previous").addEventListener("click", () => show(at - 1));
  $("next").addEventListener("click", () => show(at + 1));
  // report.html#q00012 opens that question.
  const linked = decodeURIComponent(location.hash.slice(1));
  const wanted = data.questions.some((q) => q.id === linked) ? linked : "";
  show(0, wanted);
  if (wanted) {
    const button = $("questions").querySelector(`tr[data-id="${CSS.escape(wanted)}"] button`);
    button.click();
    button.scrollIntoView();
  }
})();
