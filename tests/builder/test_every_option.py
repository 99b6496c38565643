"""Every option of a model does something for each kind, or is refused.

A small build of each kind is asked in this process, with each option set to another value: a prompt, a call,
what becomes of a reply or a question must change.
"""

import asyncio
import json
import zlib
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulemine.builder import verbalize_stage
from rulemine.builder.pipeline import Build
from rulemine.config import Key, packaged
from rulemine.errors import ConfigError
from rulemine.kinds.asking import Asking
from rulemine.kinds.registry import BUILT
from rulemine.kinds.writing import opened
from rulemine.llm.call import Answer, Call, Reply
from rulemine.llm.journal import line_of
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Usage
from rulemine.phrasing.glosses import Glosses
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import load_recipe
from rulemine.recipe.recipe import Recipe, keys_with
from rulemine.release.question_set import QuestionSet
from tests import each
from tests.chat_server import FakeModel
from tests.command_line import FACTS, RULES

OF_MODEL = ("verbalizer.", "variants.judges", "variants.run")
"""What changes what is said: the beginnings of the names of keys; those of the endpoint change how."""

OTHERS: dict[str, Any] = {
    "verbalizer.language": "Klingon", "verbalizer.name": "template", "verbalizer.naming": "numeric",
    "variants.judges": ("judge",),
}  # fmt: skip
"""Values where the next one or the other one would not do; files are written by `other`."""

MODEL = {"verbalizer.name": "openai", "verbalizer.model": "writer"}

BASE: dict[str, dict[str, Any]] = {
    "rules": {"selection.share": 0.1},
    "structures": {"structures.per_structure": 1, "questions.split": "none"},
    "subgraphs": {"subgraphs.questions": 6},
    "variants": {"variants.questions": 5, "variants.texts": ""},
    "cypher": {"cypher.per_template": 1},
}
"""The small builds."""


class Endpoint:
    """A session that answers at once; some texts fail always, some the first time, some judges refuse."""

    calls: list[Any]
    advice = ""

    def __init__(self, options: EndpointOptions, *_: object, **__: object) -> None:
        self.usage, self._lines, self._options = Usage(), dict[str, Any](), options
        Endpoint.calls = []

    def __enter__(self) -> "Endpoint":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, works: Sequence[Callable[[Any], Any]], _progress: object = None) -> list[Any]:
        async def each() -> list[Any]:
            return [await work(self._ask) for work in works]

        return asyncio.run(each())

    async def _ask(self, call: Call) -> Answer:
        answer = Reply(self._said(call), "stop", 100, 10)
        self._lines[call.key] = line_of(call, answer)
        Endpoint.calls.append((call.purpose, call.request, call.sample))
        return answer

    def line(self, key: str) -> dict[str, Any]:
        return self._lines[key]

    def _said(self, call: Call) -> str:
        lot = zlib.crc32(call.subject.encode()) % 3
        again = "Rejected before" in str(call.messages[-1]["content"])
        if call.purpose.endswith("question") and (lot == 0 or (lot == 1 and not again)):
            return json.dumps({"question": "no"})
        return FakeModel().answer(call.request)


def recipe_of(kind: str, folder: Path, **changed: Any) -> Recipe:
    """The recipe of a small build; without a model until one is needed."""
    named = {"rules": str(folder / "kg.tsv")}.get(kind, f"{kind}-demo")
    least = {"rules": str(folder / "rules.txt")} if kind == "rules" else {"selection.mode": "none"}
    given = {**least, "questions.test_core": 0, **BASE[kind], **changed}
    return load_recipe(named, [(tuple(key.split(".")), value) for key, value in given.items()])


def other(key: Key, recipe: Recipe, folder: Path) -> Any:
    """Another value of an option."""
    now = recipe.plain()
    for part in key.path:
        now = now[part]
    if key.name in OTHERS:
        return OTHERS[key.name]
    if key.name == "verbalizer.prompt":
        return written(folder / f"{recipe.kind}.prompt.toml", text_of_prompts(recipe.kind))
    if key.name == "verbalizer.glosses":
        rows = Inputs(recipe).glosses.rows
        changed = Glosses(
            tuple(replace(row, statement=f"{row.statement}, they say") for row in rows)
        )
        return written(folder / f"{recipe.kind}.glosses.toml", changed.to_toml())
    if key.option.choices:
        return next(choice for choice in key.option.choices if choice and choice != now)
    if isinstance(now, bool | str):
        return "some" if isinstance(now, str) else not now
    return now + (1 if isinstance(now, int) else 0.5)


def text_of_prompts(kind: str) -> str:
    """The packaged prompts of a kind, with another word in each."""
    place = {
        "subgraphs": ("kinds", "written", "written.toml"),
        "variants": ("kinds", "written", "written.toml"),
        "cypher": ("kinds", "cypher", "words", "prompts.toml"),
    }.get(kind, ("verbalizer", "prompts.toml"))
    text = packaged(*place).read_text("utf-8")
    return text.replace('system = "You', 'system = "Now you')


def written(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    return str(path)


def outcome(build: Build, asked: QuestionSet | None, given: dict[str, Any], folder: Path) -> str:
    """All that a build with some options asks, is told, and makes of it; or why they are refused."""
    try:
        recipe = recipe_of(build.recipe.kind, folder, **(MODEL | given))
    except ConfigError as refusal:
        return f"refused: {refusal}"
    inputs = copy(build.inputs)
    inputs.recipe = recipe
    for name in ("prompts", "glosses", "prompt_naming"):
        inputs.__dict__.pop(name, None)
    Endpoint.calls = []
    told: Any = {"note": str, "status": str, "replay": None}
    if asked is None:
        with opened(inputs, folder, asks=True, **told) as writing:
            asked = Asking(inputs, build.selection, None, writing).run()
    elif recipe.verbalizer.name != "template":
        asked, _ = verbalize_stage.verbalize_questions(
            inputs, asked, build.selection.removed, folder, progress=None, **told
        )
    return repr((Endpoint.calls, asked.questions, asked.rejections, asked.sampling))


@pytest.mark.slow
@each("kind", BUILT)
def test_every_option_of_a_model_does_something_or_is_refused(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("rulemine.llm.session.Session", Endpoint)
    (tmp_path / "kg.tsv").write_text(FACTS)
    (tmp_path / "rules.txt").write_text(RULES)
    build = Build(recipe_of(kind, tmp_path), tmp_path / kind)
    writes = build.kind.wording.writes
    build.run("select" if writes else "ask")
    asked, base = None if writes else build._asked("ask"), recipe_of(kind, tmp_path, **MODEL)
    usual = outcome(build, asked, {}, tmp_path)
    assert outcome(build, asked, {"about.title": "for the card alone"}, tmp_path) == usual
    for key in (key for key in keys_with(kind) if key.name.startswith(OF_MODEL)):
        made = outcome(build, asked, {key.name: other(key, base, tmp_path)}, tmp_path)
        assert not made.startswith("refused") or "for the kind" in made, f"{key.name}: {made}"
        assert made != usual, key.name
