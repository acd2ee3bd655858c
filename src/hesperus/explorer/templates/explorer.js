"use strict";
(() => {
  const form = document.querySelector("form.filter");
  if (form) {
    // An empty field says nothing: addresses that are shared stay short.
    const mark = document.getElementById("mark"), sense = document.getElementById("in-sense");
    form.addEventListener("submit", () => {
      sense.disabled = !mark.value;
      for (const field of form.elements) if (field.name && !field.value && field.type !== "hidden") field.disabled = true;
    });
    form.addEventListener("change", (event) => {
      const field = event.target;
      if (field.tagName === "SELECT" && field !== mark && (field !== sense || mark.value)) form.requestSubmit();
    });
    addEventListener("pageshow", () => { for (const field of form.elements) field.disabled = false; });
  }
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const link = { j: "a[rel=next]", k: "a[rel=prev]" }[event.key];
    const found = link && document.querySelector(link);
    if (found) found.click();
    const search = event.key === "/" && document.getElementById("search");
    if (search) { event.preventDefault(); search.focus(); }
  });
})();
