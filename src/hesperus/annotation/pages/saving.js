"use strict";
/* Where judgements go: to the server, through a queue that outlives the page, or into the browser until they are
   downloaded. The view is told what to say; it is given by rate.js. */
const saving = (() => {
  const BATCH = 200, LARGEST = 500000, PATIENCE = 15000, LONGEST_PAUSE = 5000;

  const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

  function browserKeep(place) {
    const prefix = `hesperus:${place}:`, memory = new Map();
    let durable = true, last = 0;
    try { localStorage.setItem(prefix + "probe", "1"); localStorage.removeItem(prefix + "probe"); } catch { durable = false; }
    const numberOf = (name) => Number(name.slice(prefix.length).split("-")[0]);
    const parsed = (text) => { try { return JSON.parse(text); } catch { return null; } };
    return {
      get durable() { return durable; },
      add(entry) {
        // Names sort as they were made, even where the clock is set back; each entry has its own, so that two tabs
        // never write over each other.
        last = Math.max(Date.now(), last + 1, ...this.named().slice(-1).map(([name]) => numberOf(name) + 1));
        const name = `${prefix}${String(last).padStart(15, "0")}-${entry.key}`;
        memory.set(name, entry);
        try { if (durable) localStorage.setItem(name, JSON.stringify(entry)); } catch { durable = false; }
      },
      remove(keys) {
        for (const [name, entry] of this.named()) if (keys.has(entry.key)) {
          memory.delete(name);
          try { localStorage.removeItem(name); } catch { durable = false; }
        }
      },
      named() {
        const found = new Map(memory);
        try {
          for (let i = 0; i < localStorage.length; i++) {
            const name = localStorage.key(i);
            if (name.startsWith(prefix) && !found.has(name)) found.set(name, parsed(localStorage.getItem(name)));
          }
        } catch { durable = false; }
        return [...found].filter(([, entry]) => entry && entry.key).sort(([a], [b]) => (a < b ? -1 : 1));
      },
      entries() { return this.named().map(([, entry]) => entry); },
    };
  }

  function newKey() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  /* As many of the first entries as the server takes at once: so many, and so many characters, but one in any case. */
  function batch(entries) {
    let size = 0;
    const cut = entries.findIndex((entry, at) => at >= BATCH || ((size += JSON.stringify(entry).length) > LARGEST && at > 0));
    return cut < 0 ? entries : entries.slice(0, cut);
  }

  function serverSaver(keep, view) {
    let sending = false, pause = 0, timer = 0, isVoid = false, trouble = "";
    async function send() {
      clearTimeout(timer);
      const waiting = batch(keep.entries());
      if (sending || isVoid || !waiting.length) return show();
      sending = true;
      show();
      const patience = new AbortController(), clock = setTimeout(() => patience.abort(), PATIENCE);
      try {
        const answer = await fetch("judgements", {
          method: "POST", headers: { "Content-Type": "application/json" }, signal: patience.signal,
          body: JSON.stringify({ judgements: waiting }),
        });
        if (answer.status === 404) {
          isVoid = true;
        } else if (!answer.ok) {
          throw new Error(`${answer.status}`);
        } else {
          settle(await answer.json(), waiting);
          pause = 0;
        }
      } catch (error) {
        trouble = /^\d+$/.test(error.message) ? `Server refuses (${error.message})` : "Server away";
        pause = Math.min(LONGEST_PAUSE, pause ? pause * 2 : 500);
      } finally {
        clearTimeout(clock);
        sending = false;
      }
      show();
      if (!isVoid && keep.entries().length) timer = setTimeout(send, pause);
    }
    function settle(answer, waiting) {
      const refused = new Map(answer.refused.map((one) => [one.key, one.reason]));
      keep.remove(new Set([...answer.saved, ...refused.keys()]));
      for (const entry of waiting) if (refused.has(entry.key)) view.refused(entry, refused.get(entry.key));
    }
    function show() {
      const number = keep.entries().length;
      if (isVoid) {
        view.say("void", "Link not valid");
        view.warn(`This link is no longer valid. ${plural(number, "answer")} could not be saved: download the result file and send it to whoever gave you the link.`);
        view.offerFile(`${plural(number, "answer")} not saved by the server.`);
      } else if (!number) view.say("saved", "All saved");
      else if (pause) view.say("waiting", `${trouble}: ${number} not saved yet, trying again`);
      else view.say("saving", `Saving ${number} …`);
    }
    addEventListener("online", () => { pause = 0; send(); });
    addEventListener("visibilitychange", () => { if (!document.hidden) send(); });
    return { add(entry) { keep.add(entry); send(); }, start: send, isSafe: () => keep.durable || !keep.entries().length };
  }

  function fileSaver(keep, view) {
    let downloaded = true;
    function show() {
      const number = keep.entries().length;
      if (!number) view.say("kept", "Nothing to send yet");
      else if (downloaded) view.say("kept", "Downloaded: send the result file");
      else if (keep.durable) view.say("kept", `${plural(number, "change")} kept in this browser, not yet downloaded`);
      else view.say("window", `${plural(number, "change")} only in this window: download before you close it`);
    }
    return {
      add(entry) { keep.add(entry); downloaded = false; show(); },
      start() {
        downloaded = !keep.entries().length;
        view.offerFile("When you are done, download the result file and send it to whoever sent you this page.");
        show();
      },
      downloaded() { downloaded = true; show(); },
      isSafe: () => keep.durable || downloaded,
    };
  }

  return { browserKeep, newKey, serverSaver, fileSaver };
})();
