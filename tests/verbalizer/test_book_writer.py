"""A model's words for relations that no book knows, as models write them."""

import json
from pathlib import Path
from typing import Any

import pytest

from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.templates import load_templates
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Calls, load_prompts
from rulemine.verbalizer.relation_words import GlossReport, write_book
from tests.command_line import Command, assert_refused
from tests.verbalizer.test_gloss_writer import Model

KG = KnowledgeGraph.from_triples(
    [(f"Hut {n}", "xb", f"Peak {n}") for n in range(12)]
    + [("Hut 1", "kin", "Hut 2"), ("Hut 1", "mine", "Peak 3")]
)
HUT = {
    "statement": "{subject} stands below {object}",
    "ask_subject": "Which hut stands below {topic}?",
    "ask_subjects": "Which huts stand below {topic}?",
    "ask_object": "Below which peak does {topic} stand?",
    "ask_objects": "Below which peaks does {topic} stand?",
}
KIN = {
    "statement": "{subject} was built by the builder of {object}",
    "ask_subject": "Which hut has the builder of {topic}?",
    "ask_subjects": "Which huts have the builder of {topic}?",
    "ask_object": "Which hut shares its builder with {topic}?",
    "ask_objects": "Which huts share their builder with {topic}?",
}
MINE = """\
[mine]
statement = "{subject} is mine, and {object} is yours"
ask_subject = "What is mine if {topic} is yours?"
ask_object = "What is yours if {topic} is mine?"
"""


def write(path: Path, model: Model) -> GlossReport:
    calls = Calls(load_prompts(""), VerbalizerSection(name="openai", model="m"), 0)
    templates = load_templates("", KG.relations, kg=KG)
    session: Any = model
    return write_book(KG, templates, path, session, calls)


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(HUT),
        '<think>Huts stand below peaks {"statement": 1}</think>\n' + json.dumps(HUT),
        "Sure! Here it is:\n```json\n"
        + json.dumps(HUT, indent=1)[:-2]
        + ",\n}\n```\nAnything else?",
        json.dumps(HUT | {"note": "as asked"}),
    ],
)
def test_words_are_read_however_a_model_wraps_them(tmp_path: Path, reply: str) -> None:
    path = tmp_path / "book.toml"
    path.write_text(MINE)
    report = write(path, Model(xb=[reply], kin=[KIN]))
    assert (report.model, report.kept, report.failed) == (2, 1, ())
    made = load_templates(str(path), KG.relations, kg=KG)
    assert made["xb"].ask_subjects == HUT["ask_subjects"]
    assert made["mine"].statement.startswith("{subject} is mine")
    assert {row.source for row in made.rows} == {"written"}
    before, again = path.read_bytes(), Model()
    assert write(path, again).kept == 3
    assert (again.calls, path.read_bytes()) == ([], before)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I am sorry, but I cannot help with that.", "not the lines statement, ask_subject"),
        (HUT | {"statement": "{subject} stands below it"}, "key statement"),
        (HUT | {"ask_object": "Below which peak does {subject} stand?"}, "key ask_object"),
        (HUT | {"ask_subject": "the huts below {topic}"}, "is no question"),
        (HUT | {"ask_object": HUT["ask_subject"]}, "Which hut stands below"),
        (HUT | {"statement": "{subject} stands like Hut 3 below {object}"}, "names 'Hut 3'"),
    ],
)
def test_what_cannot_word_a_relation_is_asked_for_again_then_left_out(
    tmp_path: Path, reply: Any, reason: str
) -> None:
    model = Model(xb=[reply, HUT], kin=[KIN], mine=["no"])
    report = write(tmp_path / "book.toml", model)
    assert reason in model.prompts("xb")[1]
    assert "Rejected before" not in model.prompts("xb")[0]
    assert report.model == 2
    assert [relation for relation, _ in report.failed] == ["mine"]
    assert '["mine"]' not in (tmp_path / "book.toml").read_text()


def test_two_relations_never_ask_in_the_same_words(tmp_path: Path) -> None:
    report = write(tmp_path / "book.toml", Model(kin=[HUT], xb=[HUT], mine=[KIN]))
    assert report.model == 2
    assert [relation for relation, _ in report.failed] == ["xb"]
    load_templates(str(tmp_path / "book.toml"), KG.relations, kg=KG)


def test_a_book_needs_a_model(here: Path, command: Command) -> None:
    assert_refused(command("gloss", "kg.tsv", "--book"), "--book: a model writes it")
