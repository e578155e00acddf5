"""The story of the product in the terminal: every step a real call, printed as curl."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib import error, request

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

QUESTION = "how do we release the payment api?"


class Failed(Exception):
    """A step of the story that does not hold."""


class Command(BaseCommand):
    help = "Walk through the product against the running demo; exit status 1 when a step fails."

    def handle(self, *args: Any, **options: Any) -> None:
        file = Path(settings.DATA_DIR or ".") / "demo.json"
        if not file.exists():
            raise CommandError("No demo.json: run `manage.py up --demo` first (or name --data-dir).")
        self.demo = json.loads(file.read_text("utf-8"))
        begun = time.monotonic()
        steps: list[tuple[str, Callable[[], str]]] = [
            ("Three principals ask the same question", self.three_answers),
            ("Why does builder-1 see the build notes and scout-1 not?", self.explain),
            ("Unbind, ask again, bind, ask again", self.unbind),
            ("scout-1 remembers, and finds it by words and by meaning", self.remember),
            ("For everybody else that memory does not exist", self.missing),
            ("A live key is refused and nothing is stored", self.secret),
            ("A team admin meets nothing of a private memory", self.private),
            ("A conversation is imported; doing it again changes nothing", self.imports),
            ("An English question finds the Chinese rule; a time in a question counts", self.meaning),
            ("An admin equips a role, sees it beforehand, and takes it back", self.equip),
            ("What would have to change, and would it?", self.flip),
            ("The same over MCP", self.mcp),
        ]
        for number, (title, step) in enumerate(steps, start=1):
            self.stdout.write(f"\n{number}. {title}")
            try:
                self.stdout.write(f"   => {step()}")
            except (Failed, KeyError, IndexError, error.URLError) as problem:
                raise CommandError(f"step {number} does not hold: {problem!r}") from problem
        self.stdout.write(f"\nAll {len(steps)} steps hold, in {time.monotonic() - begun:.1f} s.")

    def three_answers(self) -> str:
        scout, builder = self.ask("scout-1"), self.ask("builder-1")
        charlie = self.call("POST", "/retrieve", self.user("charlie"), self.question())[1]
        require("Build notes" in titles(builder), "builder-1 should see the build notes")
        require("Build notes" not in titles(scout), "scout-1 should not see the build notes")
        require(charlie["items"] == [], "Charlie is of another team and should see nothing")
        return f"scout-1 {titles(scout)}, builder-1 {titles(builder)}, Charlie nothing"

    def explain(self) -> str:
        lines = []
        for agent in ("builder-1", "scout-1"):
            asset = self.demo["assets"]["agent-build-notes"]
            who = self.demo["agents"][agent]["id"]
            _, found = self.call(
                "GET", f"/access/explain?asset={asset}&action=read&principal={who}", self.user("alice")
            )
            last = [rule for rule in found["rules"] if rule["result"] != "not_reached"][-1]
            lines.append(
                f"{agent}: {'yes' if found['allowed'] else 'no'}, {found['rule']}: {last['because']}"
            )
        require(lines[0].startswith("builder-1: yes"), lines[0])
        require(lines[1].startswith("scout-1: no, binding"), lines[1])
        return "; ".join(lines)

    def unbind(self) -> str:
        asset, role = self.demo["assets"]["agent-build-notes"], self.demo["roles"]["Builder"]
        alice = self.user("alice")
        rows = self.call("GET", "/bindings", alice)[1]["items"]
        row = next(one for one in rows if one["asset"] == asset and one["role"] == role)
        self.call("DELETE", f"/bindings/{row['id']}", alice, expected=204)
        gone = self.ask("builder-1")
        body = {"asset": asset, "role": role, "reason": "builders need it"}
        self.call("POST", "/bindings", alice, body, expected=201)
        back = self.ask("builder-1")
        require("Build notes" not in titles(gone), "gone on the next request")
        require("Build notes" in titles(back), "back after binding")
        return "gone on the next request, back after binding"

    def remember(self) -> str:
        scout = self.demo["agents"]["scout-1"]["token"]
        word = f"kingfisher{int(time.time())}"
        body = {"text": f"The staging host {word} is switched off every night at ten.", "kind": "fact"}
        self.node = self.call("POST", "/remember", scout, body, expected=201)[1]["node"]
        found = self.call("POST", "/retrieve", scout, {"query": word})[1]
        require(self.node in [item["node"] for item in found["items"]], "found by words at once")
        meaning = {"query": "when does the test machine go to sleep?", "recipe": "meaning"}
        begun = time.monotonic()
        while time.monotonic() - begun < 5:
            answer = self.call("POST", "/retrieve", scout, meaning, quiet=True)[1]
            if answer["notes"]:
                return f"by words at once; {answer['notes'][0]}"
            arms = {
                why["arm"] for item in answer["items"] if item["node"] == self.node for why in item["why"]
            }
            if "vectors" in arms:
                return f"by words at once, by meaning after {time.monotonic() - begun:.1f} s"
            time.sleep(0.2)
        raise Failed("no vector after 5 s")

    def missing(self) -> str:
        unknown = "nod_" + "0" * 32
        for token in (self.demo["agents"]["builder-1"]["token"], self.user("bob"), self.user("charlie")):
            hidden = self.call("GET", f"/nodes/{self.node}", token, expected=404)[1]
            absent = self.call("GET", f"/nodes/{unknown}", token, expected=404, quiet=True)[1]
            hidden.pop("request_id"), absent.pop("request_id")
            require(hidden == absent, "hidden and missing answers are equal")
        return "builder-1, Bob and Charlie get the same answer as for an id that never was"

    def secret(self) -> str:
        scout = self.demo["agents"]["scout-1"]["token"]
        key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA" * 8 + "\n-----END RSA PRIVATE KEY-----"
        problem = self.call(
            "POST", "/remember", scout, {"text": f"the key is {key}"}, expected=422, quiet=True
        )[1]
        return f"422 {problem['code']}: {problem['detail']}"

    def private(self) -> str:
        diary = self.demo["assets"]["private-alice-diary"]
        token = self.user("admin")
        listed = self.call("GET", "/assets", token)[1]["items"]
        require(diary not in [one["id"] for one in listed], "not in the admin's list")
        self.call("GET", f"/assets/{diary}", token, expected=404)
        self.call("GET", f"/access/explain?asset={diary}", token, expected=404, quiet=True)
        answer = self.call("POST", "/retrieve", token, {"query": "platform team"}, quiet=True)[1]
        require("private-alice-diary" not in json.dumps(answer), "nowhere in an answer")
        self.call("GET", f"/assets/{diary}", self.user("alice"))
        return "absent from list, page, explanation and search; Alice reads it"

    def imports(self) -> str:
        alice = self.user("alice")
        messages = [
            {"id": f"m{number}", "speaker": speaker, "content": text}
            for number, (speaker, text) in enumerate([
                ("Alice", "Did the refund batch finish?"),
                ("Bob", "Yes, 4,812 refunds in eleven minutes."),
                ("Alice", "好的，下次把批次调到五千行。"),
            ])
        ]  # fmt: skip
        body = {"messages": messages, "name": "team-refund-chat", "visibility": "team"}
        counts = []
        for _ in range(2):
            job = self.call("POST", "/imports", alice, body, expected=202)[1]
            for _ in range(100):
                job = self.call("GET", f"/jobs/{job['id']}", alice, quiet=True)[1]
                if job["state"] in {"done", "failed"}:
                    break
                time.sleep(0.1)
            counts.append(job["counts"])
        require(counts[1]["stored"] == 0 and counts[1]["unchanged"] == 3, str(counts))
        return f"{counts[0]['stored']} stored and {counts[0]['unchanged']} unchanged, then 0 and 3"

    def meaning(self) -> str:
        scout = self.demo["agents"]["scout-1"]["token"]
        body = {"query": "whom do I have to inform before the main branch is frozen?", "budget": {"items": 3}}
        rule = "支付接口发布前必须先冻结主分支，并通知值班同事。"
        answer = self.call("POST", "/retrieve", scout, body)[1]
        for _ in range(100):  # a demo that has just begun may still be making its vectors
            if answer["notes"]:
                return str(answer["notes"][0])
            if rule in [one["text"] for one in answer["items"]]:
                break
            time.sleep(0.2)
            answer = self.call("POST", "/retrieve", scout, body, quiet=True)[1]
        require(rule in [one["text"] for one in answer["items"]], "the rule")
        today = {
            "query": "what was stored today?",
            "filters": {"node_kind": ["fact"]},
            "budget": {"items": 5},
        }
        timely = self.call("POST", "/retrieve", scout, today)[1]
        arms = {why["arm"] for one in timely["items"] if one["node"] == self.node for why in one["why"]}
        require("time" in arms, "what is of today comes in by its time")
        wrong = {"query": "x", "filters": {"colour": ["red"]}}
        refused = self.call("POST", "/retrieve", scout, wrong, expected=400, quiet=True)[1]
        return f"支付接口发布前必须先冻结主分支; today's fact by time; filters.colour: {refused['fields']['filters.colour']}"

    def equip(self) -> str:
        admin, role = self.user("admin"), self.demo["roles"]["Scout"]
        runbook = self.demo["assets"]["team-runbook"]
        before = self.call("GET", f"/loadouts/{role}", admin)[1]
        kept = [terms(one) for one in before["items"] if one["asset"] != runbook]
        draft = {"items": kept if len(kept) < len(before["items"]) else [*kept, {"asset": runbook}]}
        seen = self.call("POST", f"/loadouts/{role}/preview", admin, draft)[1]
        effect = next(one for one in seen["agents"] if one["name"] == "scout-1")
        path, tag = f"/loadouts/{role}", f'"{before["etag"]}"'
        saved = self.call("PUT", path, admin, draft | {"reason": "the tour"}, tag=tag)[1]
        stale = self.call("PUT", path, admin, draft | {"reason": "again"}, tag=tag, expected=412)[1]
        require(stale["current"]["etag"] == saved["etag"], "412 carries what stands now")
        version = self.call("GET", f"{path}/versions", admin, quiet=True)[1]["items"][1]["id"]
        back = {"version": version, "reason": "the tour is over"}
        after = self.call("POST", f"{path}/rollback", admin, back, tag=f'"{saved["etag"]}"')[1]
        same = [terms(one) for one in after["items"]] == [terms(one) for one in before["items"]]
        require(same, "rolled back to what was carried")
        return (
            f"beforehand: scout-1 gains {len(effect['gained'])} and loses {len(effect['lost'])} assets, "
            f"{effect['nodes_gained']} and {effect['nodes_lost']} nodes; saved; a stale save is 412; rolled back"
        )

    def flip(self) -> str:
        scout, asset = self.demo["agents"]["scout-1"]["id"], self.demo["assets"]["agent-build-notes"]
        path = f"/access/explain?asset={asset}&action=read&principal={scout}"
        alice = self.user("alice")
        asked = self.call("GET", path, alice)[1]
        require(not asked["allowed"] and asked["flip"]["possible"], "a no that can be turned")
        body = {"asset": asset, "agent": scout, "reason": "as the explanation says"}
        bound = self.call("POST", "/bindings", alice, body, expected=201)[1]
        turned = self.call("GET", path, alice, quiet=True)[1]["allowed"]
        self.call("DELETE", f"/bindings/{bound['id']}", alice, expected=204, quiet=True)
        require(turned, "what it named turned the decision")
        return f"{asked['flip']['steps'][0]['text']}: done, and it is allowed; undone again"

    def mcp(self) -> str:
        found = {}
        for agent in ("scout-1", "builder-1"):
            params = {"name": "search", "arguments": {"query": QUESTION, "budget": {"tokens": 1500}}}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            token = self.demo["agents"][agent]["token"]
            answer = self.call("POST", "/mcp", token, body)[1]["result"]["structuredContent"]
            found[agent] = [one["node"] for one in answer["items"]]
            rest = self.call("POST", "/retrieve", token, self.question(), quiet=True)[1]
            require(found[agent] == [one["node"] for one in rest["items"]], "REST and MCP give the same")
        return (
            f"scout-1 {len(found['scout-1'])} items, builder-1 {len(found['builder-1'])}, each as over REST"
        )

    def question(self) -> dict[str, Any]:
        return {"query": QUESTION, "budget": {"tokens": 1500}}

    def ask(self, agent: str) -> dict[str, Any]:
        return self.call("POST", "/retrieve", self.demo["agents"][agent]["token"], self.question())[1]

    def user(self, name: str) -> str:
        return str(self.demo["users"][name]["token"])

    def call(
        self,
        method: str,
        path: str,
        token: str,
        body: dict[str, Any] | None = None,
        *,
        expected: int = 200,
        quiet: bool = False,
        tag: str = "",
    ) -> tuple[int, dict[str, Any]]:
        """One request, printed as curl. Raises Failed for another status than expected."""
        url = f"{self.demo['base_url']}{path if path == '/mcp' else '/api/v1' + path}"
        if method == "DELETE":  # a change names the state that it is meant for; here, whatever it is
            tag = "*"
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        if not quiet:
            words = ["curl", "-sX", method, url, "-H", f"Authorization: Bearer {token[:12]}..."]
            if tag:
                words += ["-H", f"If-Match: {tag}"]
            if body is not None:
                words += ["-H", "Content-Type: application/json", "-d", json.dumps(body, ensure_ascii=False)]
            self.stdout.write("   $ " + shlex.join(words))
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        headers |= {"Accept": "application/json"} | ({"If-Match": tag} if tag else {})
        asked = request.Request(url, data=data, method=method, headers=headers)  # noqa: S310
        try:
            with request.urlopen(asked, timeout=30) as answer:  # noqa: S310
                status, text = answer.status, answer.read()
        except error.HTTPError as refused:
            status, text = refused.code, refused.read()
        if status != expected:
            raise Failed(f"{method} {path}: {status} instead of {expected}: {text[:300]!r}")
        found: dict[str, Any] = json.loads(text) if text else {}
        return status, found


def terms(item: dict[str, Any]) -> dict[str, Any]:
    """What an item of a loadout says, without what the hub adds."""
    return {name: value for name, value in item.items() if name not in {"id", "reason"}}


def titles(answer: dict[str, Any]) -> list[str]:
    return sorted({item["title"] for item in answer["items"]})


def require(holds: bool, what: str) -> None:
    if not holds:
        raise Failed(what)
