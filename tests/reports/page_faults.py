"""What may be wrong with a page that a browser shows, as scripts that give a list of faults: empty where there is none.

The second script looks for what axe-core finds most often; the rules are those of WCAG 2.2 (contrast 1.4.3, names 4.1.2 and
2.4.6, headings, regions and tables 1.3.1, language and direction 3.1.2, targets 2.5.8).
"""

from __future__ import annotations

BOXES = r"""(() => {
  const seen = e => e.checkVisibility() && !e.closest('.unseen, .skip, .tip');
  const short = e => `${e.tagName.toLowerCase()} “${e.textContent.trim().slice(0, 40)}”`;
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wide: ${document.documentElement.scrollWidth}`);
  const blocks = 'h1, h2, h3, h4, h5, p, li, td, th, dd, dt, figcaption, summary, button, pre, nav a';
  for (const e of [...document.querySelectorAll(blocks)].filter(seen)) {
    const style = getComputedStyle(e);
    if (style.display !== 'inline' && e.clientWidth && e.scrollWidth > e.clientWidth + 1) faults.push(`cut: ${short(e)}`);
  }
  const range = document.createRange();
  for (const cell of [...document.querySelectorAll('td, th, .reply, dd, button')].filter(seen)) {
    const box = cell.getBoundingClientRect();
    const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), parts = [];
    for (let node = words.nextNode(); node; node = words.nextNode()) {
      if (!seen(node.parentElement)) continue;
      range.selectNodeContents(node);
      parts.push(...range.getClientRects());
    }
    for (const part of parts) {
      if (part.width < 1 || getComputedStyle(cell).display === 'inline') continue;
      if (part.left < box.left - 1.5 || part.right > box.right + 1.5 || part.bottom > box.bottom + 3 || part.top < box.top - 3) {
        faults.push(`outside its box: ${short(cell)}`);
        break;
      }
    }
  }
  for (const svg of [...document.querySelectorAll('figure svg')].filter(seen)) {
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim()).map(t => [t, t.getBoundingClientRect()]);
    for (const [t, b] of boxes)
      if (b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 2 || b.bottom > frame.bottom + 2)
        faults.push(`label outside ${svg.closest('figure').id}: ${t.textContent}`);
    boxes.forEach(([t, b], i) => boxes.slice(0, i).forEach(([u, c]) => {
      const across = Math.min(b.right, c.right) - Math.max(b.left, c.left);
      const down = Math.min(b.bottom, c.bottom) - Math.max(b.top, c.top);
      if (across > 2 && down > Math.min(b.height, c.height) / 2 && t.getAttribute('transform') === u.getAttribute('transform'))
        faults.push(`labels overlap in ${svg.closest('figure').id}: ${u.textContent} and ${t.textContent}`);
    }));
  }
  return faults;
})()"""

ACCESS = r"""(() => {
  const faults = [], all = (s, root = document) => [...root.querySelectorAll(s)];
  const seen = e => e.checkVisibility({visibilityProperty: true}) && !e.closest('[aria-hidden=true], .unseen, .skip, .tip, svg');
  const plain = text => text.replace(/\s+/g, ' ').trim();
  const short = e => `${e.tagName.toLowerCase()}${e.className ? '.' + e.className : ''} “${e.textContent.trim().slice(0, 40)}”`;
  const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = color => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = color;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const ground = e => {
    for (let part = e; part; part = part.parentElement) {
      const color = rgba(getComputedStyle(part).backgroundColor);
      if (color[3] > 250) return color;
    }
    return [255, 255, 255, 255];
  };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const pairs = new Map();
  for (const e of all('body *').filter(seen)) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    const style = getComputedStyle(e), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const [one, two] = [light(rgba(style.color)), light(ground(e))];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (ratio < (large ? 3 : 4.5)) pairs.set(`${e.tagName} ${e.className}`, `contrast ${ratio.toFixed(2)}: ${short(e)}`);
  }
  faults.push(...pairs.values());
  for (const e of all('button, a, input:not([type=hidden]), select, textarea, [role=img], [role=group], summary, iframe')) {
    const label = e.ariaLabel || e.getAttribute('aria-labelledby') || e.labels?.length || e.textContent.trim();
    if (!label) faults.push(`without a name: ${e.outerHTML.slice(0, 80)}`);
  }
  const levels = all('h1, h2, h3, h4, h5, h6').map(h => Number(h.tagName[1]));
  if (levels[0] !== 1 || levels.filter(l => l === 1).length !== 1) faults.push('not one h1, first');
  levels.forEach((level, at) => { if (at && level > levels[at - 1] + 1) faults.push(`heading ${level} after ${levels[at - 1]}`); });
  for (const table of all('table')) {
    if (!table.caption?.textContent.trim()) faults.push(`table without a caption: ${short(table)}`);
    if (all('th', table).some(th => !th.scope) || !all('th', table).length) faults.push(`heads without a scope: ${short(table)}`);
  }
  const regions = all('section[aria-labelledby], [role=region]').filter(seen)
    .map(e => plain(e.ariaLabel || document.getElementById(e.getAttribute('aria-labelledby'))?.textContent || ''));
  const alike = regions.filter((name, at) => regions.indexOf(name) < at);
  if (alike.length) faults.push(`regions of one name: ${alike.slice(0, 5)}`);
  for (const e of all('.scroll')) if (e.tabIndex < 0) faults.push(`scrolls without the keyboard: ${short(e)}`);
  if (!document.documentElement.lang || !document.title.trim()) faults.push('no language or title');
  const ids = all('[id]').map(e => e.id), twice = ids.filter((id, at) => ids.indexOf(id) < at);
  if (twice.length) faults.push(`ids twice: ${[...new Set(twice)].slice(0, 5)}`);
  for (const a of all('a[href^="#"]')) if (!document.getElementById(decodeURIComponent(a.hash.slice(1).split('?')[0]))) faults.push(`dead link ${a.hash}`);
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const RIGHT = /[\p{Script=Arabic}\p{Script=Hebrew}]{3}/u, OTHER = /[\p{Script=Han}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Thai}]{4}/u;
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const e = node.parentElement;
    if (!seen(e) || e.closest('pre, code, template, script, style')) continue;
    const text = node.textContent;
    if (RIGHT.test(text) && !/\p{Script=Latin}/u.test(text) && getComputedStyle(e).direction !== 'rtl') faults.push(`set from the left: ${short(e)}`);
    if (OTHER.test(text) && !/\p{Script=Latin}/u.test(text) && !e.closest('[dir=auto], bdi') && (e.closest('[lang]')?.lang ?? 'en') === 'en') faults.push(`no language: ${short(e)}`);
  }
  for (const e of all('button, input, summary').filter(seen)) {
    const box = e.getBoundingClientRect();
    if (box.height && box.height < 23.5) faults.push(`target ${box.width.toFixed()}×${box.height.toFixed()}: ${short(e)}`);
  }
  return faults;
})()"""

SIGNS = r"""(() => {
  const signs = new Set(), words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    if (node.parentElement.closest('template, script, style, pre, code, svg, bdi, [dir=auto], [lang]:not(html)')) continue;
    for (const sign of node.textContent.match(/[^\p{L}\p{M}\s]/gu) ?? []) signs.add(sign);
  }
  const line = document.createElement('p');
  line.id = 'signs-of-the-page';
  line.textContent = [...signs].join('');
  document.body.append(line);
  return line.textContent;
})()"""
"""Puts every sign of the page's own text (no letters, no texts of items and models) into one paragraph and gives them."""
