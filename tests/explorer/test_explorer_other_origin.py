"""A page of another origin, open in the browser that is in the explorer: it can neither read nor change anything."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from explorer.explorer_site import served
from explorer.runs import quiz_run
from hesperus.explorer.state import OpenRuns
from hesperus.records import read_run, write_run
from reports import headless_chromium
from reports.headless_chromium import Page, executable

pytestmark = pytest.mark.skipif(executable() is None, reason="no Chromium on the path")

TRIES = """(async () => {
  const to = %r, found = {};
  const tried = (name, what) => what.then(value => { found[name] = value }, error => { found[name] = 'refused' });
  for (const credentials of ['include', 'omit'])
    await tried('read ' + credentials, fetch(to + '/items.json', {credentials}).then(answer => answer.text()));
  await tried('read blind', fetch(to + '/', {mode: 'no-cors', credentials: 'include'}).then(a => a.text()).then(t => t || 'refused'));
  await tried('write', fetch(to + '/correct', {
    method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams({decision: 'label=A', note: 'x'}),
  }).then(answer => answer.text()).then(t => t || 'refused'));
  const loaded = (tag, at) => new Promise((done, refuse) => {
    const node = document.createElement(tag);
    node.onload = () => done('loaded'); node.onerror = refuse;
    node[tag === 'link' ? 'href' : 'src'] = at;
    if (tag === 'link') node.rel = 'stylesheet';
    document.body.append(node);
  });
  await tried('script', loaded('script', to + '/items.json'));
  await tried('image', loaded('img', to + '/'));
  const frame = document.createElement('iframe');
  frame.src = to + '/';
  document.body.append(frame);
  await new Promise(done => { frame.onload = done });
  try { found.frame = frame.contentDocument?.body ? 'read' : 'refused' } catch { found.frame = 'refused' }
  return found;
})()"""


@contextmanager
def other_site() -> Iterator[str]:
    """An empty page on an address of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>other</title><body>")

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f":{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same-site", "cross-site"])
def test_another_origin_reads_and_changes_nothing(host: str, tmp_path: Path) -> None:
    write_run(quiz_run(("en", "de"), items=4), tmp_path / "run")
    found: dict[str, str] = {}
    with (
        served(OpenRuns.of([("run", read_run(tmp_path / "run"))], [tmp_path / "run"])) as site,
        other_site() as port,
    ):

        async def look(page: Page) -> None:
            await page.open(site.entrance, width=1280)
            assert await page.evaluate("document.querySelector('h1').textContent") == "Run", (
                "the cookie is there"
            )
            await page.open(f"http://{host}{port}/", width=1280)
            found.update(await page.evaluate(TRIES % site.url))
            await page.open(f"{site.url}/items", width=1280)
            assert await page.evaluate("document.querySelector('h1')?.textContent") is not None

        headless_chromium.visit(look)
    assert set(found.values()) == {"refused"} and len(found) == 7, found
    assert not (tmp_path / "run" / "overrides.csv").exists()
