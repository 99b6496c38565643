"""What written questions are asked with: a small world, what a build would give, and an endpoint."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulemine.kinds.asking import Asking
from rulemine.kinds.registry import KINDS
from rulemine.kinds.variants.seed_texts import given_sets
from rulemine.kinds.writing import Writing
from rulemine.llm.options import EndpointOptions
from rulemine.llm.session import Session
from rulemine.phrasing.glosses import load_glosses
from rulemine.recipe.earlier import NOTHING, Earlier
from rulemine.recipe.recipe import QuestionSection, Recipe
from rulemine.release.question_set import QuestionSet
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import load_prompts
from tests.chat_server import ChatServer, FakeModel, Says
from tests.kinds.asking import InputsByName
from tests.kinds.structures.worlds import RandomWorld

WORLD = RandomWorld(3, entities=40, triples=200, share=0.2)


def inputs_of(
    kind: str,
    earlier: Earlier = NOTHING,
    verbalizer: VerbalizerSection | None = None,
    chosen: QuestionSection | None = None,
    endpoint: EndpointOptions | None = None,
    **options: Any,
) -> Any:
    """The graph, and options of the section of a kind; not split by default."""
    verbalizer = verbalizer or VerbalizerSection()
    recipe = Recipe(
        "t", "t.tsv", kind=kind, own=KINDS[kind].Options(**options), verbalizer=verbalizer,
        questions=replace(chosen or QuestionSection(split="none"), restated=True),
        endpoint=endpoint or EndpointOptions(),
    )  # fmt: skip
    given = InputsByName(
        recipe=recipe, kg=WORLD.kg, templates=WORLD.templates, types=WORLD.types, labels={}, excluded={},
        aliases={}, classes={}, earlier=earlier, stale=None, joins=None, seed_rows=None,
        further=lambda progress: None, prompts=load_prompts("", "kinds/written/written.toml"),
        prompt_naming=verbalizer.naming or "private", glosses=load_glosses("", WORLD.templates),
    )  # fmt: skip
    if kind == "variants":
        given.seed_sets = given_sets(given)
    return given


def asked(given: Any) -> QuestionSet:
    """The scripted writer's questions."""
    return Asking(given, WORLD.selection).run()


def over_http(
    folder: Path,
    says: Says,
    kind: str,
    writing: Writing | None = None,
    concurrency: int = 16,
    **more: Any,
) -> tuple[QuestionSet, ChatServer]:
    """The questions of a model, and the endpoint."""
    with ChatServer(says) as server:
        endpoint = EndpointOptions(base_url=server.url, concurrency=concurrency)
        model = VerbalizerSection(name="openai", model="writer")
        given = inputs_of(kind, verbalizer=model, endpoint=endpoint, **more)
        with Session(endpoint, folder / "journal.sqlite", room="m=4000") as session:
            writing = writing or Writing()
            writing.session = session
            return Asking(given, WORLD.selection, writing=writing).run(), server  # fmt: skip


def fake(request: dict[str, Any], _times: int) -> str:
    return FakeModel().answer(request)


def refused(made: QuestionSet) -> Counter[str]:
    """How many drafts were refused, by reason."""
    return sum((Counter(row["rejected"]) for row in made.sampling.values()), Counter[str]())
