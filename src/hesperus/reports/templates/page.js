"use strict";
// Sorts, filters and saves what the page shows; without it the page is read as it stands.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, props, ...inner) => {
    const node = Object.assign(document.createElement(tag), props);
    node.append(...inner);
    return node;
  };
  const plain = text => text.replace(/\s+/g, " ").trim();
  const words = node => plain(node.textContent);
  const point = cell => cell.classList.contains("cell") ? answer(cell)
    : plain([...cell.childNodes].filter(n => !n.matches?.("small, .snippet, .toggles")).map(n => n.textContent).join(""));
  const answer = cell => cell.title && `${words(cell.querySelector("bdi"))} (${cell.title})`;  // of the item matrix
  const heads = table => [...table.tHead.rows[0].cells];
  const rows = table => [...table.tBodies[0].rows];
  const shownRows = table => rows(table).filter(row => !row.hidden);

  const button = (label, title, act) => {
    const made = make("button", {type: "button", title}, label);
    made.addEventListener("click", () => act(made));
    return made;
  };
  const say = (node, text) => {
    const before = node.dataset.label ??= node.textContent;
    node.textContent = text;
    clearTimeout(node.timer);
    node.timer = setTimeout(() => { node.textContent = before; }, 1500);
  };
  const copy = async (text, told) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // in a frame, or where the browser does not allow it
      const area = make("textarea", {value: text});
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      told.focus();
    }
    say(told, "copied");
  };
  const save = (content, kind, name) => {
    const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type: kind}));
    make("a", {href: url, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  };

  // CSV: numbers in full, ends of intervals in their own columns, no text that a spreadsheet would run
  const field = text => `"${text.replaceAll('"', '""')}"`;
  const FORMULA = /^'*[\t\r ]*[=+\-@]/, NUMBER = /^[-+]?(\d[\d.,\u00a0 ]*|[.,]\d+)(e[-+]?\d+)?\s?%?$/i;
  const guarded = text => field(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
  const csv = table => {
    const body = shownRows(table);
    const withEnds = heads(table).map((_, at) => body.some(row => "low" in row.cells[at].dataset));
    const line = cells => cells.flat().join(",");
    const named = heads(table).map((head, at) =>
      [guarded(point(head)), ...(withEnds[at] ? [guarded(`${words(head)}, low`), guarded(`${words(head)}, high`)] : [])]);
    const values = row => [...row.cells].map((cell, at) => {
      const {value, low = "", high = ""} = cell.dataset;
      const own = value ?? (point(cell) === "–" ? "" : guarded(point(cell)));
      return withEnds[at] ? [own, low, high] : [own];
    });
    return [line(named), ...body.map(row => line(values(row)))].join("\r\n") + "\r\n";
  };

  // LaTeX: no text of a cell is a command
  const codes = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}",
    ">": "\\textgreater{}", "|": "\\textbar{}", '"': "\\char34{}", "−": "$-$", "–": "--", "κ": "$\\kappa$", "ρ": "$\\rho$",
    "α": "$\\alpha$", "≤": "$\\le$", "\u00a0": "~"};
  const tex = text => text.replace(/[\\~^<>|"−–κρα≤\u00a0{}$&#_%]/g, sign => codes[sign] ?? `\\${sign}`);
  const latex = table => {
    const ends = cell => cell.querySelector("small") ? ` {\\scriptsize ${tex(words(cell.querySelector("small")))}}` : "";
    const value = cell => ("value" in cell.dataset ? tex(point(cell)).replace(/^-/, "$-$") : tex(point(cell))) + ends(cell);
    const line = (cells, of) => `{}${cells.map(of).join(" & ")} \\\\`;
    const sides = heads(table).map(head => head.classList.contains("n") ? "r" : "l").join("");
    return ["% \\usepackage{booktabs}", "\\begin{table}", "\\centering", `\\caption{${tex(words(table.caption))}}`,
      `\\begin{tabular}{@{}${sides}@{}}`, "\\toprule", line(heads(table), cell => tex(point(cell))), "\\midrule",
      ...shownRows(table).map(row => line([...row.cells], value)), "\\bottomrule", "\\end{tabular}", "\\end{table}", ""].join("\n");
  };

  const sort = (table, at) => {
    const head = heads(table)[at];
    const next = {ascending: "descending", descending: ""}[head.getAttribute("aria-sort")] ?? "ascending";
    heads(table).forEach(other => other.removeAttribute("aria-sort"));
    if (next) head.setAttribute("aria-sort", next);
    const sign = next === "descending" ? -1 : 1;
    const key = row => {
      const cell = row.cells[at];
      return "value" in cell.dataset ? Number(cell.dataset.value) : point(cell);
    };
    const missing = one => one === "" || (typeof one === "string" && one.startsWith("–"));
    const order = (a, b) => {
      const [one, two] = [key(a), key(b)];
      if (!next) return a.dataset.place - b.dataset.place;
      if (missing(one) || missing(two)) return missing(one) - missing(two) || a.dataset.place - b.dataset.place;
      const apart = typeof one === "number" && typeof two === "number" ? one - two
        : String(one).localeCompare(String(two), undefined, {numeric: true});
      return sign * apart || a.dataset.place - b.dataset.place;
    };
    table.tBodies[0].append(...rows(table).sort(order));
    table.refreshed?.();
  };
  const filter = (table, wanted, status, meets = () => true) => {
    const parts = wanted.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows(table)) {
      const text = row.textContent.toLocaleLowerCase();
      row.hidden = !meets(row) || !parts.every(part => text.includes(part));
    }
    const some = rows(table).some(row => row.hidden);
    status.textContent = some ? `${shownRows(table).length} of ${rows(table).length} rows` : "";
    table.refreshed?.();
  };
  const equip = (table, name) => {
    rows(table).forEach((row, place) => { row.dataset.place = place; });
    heads(table).forEach((head, at) => {
      const made = button("", "Sort by this column", () => sort(table, at));
      made.className = "sort";
      made.append(...head.childNodes);
      head.append(made);
    });
    const tools = make("div", {className: "tools"});
    const status = make("span", {role: "status"});
    const input = make("input", {type: "search", placeholder: "Filter rows", ariaLabel: "Filter rows"});
    const show = () => filter(table, input.value, status, table.meets);
    input.addEventListener("input", show);
    if (rows(table).length > 7) tools.append(input, status);
    tools.append(
      button("Copy CSV", "The rows that are shown, numbers in full", told => copy(csv(table), told)),
      button("Copy LaTeX", "The rows that are shown, for booktabs", told => copy(latex(table), told)),
      button("Save CSV", "The rows that are shown, numbers in full", () => save(csv(table), "text/csv", `${name}.csv`)),
      button("Save LaTeX", "The rows that are shown, for booktabs", () => save(latex(table), "text/x-tex", `${name}.tex`)));
    table.closest(".scroll, .matrix").before(tools);
    return show;
  };

  // Items: a number leads to the questions behind it, by a filter in the address, "#items?model=a/b&wrong=sw"
  const MARKS = {right: "right", wrong: "wrong", lost: "lost: wrong though the reference is right", changed: "changed",
    unanswered: "no answer"};
  const FIRST = 20;  // rows that a phone shows at first
  const SIGNS = {right: "mark right", wrong: "mark wrong", lost: "mark wrong lost", unanswered: "mark unanswered"};
  const asked = () => location.hash.startsWith("#items?") ? [...new URLSearchParams(location.hash.slice(7))] : [];
  const query = pairs => String(new URLSearchParams(pairs)).replaceAll("%2F", "/").replaceAll("+", "%20");
  const go = pairs => { location.hash = pairs.length ? `items?${query(pairs)}` : "items"; };
  const itemsOf = (box, table, show) => {
    const totals = JSON.parse(box.dataset.totals);
    const place = new Map(heads(table).map((head, at) => [head.dataset.key, at]));
    const sense = key => heads(table)[place.get(key)]?.dataset ?? {};
    const called = key => sense(key).name ?? key;
    const told_of = ([name, value]) => name === "lost" && sense(value).reference
      ? `right in ${called(sense(value).reference)}, wrong in ${called(value)}`
      : name in MARKS ? `${name === "unanswered" ? "no answer" : name} in ${called(value)}`
      : name === "differs" ? `${value.split(" vs ").map(called).join(" and ")} differ` : name === "text" ? `mentions ${value}` : value;
    const cell = (row, key) => place.has(key) ? row.cells[place.get(key)] : null;
    const has = (row, name, value) => {
      if (name in MARKS) return cell(row, value)?.classList.contains(name) ?? false;
      if (name === "anywhere") return [...row.cells].some(one => one.classList.contains(value));
      if (name === "text") return row.textContent.toLocaleLowerCase().includes(value.toLocaleLowerCase());
      const [a, b] = name === "differs" ? value.split(" vs ").map(key => cell(row, key)?.querySelector("bdi")) : [];
      return Boolean(a && b && words(a) !== words(b));
    };
    table.meets = row => {
      const models = asked().filter(([name]) => name === "model").map(([, value]) => value);
      return (!models.length || models.includes(row.dataset.model))
        && asked().every(([name, value]) => name === "model" || has(row, name, value));
    };
    const status = make("p", {className: "filtered", role: "status", hidden: true});
    box.prepend(status);
    const counted = pairs => {  // known for one mark in one sense, of any models
      const marks = pairs.filter(([name]) => name !== "model");
      if (marks.length !== 1 || !(marks[0][0] in MARKS)) return null;
      const models = pairs.filter(([name]) => name === "model").map(([, value]) => value);
      return (models.length ? models : Object.keys(totals))
        .reduce((sum, model) => sum + (totals[model]?.[marks[0][1]]?.[marks[0][0]] ?? 0), 0);
    };
    // On a phone a row is a card, and two hundred of them are a long way to what comes after: the style hides the later ones there
    let first = FIRST;
    const more = button("", "Show more rows", () => { first += 5 * FIRST; table.refreshed(); });
    more.className = "more";
    table.parentNode.after(more);
    table.refreshed = () => {
      const shown = shownRows(table), rest = shown.length - first;
      shown.forEach((row, at) => row.classList.toggle("later", at >= first));
      more.hidden = rest <= 0;
      more.textContent = `Show ${Math.min(rest, 5 * FIRST)} more of ${shown.length} rows`;
    };
    const refresh = () => {
      const pairs = asked();
      show();
      all(".toggles button", table).forEach(one => one.setAttribute("aria-pressed",
        String(pairs.some(([name, value]) => name === one.dataset.mark && value === one.closest("th").dataset.key))));
      status.hidden = !pairs.length;
      if (!pairs.length) return;
      const many = shownRows(table).length, known = counted(pairs);
      const command = `hesperus view RUN --items '${query(pairs).replaceAll("'", "%27")}'`;
      status.replaceChildren(
        ...pairs.flatMap((pair, at) => [button(`${told_of(pair)} ×`, "Take this condition off",
          () => go(pairs.filter((_, other) => other !== at))), " "]),
        `${many} ${known === null ? "" : `of ${known} `}in this file. ${known === many ? "" : "All of them: "}`,
        ...(known === many ? [] : [make("code", {}, command), " ", button("Copy", "Copy the command", told => copy(command, told))]));
    };
    for (const head of heads(table).filter(one => one.dataset.key)) {
      const toggles = make("span", {className: "toggles"});
      for (const mark of Object.keys(MARKS)) {
        if (!table.querySelector(`td.cell.${mark}`)) continue;
        const made = button("", `Only: ${MARKS[mark]}, in ${called(head.dataset.key)}`, () => {
          const same = ([name, value]) => name === mark && value === head.dataset.key;
          go(asked().some(same) ? asked().filter(pair => !same(pair)) : [...asked(), [mark, head.dataset.key]]);
        });
        made.dataset.mark = mark;
        made.ariaLabel = made.title;
        made.append(mark === "changed" ? make("span", {className: "ne"}, "≠") : make("i", {className: SIGNS[mark]}));
        toggles.append(made);
      }
      head.append(toggles);
    }
    for (const one of all("table.grid td[data-value]")) {  // most numbers of a row lead where the row says
      const leads = one.dataset.leads ?? one.parentNode.dataset.leads;
      if (!leads) continue;
      const link = make("a", {href: `#items?${leads}`, title: "The items behind this number"});
      link.append(one.firstChild);
      one.prepend(link);
    }
    for (const one of all("svg [data-leads]")) {
      const leads = (one.closest("[data-under]")?.dataset.under ?? "") + one.dataset.leads;
      one.addEventListener("click", () => { location.hash = `items?${leads}`; });
    }
    const follow = () => {
      if (location.hash.startsWith("#question?")) return;
      refresh();
      if (asked().length) document.getElementById("items").scrollIntoView();
    };
    addEventListener("hashchange", follow);
    follow();
  };

  // What is packed: rows of long tables, and the questions of the item matrix in all languages
  const unpack = packed => new Response(new Blob([Uint8Array.from(atob(packed), sign => sign.charCodeAt(0))]).stream()
    .pipeThrough(new DecompressionStream("deflate"))).text();
  const questionsOf = (box, table) => {
    const named = ({task, item}) => `${task}\n${item}`;
    const held = new Map(all("script.question", box).map(one => [named(one.dataset), one]));
    const title = make("h2", {id: "question-title"}), body = make("div", {className: "asked-in-all"});
    const turn = step => () => {
      const shown = shownRows(table), row = shown[shown.indexOf(current()) + step];
      if (row) location.replace(address(row));
    };
    const dialog = make("dialog", {id: "question"}, make("div", {className: "tools"},
      button("← previous", "The question before (k)", turn(-1)), button("next →", "The next question (j)", turn(1)),
      button("Copy link", "Copy the link to this question", told => copy(location.href, told)),
      button("Close", "Back to the items (Esc)", () => dialog.close())), title, body);
    dialog.setAttribute("aria-labelledby", title.id);
    const address = ({dataset: {task, item, model}}, code = "") => `#question?${query([["item", item], ["model", model], ["task", task],
      ...(code ? [["sense", code]] : [])])}`;
    const asked = () => location.hash.startsWith("#question?") ? Object.fromEntries(new URLSearchParams(location.hash.slice(10))) : null;
    const current = () => {
      const {task, item, model} = asked() ?? {};
      return rows(table).find(({dataset: row}) => row.item === item && row.model === model && (!task || row.task === task));
    };
    let latest = 0;  // the question asked for last: one that unpacks slowly does not take the place of a later one
    const fill = async (row, code) => {
      const mine = ++latest;
      title.textContent = row.dataset.item;
      body.removeAttribute("aria-busy");
      const one = held.get(named(row.dataset));
      if (!one) {
        body.replaceChildren(make("p", {}, "This file holds the texts and replies of the items further up. Those of this one are in the explorer: ",
          make("code", {}, `hesperus view RUN --items 'text=${row.dataset.item.replaceAll("'", "%27")}'`)));
        return;
      }
      body.setAttribute("aria-busy", "true");
      const found = JSON.parse(await unpack(one.textContent)), at = found.models.indexOf(row.dataset.model);
      if (mine !== latest) return;
      body.removeAttribute("aria-busy");
      body.innerHTML = `${found.facts[at]}${found.answers}<div class="senses">${found.senses.map(of => of[at]).join("")}</div>`;
      for (const other of all(".matrix tbody tr[data-model]", body)) {
        other.classList.toggle("current", other.dataset.model === row.dataset.model);
        if (!found.models.includes(other.dataset.model)) continue;
        const name = other.querySelector(".item"), turned = make("a", {href: address(other)});
        turned.append(...name.childNodes);
        name.append(turned);
      }
      const card = code && document.getElementById(`sense-${code}`);
      if (card) card.scrollIntoView(); else dialog.scrollTop = 0;
    };
    const follow = () => {
      const row = current();
      if (!row) return dialog.open && dialog.close();
      if (!dialog.open) dialog.showModal();
      fill(row, asked().sense);
    };
    let clicked = false;
    dialog.addEventListener("close", () => {
      if (asked()) clicked ? history.back() : location.replace("#items");
      clicked = false;
    });
    dialog.addEventListener("keydown", event => { ({j: turn(1), k: turn(-1)})[event.key]?.(); });
    dialog.addEventListener("click", event => {  // beside the dialog, and models of the answers
      const link = event.target.closest("a[href^='#question?']");
      if (link) { event.preventDefault(); location.replace(link.hash); }
      if (event.target === dialog) dialog.close();
    });
    for (const row of rows(table)) {
      const name = row.querySelector(".item"), link = make("a", {href: address(row), title: "The question in all languages"});
      link.append(name.firstChild);
      name.prepend(link);
    }
    table.addEventListener("click", event => {
      const row = event.target.closest("tbody tr"), cell = event.target.closest("td.cell");
      if (event.target.closest(".item a")) clicked = true;
      if (!row || !cell?.dataset.code) return;
      clicked = true;
      location.hash = address(row, cell.dataset.code);
    });
    box.append(dialog);
    addEventListener("hashchange", follow);
    follow();
  };

  // Figures: the fonts of the page travel with them
  const INK = "#23272e";
  const drawing = figure => {
    const svg = figure.querySelector("svg").cloneNode(true);
    const faces = document.querySelector("style").textContent.match(/@font-face\{[^}]*\}/g) ?? [];
    const style = document.createElementNS(svg.namespaceURI, "style");
    style.textContent = faces.join("");
    svg.prepend(style);
    svg.setAttribute("color", INK);
    return new XMLSerializer().serializeToString(svg);
  };
  const picture = async figure => {
    const {width, height} = figure.querySelector("svg").viewBox.baseVal;
    const image = new Image(width, height);
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing(figure))}`;
    await image.decode();
    const canvas = make("canvas", {width: 3 * width, height: 3 * height});
    const paint = canvas.getContext("2d");
    paint.fillStyle = "white";
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise(done => canvas.toBlob(done, "image/png"));
  };
  const offer = figure => figure.append(make("div", {className: "tools"},
    button("Save SVG", "Save the figure as SVG", () => save(drawing(figure), "image/svg+xml", `${figure.id}.svg`)),
    button("Save PNG", "Save the figure as PNG", async () => save(await picture(figure), "", `${figure.id}.png`))));

  // Whose a number is, in full, with its interval and its n
  const COUNT = /^(n|items|pairs|questions|units|sentences|claims|answers|replies)\b(?!.*%)/i;
  const round = text => String(Number(Number(text).toPrecision(6)));
  const told = cell => {
    const table = cell.closest("table"), cells = [...cell.parentNode.cells], names = heads(table).map(words);
    const whose = cells.filter((_, at) => !heads(table)[at].classList.contains("n")).map(point).slice(0, 4).join(", ");
    const {value, low, high} = cell.dataset;
    const at = names.findIndex((name, place) => COUNT.test(name) && "value" in cells[place].dataset);
    const lines = [whose, `${names[cells.indexOf(cell)]}: ${round(value)}`];
    if (low && high) lines.push(`interval ${round(low)} to ${round(high)}`);
    const same = words(table.caption).match(/(?:: |; )((?:Items|Pairs|Questions|n)): ([\d,]+)/);
    if (at < 0 && same) lines.push(`n = ${same[2]} (${same[1]})`);
    if (at >= 0 && cells[at] !== cell) lines.push(`n = ${point(cells[at])} (${names[at]})`);
    return lines.join("\n");
  };
  const tip = make("div", {className: "tip", role: "tooltip", hidden: true});
  const hover = event => {
    const cell = event.target.closest?.("table.grid td[data-value]");
    tip.hidden = !cell;
    if (!cell) return;
    tip.textContent = told(cell);
    const box = cell.getBoundingClientRect(), own = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(box.left, innerWidth - own.width - 4))}px`;
    tip.style.top = `${box.bottom + own.height + 8 < innerHeight ? box.bottom + 4 : Math.max(4, box.top - own.height - 4)}px`;
  };

  // Links to headings; contents that follow
  const link = heading => {
    const made = button("#", "Copy the link", () => {
      location.hash = heading.id;
      copy(location.href, made);
    });
    made.className = "anchor";
    made.ariaLabel = `Copy the link to “${words(heading)}”`;
    heading.append(made);
  };
  const links = all("nav a").map(a => [a, document.getElementById(decodeURIComponent(a.hash.slice(1)))]);
  const follow = () => {
    const above = links.filter(([, heading]) => heading?.getBoundingClientRect().top < innerHeight / 3);
    const current = above.at(-1)?.[0];
    for (const [a] of links) {
      if (a === current) a.setAttribute("aria-current", "location"); else a.removeAttribute("aria-current");
    }
  };
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = target?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    if (target?.closest("details")) target.scrollIntoView();
  };

  const unpackRows = async packed => {
    const box = packed.closest(".scroll");
    box.querySelector("tbody").insertAdjacentHTML("beforeend", await unpack(packed.textContent));
    box.nextElementSibling.remove();  // what says that rows are missing
  };
  const start = () => {
    let section = "table", count = 0;
    for (const node of all("h2[id], h3[id], table.grid, .items, figure")) {
      if (node.matches("figure")) offer(node);
      else if (node.matches(".items")) {
        const table = node.querySelector("table");
        itemsOf(node, table, equip(table, "items"));
        questionsOf(node, table);
      } else if (node.matches("table")) equip(node, `${section}-${++count}`);
      else {
        [section, count] = [node.id, 0];
        link(node);
      }
    }
  };
  const long = all("script.rows");
  const ready = () => { start(); document.body.removeAttribute("aria-busy"); };
  if (long.length) {
    document.body.setAttribute("aria-busy", "true");
    Promise.all(long.map(unpackRows)).then(ready, ready);
  } else start();
  // What a paper prints
  const cited = document.getElementById("notes");
  if (cited) {
    const said = [];
    for (let node = cited.nextElementSibling; node && !node.matches("h2"); node = node.nextElementSibling) said.push(words(node));
    cited.after(make("div", {className: "tools"}, button("Copy citation", "Copy these notes and the version", told => copy(said.join("\n"), told))));
  }
  for (const line of all("footer code")) line.after(" ", button("Copy", "Copy the signature", told => copy(words(line), told)));
  const fitting = new ResizeObserver(seen => seen.forEach(({target}) => {
    const box = target.closest(".scroll");
    box.classList.toggle("fits", box.firstElementChild.offsetWidth <= box.clientWidth + 1);
  }));
  all(".scroll > table").forEach(table => [table, table.parentNode].forEach(part => fitting.observe(part)));
  document.body.append(tip);
  document.addEventListener("pointerover", hover);
  document.addEventListener("pointerdown", hover);
  addEventListener("scroll", () => { tip.hidden = true; requestAnimationFrame(follow); }, {passive: true});
  addEventListener("hashchange", unfold);
  unfold();
  onload = onresize = follow;
})();
