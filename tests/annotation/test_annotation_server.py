"""The page's addresses over real HTTP: links cannot be guessed, pages cannot be abused, nothing leaks."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from rating_browser import served

from hesperus.annotation import RatingStore, Sheet, create_store
from hesperus.errors import UsageError
from hesperus.serving import Address
from waiting import LIMIT

ANSWER = tuple[int, dict[str, str], bytes]


@dataclass(frozen=True)
class Site:
    """A running server with two raters and an adjudicator."""

    port: int
    store: Path
    tokens: dict[str, str]

    def ask(
        self,
        path: str,
        method: str = "GET",
        *,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> ANSWER:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        got = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return got

    def submit(self, rater: str, judgements: object, **headers: str) -> ANSWER:
        return self.ask(
            f"/r/{self.tokens[rater]}/judgements", "POST",
            body=json.dumps({"judgements": judgements}).encode(),
            headers={"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}},
        )  # fmt: skip


@pytest.fixture(scope="module")
def site(residue: Sheet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    path = tmp_path_factory.mktemp("site") / "s.sqlite"
    create_store(path, residue)
    with RatingStore(path) as store:
        people = [*store.add_raters(["ann", "bob"]), *store.add_raters(["carol"], "adjudicator")]
        tokens = {rater.name: store.issue_token(rater) for rater in people}
    with served(path) as port:
        yield Site(port, path, tokens)


def test_whatever_is_guessed_gets_the_same_nothing(site: Site) -> None:
    token = site.tokens["ann"]
    guesses = [
        "/", "/r/", "/r", f"/r/{token[:-1]}/", f"/r/{token}x/", f"/r/{token[:-1]}", f"/r/{token.swapcase()}/",
        f"/r/{'A' * len(token)}/data.json", f"/r/{token}/other", "/r/%00/", "/r/../r/", "/assets/", "/assets/server.py",
        "/assets/..%2fserver.py", "/assets/%2e%2e/store.py", "/docs", "/openapi.json", f"/r/{'x' * 5000}/", "/r/%F0%9F%8C%8D/",
    ]  # fmt: skip
    answers = [site.ask(path) for path in guesses]
    answers += [site.ask(f"/r/{token}/", method) for method in ("POST", "PUT", "DELETE", "OPTIONS")]
    wrong = site.ask(
        f"/r/{token[:-1]}/judgements", "POST", body=b"{}", headers={"Content-Type": "application/json"}
    )
    for status, headers, body in [*answers, wrong]:
        assert (status, body) == (404, b"Nothing here.\n")
        assert {k: v for k, v in headers.items() if k != "date"} == {
            k: v for k, v in wrong[1].items() if k != "date"
        }


def test_a_link_that_lost_its_last_stroke_still_leads_home(site: Site) -> None:
    status, headers, _ = site.ask(f"/r/{site.tokens['ann']}")
    assert status == 308 and headers["location"] == f"{site.tokens['ann']}/"


def test_every_answer_carries_the_headers_that_protect_it(site: Site) -> None:
    token = site.tokens["ann"]
    for path in (f"/r/{token}/", f"/r/{token}/data.json", "/assets/rate.js", "/assets/rate.css", "/nothing"):
        _, headers, body = site.ask(path)
        policy = headers["content-security-policy"]
        assert (
            "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        )
        assert headers["referrer-policy"] == "no-referrer" and headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff" and "set-cookie" not in headers
        assert "server" not in headers
        assert b"http://" not in body and b"https://" not in body, "no third party"
    page = site.ask(f"/r/{token}/")[2].decode()
    assert "<script>" not in page and "<style>" not in page and " on" + "click=" not in page


def test_raters_get_what_the_scheme_shows_and_their_own_judgements_alone(site: Site, residue: Sheet) -> None:
    code = residue.by_id["q1"]
    entry = {
        "key": "bob-secret-key",
        "unit": code,
        "question": "comment",
        "state": "rated",
        "value": "bob's secret",
    }
    rating = {"key": "bob-rates-q1-cue", "unit": code, "question": "cue", "state": "rated", "value": "5"}
    assert json.loads(site.submit("bob", [entry, rating])[2]) == {
        "saved": ["bob-secret-key", "bob-rates-q1-cue"], "refused": [],
    }  # fmt: skip
    seen = {name: site.ask(f"/r/{token}/data.json")[2].decode() for name, token in site.tokens.items()}
    assert "bob's secret" in seen["bob"] and "bob" not in seen["ann"]
    for name in ("ann", "bob"):
        data = json.loads(seen[name])
        assert len(data["units"]) == 4 and '"ratings"' not in json.dumps(data)
        assert {key for unit in data["units"] for key in unit} == {"code", "labels", "texts", "asked"}
        assert not any(hidden in seen[name] for hidden in ("stratum", '"high"', '"q1"', "0.5", '"tt"'))
        assert site.tokens[name] not in seen[name]
    assert json.loads(seen["carol"])["units"] == [], "nobody differs from bob yet"


def test_submissions_are_taken_from_the_page_alone(site: Site, residue: Sheet) -> None:
    entry = {
        "key": "forged-judgement",
        "unit": residue.by_id["q2"],
        "question": "cue",
        "state": "rated",
        "value": "1",
    }
    own = f"http://127.0.0.1:{site.port}"
    for headers, status in (
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": f"http://127.0.0.1:{site.port + 1}"}, 403),
        ({"Origin": own, "Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Host": "evil.example"}, 404),
    ):
        assert site.submit("ann", [entry], **headers)[0] == status, headers
    with RatingStore(site.store) as store:
        assert not any(one.judgement.key == "forged-judgement" for one in store.log())
    for headers in ({"Origin": own, "Sec_Fetch_Site": "same-origin"}, {"Host": f"localhost:{site.port}"}):
        assert site.submit("ann", [entry], **headers)[0] == 200


def test_bad_submissions_are_refused_one_by_one_with_reasons(site: Site, residue: Sheet) -> None:
    code = residue.by_id["q3"]
    good = {"key": "a-good-judgement", "unit": code, "question": "cue", "state": "rated", "value": "3"}
    off = {**good, "key": "out-of-scale-one", "value": "11"}
    status, _, body = site.submit("ann", [off, good, 7, good])
    answer = json.loads(body)
    assert status == 200 and answer["saved"] == ["a-good-judgement", "a-good-judgement"]
    assert [one["key"] for one in answer["refused"]] == [None, "out-of-scale-one"]
    assert "'11' is not on the scale" in answer["refused"][1]["reason"]
    with RatingStore(site.store) as store:
        assert [one.judgement.key for one in store.log()].count("a-good-judgement") == 1
    path, kind = f"/r/{site.tokens['ann']}/judgements", {"Content-Type": "application/json"}
    for sent, expected in (
        (b"{", 400),
        (b"[]", 400),
        (b'{"judgements": 3}', 400),
        (b"[" * 100_000, 400),
        (b" " * 3_000_000, 413),
    ):
        assert site.ask(path, "POST", body=sent, headers=kind)[0] == expected


def test_only_this_machine_is_served_unless_that_is_meant() -> None:
    with pytest.raises(UsageError, match="can be reached from other machines"):
        Address("0.0.0.0")
    assert not Address("0.0.0.0", expose=True).is_loopback
    assert Address("::1").url == "http://[::1]:8765" and Address("localhost").is_loopback
    proxied = Address(base_url="https://rate.example.org")
    assert "rate.example.org" in proxied.hosts and "https://rate.example.org" in proxied.origins
    for wrong in ("rate.example.org", "ftp://x", "https://", "https://user:word@x", "https://x?y=1"):
        with pytest.raises(UsageError, match="no base URL"):
            Address(base_url=wrong)


def test_a_taken_port_is_said(site: Site) -> None:
    from hesperus.annotation import serve

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}"):
            serve(site.store, Address(port=port))
