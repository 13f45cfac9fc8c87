"use strict";
// The inside of a file is drawn when the file is unfolded and near the window: a report of hundreds stays quick.

const files = [...document.querySelectorAll(".file")];
const about = JSON.parse(document.getElementById("rules")?.textContent ?? "{}");
const filter = { kinds: new Set(), rule: "", status: "", text: "" };
const byId = (id) => document.getElementById(id);

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// --- colours of Python ---------------------------------------------------------------------------------------------

const TOKEN = /("""|''')|(#.*)|([rbfuRBFU]{0,2}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))|\b(False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)\b|\b(\d[\d_.]*(?:e[+-]?\d+)?)\b/g;

// The parts of a line with their colour; `state.quote` is the triple quote that is open at its start.
function tokens(text, state) {
  const found = [];
  let from = 0;
  while (from < text.length) {
    if (state.quote) {
      const end = text.indexOf(state.quote, from);
      const to = end < 0 ? text.length : end + 3;
      found.push([from, to, "s"]);
      if (end >= 0) state.quote = "";
      from = to;
      continue;
    }
    TOKEN.lastIndex = from;
    const match = TOKEN.exec(text);
    if (!match) break;
    if (match[1]) {
      state.quote = match[1];
      found.push([match.index, match.index + 3, "s"]);
    } else {
      found.push([match.index, TOKEN.lastIndex, match[2] ? "c" : match[3] ? "s" : match[4] ? "k" : "d"]);
    }
    from = match.index + match[0].length;
  }
  return found;
}

function paint(cell, text, spans, state) {
  // A line that is too long goes on under its own indentation.
  cell.style.setProperty("--hang", `${Math.min(24, text.length - text.trimStart().length + 4)}ch`);
  const colours = tokens(text, state);
  const cuts = new Set([0, text.length]);
  for (const [from, to] of [...colours, ...spans]) cuts.add(from).add(to);
  const sorted = [...cuts].sort((a, b) => a - b);
  for (let i = 0; i + 1 < sorted.length; i++) {
    const [from, to] = [sorted[i], sorted[i + 1]];
    const within = ([first, last]) => first <= from && to <= last;
    const part = element(spans.some(within) ? "mark" : "span", colours.find(within)?.[2], text.slice(from, to));
    cell.append(part);
  }
}

// --- a file ----------------------------------------------------------------------------------------------------------

function drawRow(row, marks, states) {
  const tr = element("tr");
  const same = row.length === 3;
  if (same) tr.className = "same";
  const sides = same ? [[row[0], row[2], []], [row[1], row[1] === null ? "" : row[2], []]] : [row.slice(0, 3), row.slice(3)];
  sides.forEach(([number, text, spans], side) => {
    const count = element("td", "n", number ?? "");
    const code = element("td", number === null ? (same ? "" : "empty") : same ? "" : side ? "new" : "gone");
    if (number === null) count.classList.add("none");
    if (side === 0 && marks.has(number)) count.classList.add("mark", marks.get(number));
    if (side === 0) tr.dataset.line = number ?? "";
    if (number !== null) paint(code, text, spans, states[side]);
    if (side === 0 || !states.single) tr.append(count, code);
  });
  return tr;
}

function drawFinding(finding, part) {
  const item = element("li");
  item.dataset.found = `${finding.rule}:${finding.kind}`;
  const line = element("button", "line", `line ${finding.line}`);
  line.addEventListener("click", () => light(part, finding.line, true));
  item.addEventListener("mouseenter", () => light(part, finding.line, false));
  item.addEventListener("mouseleave", () => light(part, -1, false));
  item.append(element("span", `kind ${finding.kind}`, finding.kind), element("span", "rule", finding.rule), line);
  const said = element("div");
  const message = element("p", "", finding.message);
  said.append(message);
  if (finding.advice) said.append(element("p", "advice", `\u2192 ${finding.advice}`));
  const rule = about[finding.rule] ?? {};
  const reasons = [rule.summary, ...finding.evidence, rule.document && `established by: ${rule.document}`].filter(Boolean);
  if (reasons.length) message.append(" ", drawWhy(said, reasons));
  item.append(said);
  return item;
}

function drawWhy(said, reasons) {
  const button = element("button", "why", "why");
  button.setAttribute("aria-expanded", "false");
  const list = element("ul", "reasons");
  list.hidden = true;
  list.append(...reasons.map((reason) => element("li", "", reason)));
  said.append(list);
  button.addEventListener("click", () => {
    list.hidden = !list.hidden;
    button.setAttribute("aria-expanded", String(!list.hidden));
  });
  return button;
}

const GRAVEST = ["exact", "info", "review", "warning", "error"];

function drawPart(data) {
  const part = element("section", "part");
  part.append(element("p", "title", data.title));
  const marks = new Map();
  for (const { line, kind } of data.findings)
    if (GRAVEST.indexOf(kind) > GRAVEST.indexOf(marks.get(line))) marks.set(line, kind);
  if (data.findings.length) {
    const said = element("ul", "said");
    said.append(...data.findings.map((finding) => drawFinding(finding, part)));
    part.append(said);
  }
  const table = element("table", "diff");
  const columns = element("colgroup");
  const states = [{ quote: "" }, { quote: "" }];
  // Lines that stay as they are need no second column.
  states.single = data.rows.every((row) => row.length === 3 && row[1] === null);
  for (const name of states.single ? ["n", ""] : ["n", "", "n", ""]) columns.append(element("col", name));
  const body = element("tbody");
  body.append(...data.rows.map((row) => drawRow(row, marks, states)));
  table.append(columns, body);
  part.append(table);
  return part;
}

function light(part, line, scroll) {
  for (const row of part.querySelectorAll(".lit")) row.classList.remove("lit");
  const row = part.querySelector(`tr[data-line="${line}"]`);
  row?.classList.add("lit");
  if (scroll) row?.scrollIntoView({ block: "center", behavior: "smooth" });
}

function draw(file) {
  const data = file.querySelector(":scope > script");
  if (!data) return;
  data.remove();
  file.append(...JSON.parse(data.textContent).map(drawPart));
  filterInside(file);
}

const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries)
    if (isIntersecting && target.open) { near.unobserve(target); draw(target); }
}, { rootMargin: "600px" });

for (const file of files)
  file.addEventListener("toggle", () => file.open && file.querySelector(":scope > script") && near.observe(file));

// --- filters -----------------------------------------------------------------------------------------------------------

function wanted(pair) {
  const [rule, kind] = pair.split(":");
  return (!filter.kinds.size || filter.kinds.has(kind)) && (!filter.rule || rule === filter.rule);
}

const filtersFindings = () => filter.kinds.size > 0 || filter.rule !== "";

function filterInside(file) {
  for (const part of file.querySelectorAll(".part")) {
    const said = [...part.querySelectorAll(".said > li")];
    for (const item of said) item.hidden = !wanted(item.dataset.found);
    part.hidden = filtersFindings() && !said.some((item) => !item.hidden);
  }
}

function matchesText(file) {
  if (!filter.text) return true;
  if (!texts.has(file)) texts.set(file, textOf(file).toLowerCase());
  return texts.get(file).includes(filter.text);
}

const texts = new Map();

// The name, the code and the messages, drawn or not.
function textOf(file) {
  const data = file.querySelector(":scope > script");
  if (!data) return file.textContent;
  const name = file.querySelector(".name").textContent;
  const inside = JSON.parse(data.textContent).flatMap(({ rows, findings }) =>
    [...rows.flat(2).filter((cell) => typeof cell === "string"), ...findings.map(({ message, rule }) => `${rule} ${message}`)]);
  return [name, ...inside].join("\n");
}

function apply() {
  let shown = 0;
  for (const file of files) {
    const found = file.dataset.found.split(" ").filter(Boolean);
    file.hidden = (filtersFindings() && !found.some(wanted))
      || (filter.status !== "" && file.dataset.status !== filter.status) || !matchesText(file);
    shown += !file.hidden;
    filterInside(file);
  }
  byId("shown").textContent = `${shown} of ${files.length} files`;
  byId("none").hidden = shown > 0;
  byId("clear").hidden = !filtersFindings() && !filter.status && !filter.text;
}

function chooseRule(rule) {
  filter.rule = rule;
  if (byId("rule")) byId("rule").value = rule;
  apply();
}

function clear() {
  Object.assign(filter, { kinds: new Set(), status: "", text: "" });
  for (const chip of document.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", "false");
  for (const id of ["text", "status"]) if (byId(id)) byId(id).value = "";
  chooseRule("");
}

function unfoldAll() {
  const open = !files.some((file) => !file.hidden && file.open);
  for (const file of files) if (!file.hidden) file.open = open;
  byId("unfold").textContent = open ? "Fold all" : "Unfold all";
}

function goTo(step) {
  const shown = files.filter((file) => !file.hidden);
  const at = shown.findIndex((file) => file.contains(document.activeElement));
  const next = shown[at < 0 ? 0 : at + step];
  next?.querySelector("summary").focus();
  next?.scrollIntoView({ block: "center" });
}

function listen() {
  for (const chip of document.querySelectorAll(".chip"))
    chip.addEventListener("click", () => {
      const on = chip.getAttribute("aria-pressed") !== "true";
      chip.setAttribute("aria-pressed", String(on));
      filter.kinds[on ? "add" : "delete"](chip.dataset.kind);
      apply();
    });
  for (const bar of document.querySelectorAll(".pick")) {
    const pick = () => { chooseRule(bar.dataset.rule); byId("files").scrollIntoView({ behavior: "smooth" }); };
    bar.addEventListener("click", pick);
    bar.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick()));
  }
  byId("rule")?.addEventListener("change", (event) => chooseRule(event.target.value));
  byId("status")?.addEventListener("change", (event) => { filter.status = event.target.value; apply(); });
  byId("text").addEventListener("input", (event) => { filter.text = event.target.value.toLowerCase(); apply(); });
  byId("clear").addEventListener("click", clear);
  byId("unfold").addEventListener("click", unfoldAll);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT/.test(event.target.tagName)) return;
    if (event.key === "/") { event.preventDefault(); byId("text").focus(); }
    if (event.key === "j") goTo(1);
    if (event.key === "k") goTo(-1);
  });
}

byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = getComputedStyle(root).colorScheme === "dark";
  root.dataset.theme = dark ? "light" : "dark";
});
if (byId("files")) {
  listen();
  apply();
  if (byId("files").dataset.open === "1") for (const file of files) file.open = true;
}
