"use strict";
/* The rating page: behind a link (judgements go to the server) or mailed (they stay in the browser until downloaded).
   Every text is put in as text, never as markup. Needs saving.js. */
(() => {
  const COMMENT = "comment", LONGEST_PAUSE = 5000;
  const LETTERS = "abdeghijklmoqrstvwyz";   // keys of further answers: those that do nothing else
  const embedded = document.getElementById("data");
  const at = (id) => document.getElementById(id);

  let data, index = 0, active = 0, keep, saver;
  const current = new Map();   // "unit question" → {state, value}
  const done = [];             // what undo takes back, last at the end

  function say(state, text) {
    const place = at("saved");
    place.dataset.state = state;
    if (place.textContent !== text) place.textContent = text;
  }

  function warn(text) { at("alert").textContent = text; at("alert").hidden = !text; }

  function offerFile(hint) {
    at("file-hint").textContent = hint;
    at("file").hidden = false;
    at("continue-label").hidden = !embedded;
  }

  function download() {
    const result = { format: data.format, version: data.version, sheet: data.sheet, rater: data.rater, judgements: keep.entries() };
    const address = URL.createObjectURL(new Blob([JSON.stringify(result, null, 1)], { type: "application/json" }));
    const anchor = element("a", { href: address, download: `ratings-${data.rater.replace(/[^\p{L}\p{N}]+/gu, "_")}.json` });
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    if (saver.downloaded) saver.downloaded();
  }

  async function goOn(file) {
    let result;
    try { result = JSON.parse(await file.text()); } catch { return warn("This file is no result file: it holds no JSON."); }
    if (!result || result.format !== data.format || !Array.isArray(result.judgements)) return warn("This file is no result file.");
    if (result.sheet !== data.sheet || result.rater !== data.rater) return warn("This result file belongs to another page or another rater.");
    const known = new Set(keep.entries().map((entry) => entry.key));
    for (const entry of result.judgements) if (!known.has(entry.key)) { saver.add(entry); apply(entry); }
    warn("");
    go(firstOpen());
  }

  // ---- what was judged ----

  const said = (unit, question) => current.get(`${unit.code} ${question}`);
  const asked = (unit) => unit.asked.map((name) => data.questions.find((question) => question.name === name));
  const isDone = (unit) => unit.asked.every((name) => said(unit, name));
  const firstOpen = () => { const found = data.units.findIndex((unit) => !isDone(unit)); return found < 0 ? data.units.length - 1 : found; };

  function apply(entry) {
    if (entry.state === "withdrawn") current.delete(`${entry.unit} ${entry.question}`);
    else current.set(`${entry.unit} ${entry.question}`, { state: entry.state, value: entry.value });
  }

  function refused(entry, reason) {
    current.delete(`${entry.unit} ${entry.question}`);
    warn(`Not taken: ${reason}`);
    draw();
  }

  function judge(unit, question, state, value, isUndo) {
    const before = said(unit, question);
    if (before ? before.state === state && before.value === value : state === "withdrawn") return;
    if (!isUndo) done.push({ unit, question, before });
    const entry = { key: saving.newKey(), unit: unit.code, question, state, value, client_time: Date.now() / 1000 };
    apply(entry);
    saver.add(entry);
    update();
  }

  function choose(number, state, value) {
    const unit = data.units[index], questions = asked(unit);
    judge(unit, questions[number].name, state, value);
    const open = questions.findIndex((question) => !said(unit, question.name));
    mark(open < 0 ? number : open);
  }

  function undo() {
    saveRemark();
    const last = done.pop();
    if (!last) return;
    const before = last.before || { state: "withdrawn", value: null };
    if (data.units[index] !== last.unit) go(data.units.indexOf(last.unit));
    judge(last.unit, last.question, before.state, before.value, true);
    const box = at("remark");
    if (last.question === COMMENT) { if (box) box.value = before.value || ""; return; }
    mark(last.unit.asked.indexOf(last.question));
  }

  let remarkTimer = 0;
  function saveRemark() {
    clearTimeout(remarkTimer);
    const box = at("remark");
    if (!box || !data.units.length) return;
    const text = box.value.trim().replace(/\p{Surrogate}/gu, "\ufffd");   // half of a pair is no text, and JSON cannot carry it
    judge(data.units[index], COMMENT, text ? "rated" : "withdrawn", text || null);
  }

  // ---- what is seen ----

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== "" && value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  }

  const choicesOf = (unit, question) =>
    [...(question.labels ? unit.labels.map((label) => ({ value: label, label, anchor: "" })) : []), ...question.choices];

  function keysOf(choices) {
    const isScale = choices.every((choice) => /^[0-9]$/.test(choice.value));
    return choices.map((choice, at) => {
      if (isScale) return choice.value;
      if (choice.value === "pass") return "p";
      if (choice.value === "fail") return "f";
      return at < 9 ? String(at + 1) : LETTERS[at - 9] || "";
    });
  }

  function shownText(text) {
    const title = text.language_name ? `${text.title} (${text.language_name})` : text.title;
    return element("section", { class: "text" }, element("h3", {}, title),
      element("p", { class: "shown", lang: text.language, dir: text.direction }, text.text));
  }

  function shownRatings(question, ratings) {
    const named = (rating) => {
      const choice = question.choices.find((one) => one.value === rating.value);
      const word = rating.state === "cannot_judge" ? "cannot judge" : choice && choice.label !== choice.value ? choice.label : rating.value;
      return element("li", {}, `Rater ${rating.rater}: `, element("strong", {}, word), rating.comment ? " — " : "", rating.comment ? element("bdi", {}, rating.comment) : "");
    };
    return element("ul", { class: "said", "aria-label": "What raters said" }, ...ratings.map(named));
  }

  function shownQuestion(unit, question, number) {
    const choices = choicesOf(unit, question), keys = keysOf(choices), id = `question-${number}`;
    const button = (choice, key, state, css) => element("button", {
      type: "button", class: css, "data-state": state, "data-value": choice.value, "aria-pressed": "false", "aria-keyshortcuts": key,
      onclick: () => choose(number, state, choice.value),
    }, key && key !== choice.label ? element("kbd", { "aria-hidden": "true" }, key) : "", element("span", {}, element("bdi", { class: "label" }, choice.label),
      choice.anchor ? element("span", { class: "anchor" }, choice.anchor) : ""));
    const ratings = unit.ratings && unit.ratings[question.name];
    return element("section", { class: "question", id, role: "group", tabindex: "-1", "aria-labelledby": `${id}-title`, "aria-describedby": question.help ? `${id}-help` : "" },
      element("h3", { id: `${id}-title` }, question.title),
      question.help ? element("p", { class: "help", id: `${id}-help` }, question.help) : "",
      ratings ? shownRatings(question, ratings) : "",
      element("div", { class: choices.length < 4 && choices.every((choice) => !choice.anchor) ? "choices short" : "choices" }, ...choices.map((choice, at) => button(choice, keys[at], "rated", "choice"))),
      question.cannot_judge ? button({ value: null, label: "Cannot judge" }, "x", "cannot_judge", "choice cannot") : "");
  }

  function draw() {
    const main = at("main"), unit = data.units[index];
    if (!unit) {
      const nothing = data.role === "adjudicator" ? "There is nothing to decide: raters do not differ on any item so far." : "There are no items for you.";
      main.replaceChildren(element("p", {}, nothing));
      return update();
    }
    const open = !current.size;
    const remark = said(unit, COMMENT);
    main.replaceChildren(
      element("details", { id: "instructions", "aria-label": "Instructions", open: open && "open" }, element("summary", {}, "Instructions"), ...data.instructions.map((part) => element("p", {}, part))),
      element("p", { class: "end", id: "end", hidden: "hidden" }),
      element("h2", { id: "item", tabindex: "-1" }, `Item ${index + 1} of ${data.units.length}`),
      element("div", { class: "texts" }, ...unit.texts.map(shownText)),
      ...asked(unit).map((question, number) => shownQuestion(unit, question, number)),
      element("label", { class: "remark" }, element("span", {}, "Remark ", element("kbd", { "aria-hidden": "true" }, "c")),
        element("textarea", { id: "remark", rows: "2", dir: "auto", maxlength: data.longest_comment, "aria-keyshortcuts": "c",
          oninput: () => { clearTimeout(remarkTimer); remarkTimer = setTimeout(saveRemark, 600); }, onblur: saveRemark })),
      element("div", { class: "steps" },
        element("button", { type: "button", id: "before", "aria-keyshortcuts": "ArrowLeft", onclick: () => go(index - 1) }, "← Previous"),
        element("button", { type: "button", id: "after", "aria-keyshortcuts": "ArrowRight", onclick: () => go(index + 1) }, "Next →"),
        element("button", { type: "button", id: "undo", "aria-keyshortcuts": "u", onclick: undo }, "Undo ", element("kbd", { "aria-hidden": "true" }, "u")),
        element("button", { type: "button", id: "open", class: "primary", "aria-keyshortcuts": "n", onclick: nextOpen }, "Next open item ", element("kbd", { "aria-hidden": "true" }, "n"))));
    at("remark").value = remark ? remark.value : "";
    update();
  }

  /* Shows what was judged, without building the page again: focus and reading position stay. */
  function update() {
    const finished = data.units.filter(isDone).length, all = data.units.length;
    at("progress").max = Math.max(all, 1);
    at("progress").value = finished;
    at("done").textContent = `${finished} of ${all} done`;
    const unit = data.units[index];
    if (!unit || !at("end")) return;
    asked(unit).forEach((question, number) => {
      const judged = said(unit, question.name);
      for (const button of document.querySelectorAll(`#question-${number} .choice`)) {
        const isCannot = button.dataset.state === "cannot_judge";
        const pressed = !!judged && (isCannot ? judged.state === "cannot_judge" : judged.state === "rated" && judged.value === button.dataset.value);
        button.setAttribute("aria-pressed", String(pressed));
      }
    });
    at("end").hidden = finished < all;
    at("end").textContent = embedded ? "All items are done. Download the result file below." : "All items are done. You may close this page, or look through your answers.";
    at("before").disabled = index === 0;
    at("after").disabled = index === all - 1;
    at("undo").disabled = !done.length;
  }

  function mark(number, hasFocus = true) {
    const questions = document.querySelectorAll(".question");
    if (!questions.length) return;
    active = Math.max(0, Math.min(number, questions.length - 1));
    questions.forEach((question, at) => question.classList.toggle("active", at === active));
    if (!hasFocus) return;
    questions[active].focus({ preventScroll: true });
    questions[active].scrollIntoView({ block: "nearest" });
  }

  function go(number) {
    saveRemark();
    if (number < 0 || number >= data.units.length) return;
    index = number;
    draw();
    const unit = data.units[index], open = unit.asked.findIndex((name) => !said(unit, name));
    mark(Math.max(open, 0), false);
    scrollTo(0, 0);
    at("item").focus({ preventScroll: true });
  }

  function nextOpen() {
    saveRemark();
    const all = data.units.length;
    for (let step = 1; step <= all; step++) {
      const number = (index + step) % all;
      if (!isDone(data.units[number])) return go(number);
    }
    scrollTo(0, 0);
    at("end").scrollIntoView({ block: "nearest" });
  }

  // ---- keys ----

  function press(event) {
    if (!data || !data.units.length || at("help").open || event.altKey || event.metaKey) return;
    if (event.ctrlKey && event.key !== "z") return;
    const inText = event.target.tagName === "TEXTAREA";
    if (inText) {
      if (event.key === "Escape") { event.preventDefault(); event.target.blur(); mark(active); }
      return;
    }
    if (event.ctrlKey) { event.preventDefault(); undo(); return; }
    const onControl = event.target.closest("button, summary, label, input");
    const acts = {
      ArrowUp: () => mark(active - 1), ArrowDown: () => mark(active + 1), ArrowLeft: () => go(index - 1), ArrowRight: () => go(index + 1),
      n: nextOpen, u: undo, c: () => at("remark").focus(), "?": () => at("help").showModal(),
      Enter: onControl ? null : nextOpen,
    };
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : chosenBy(event.key);
    if (!act || event.repeat && !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    act();
  }

  function chosenBy(key) {
    const unit = data.units[index], question = asked(unit)[active], choices = choicesOf(unit, question);
    if (key === "x") return question.cannot_judge ? () => choose(active, "cannot_judge", null) : null;
    const place = keysOf(choices).indexOf(key);
    const other = place < 0 && /^[1-9]$/.test(key) && !choices.every((choice) => /^[0-9]$/.test(choice.value)) ? Number(key) - 1 : place;
    return other >= 0 && other < choices.length ? () => choose(active, "rated", choices[other].value) : null;
  }

  // ---- beginning ----

  async function fetched() {
    for (let pause = 500; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        const answer = await fetch("data.json");
        if (answer.ok) return await answer.json();
        if (answer.status === 404) { say("void", "Link not valid"); return null; }
      } catch { /* the server is away; it is asked again */ }
      say("waiting", "Server away, trying again");
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  async function begin() {
    data = embedded ? JSON.parse(embedded.textContent) : await fetched();
    if (!data) return;
    keep = saving.browserKeep(data.place);
    const view = { say, warn, offerFile, refused };
    saver = embedded ? saving.fileSaver(keep, view) : saving.serverSaver(keep, view);
    data.judgements.forEach(apply);
    keep.entries().forEach(apply);
    index = Math.max(firstOpen(), 0);
    draw();
    mark(data.units.length ? Math.max(data.units[index].asked.findIndex((name) => !said(data.units[index], name)), 0) : 0, false);
    saver.start();
    addEventListener("keydown", press);
    addEventListener("pagehide", saveRemark);
    addEventListener("beforeunload", (event) => { saveRemark(); if (!saver.isSafe()) event.preventDefault(); });
    at("show-help").addEventListener("click", () => at("help").showModal());
    at("hide-help").addEventListener("click", () => at("help").close());
    at("download").addEventListener("click", () => { saveRemark(); download(); });
    at("continue").addEventListener("change", (event) => { if (event.target.files.length) goOn(event.target.files[0]); event.target.value = ""; });
    document.addEventListener("focusin", (event) => {
      const question = event.target.closest(".question");
      if (question) mark(Number(question.id.split("-")[1]), false);
    });
  }

  begin();
})();
