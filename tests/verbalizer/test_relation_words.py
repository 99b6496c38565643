"""A model's words for relations: descriptions, and templates for those that no book knows."""

import json
from collections import Counter
from pathlib import Path

import pytest

from rulemine.errors import InputError, LimitError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.llm.call import Failure
from rulemine.phrasing.glosses import gloss_of, load_glosses, read_glosses
from rulemine.phrasing.templates import load_templates
from rulemine.verbalizer.options import VerbalizerSection
from rulemine.verbalizer.prompts import Calls, load_prompts
from rulemine.verbalizer.relation_words import GlossReport, write_book, write_glosses
from rulemine.verbalizer.verbalize import ATTEMPTS
from tests import each
from tests.command_line import assert_refused
from tests.verbalizer.scripted import Scripted

KG = KnowledgeGraph.from_triples(
    [(f"m{n}", "aunt", f"m{n + 1}") for n in range(30)]
    + [("m3", "uncle", "m9"), ("m4", "/film/film/place", "m9")]
)
LABELS = {f"m{n}": f"Person {n}" for n in range(40)}
PHRASES = load_templates("family", KG.relations)
CHOSEN = VerbalizerSection(name="openai", model="m")

GOOD = {
    "statement": "{subject} is the aunt of {object}",
    "subjects": "the aunts of {topic}",
    "objects": "the nieces and nephews of {topic}",
}


def saying(**said):
    """Says to each call of a relation what it was told to, the last thing over and over."""
    asked = Counter()

    def say(call):
        replies = said.get(call.subject.rpartition("/")[2], [GOOD])
        reply = replies[min(asked[call.subject], len(replies) - 1)]
        asked[call.subject] += 1
        if isinstance(reply, Exception):
            raise reply
        return json.dumps(reply) if isinstance(reply, dict) else reply

    return Scripted(say)


def prompts(session, relation):
    return [call.messages[1]["content"] for call in session.calls if call.subject == relation]


def write(path, session, seed=0, chosen=CHOSEN, labels=None, glosses=""):
    calls = Calls(load_prompts(""), chosen, seed)
    given = load_glosses(glosses, PHRASES)
    return write_glosses(KG, PHRASES, given, path, session, calls, labels=labels)


def test_without_a_model_the_file_says_what_the_phrases_say(tmp_path):
    path = tmp_path / "new" / "glosses.toml"
    report = write(path, None)
    assert (report.model, report.kept, report.templates, report.failed) == (0, 0, 3, ())
    assert load_glosses(str(path), PHRASES) == load_glosses("", PHRASES)
    assert path.read_text(encoding="utf-8").startswith("#")
    assert "3 from the templates" in report.to_text()


def test_the_model_is_asked_for_every_relation_once(tmp_path):
    path, model = tmp_path / "g.toml", saying()
    report = write(path, model)
    assert sorted(call.subject for call in model.calls) == ["/film/film/place", "aunt", "uncle"]
    assert {call.purpose for call in model.calls} == {"gloss"}
    assert (report.model, report.kept, report.failed) == (3, 0, ())
    aunt = read_glosses(path)["aunt"]
    assert (aunt.subjects, aunt.source) == (GOOD["subjects"], "model")
    before = path.read_bytes()
    again = saying()
    report = write(path, again)
    assert (again.calls, report.model, report.kept) == ([], 0, 3)
    assert path.read_bytes() == before


def test_ten_triples_are_shown_in_labels_drawn_with_the_seed(tmp_path):
    shown = []
    for seed in (0, 0, 1):
        model = saying()
        write(tmp_path / f"{len(shown)}.toml", model, seed, labels=LABELS)
        (prompt,) = prompts(model, "aunt")
        shown.append([line for line in prompt.split("\n") if " | Person " in line])
        assert len(set(shown[-1])) == 10
        assert all(line.startswith("Person ") for line in shown[-1])
    assert shown[0] == shown[1] != shown[2]


def test_what_the_file_has_is_kept_and_what_only_phrases_say_is_asked_for(tmp_path):
    path = tmp_path / "g.toml"
    write(path, None)
    text = path.read_text(encoding="utf-8")
    mine = "every X such that “X is the uncle of {topic}”"
    assert mine in text
    extra = "\n[elsewhere]\nstatement = '{subject} e {object}'\nsubjects = 's {topic}'\nobjects = 'o {topic}'"
    path.write_text(text.replace(mine, "my words for {topic}") + extra, encoding="utf-8")
    model = saying()
    report = write(path, model)
    assert sorted(call.subject for call in model.calls) == ["/film/film/place", "aunt"]
    assert (report.model, report.kept) == (2, 1)
    found = read_glosses(path)
    assert found["uncle"].subjects == "my words for {topic}"
    assert found["elsewhere"].statement == "{subject} e {object}"


def test_glosses_that_the_recipe_names_are_not_asked_for_and_come_behind_the_file(tmp_path):
    path, model = tmp_path / "g.toml", saying()
    report = write(path, model, glosses="family")
    assert [call.subject for call in model.calls] == ["/film/film/place"]
    assert (report.model, report.kept, report.templates) == (1, 2, 0)
    found, packaged = read_glosses(path), load_glosses("family", PHRASES)
    assert all(found[name] == packaged[name] for name in ("aunt", "uncle"))
    path.write_text('[aunt]\nstatement = "{subject}, aunt of {object}"\nsubjects = "a {topic}"\n'
                    'objects = "b {topic}"\n', encoding="utf-8")  # fmt: skip
    report = write(path, None, glosses="family")
    assert (report.kept, report.templates) == (2, 1)
    assert read_glosses(path)["aunt"].subjects == "a {topic}"


@each(
    ("bad", "reason"),
    [
        ("no idea", ""),
        (GOOD | {"statement": "{subject} is the aunt"}, "key statement"),
        (GOOD | {"subjects": "the aunts of {object}"}, "key subjects: "),
        (GOOD | {"objects": "the nieces of {topic} and {topic}"}, "2 times"),
        (GOOD | {"subjects": "who is the aunt of {topic}?"}, "is a question"),
        (GOOD | {"objects": "x" * 400 + " {topic}"}, "has 408 characters"),
        (GOOD | {"statement": "{subject} is, as Person 9 says, the aunt of {object}"}, "names 'Person 9'"),
    ],
)  # fmt: skip
def test_a_bad_gloss_is_asked_for_again_with_the_reason(tmp_path, bad, reason):
    path = tmp_path / "g.toml"
    model = saying(uncle=[bad, GOOD])
    report = write(path, model, labels=LABELS)
    first, second = prompts(model, "uncle")
    assert "Rejected before" not in first
    assert reason in next(line for line in second.split("\n") if "Rejected before" in line)
    assert (report.model, report.failed) == (3, ())


def test_the_identifier_of_a_relation_is_no_words_for_it(tmp_path):
    model = saying(place=[GOOD | {"statement": "{subject} /film/film/place {object}"}, GOOD])
    assert write(tmp_path / "g.toml", model).failed == ()
    assert "the relation's identifier" in prompts(model, "/film/film/place")[1]


def test_a_relation_that_stays_bad_has_the_gloss_of_its_phrase_and_is_asked_for_again(tmp_path):
    path = tmp_path / "g.toml"
    failure = Failure("refused", "not this one", True)
    model = saying(uncle=["nothing"], aunt=[failure])
    report = write(path, model)
    assert len(prompts(model, "uncle")) == ATTEMPTS
    assert [relation for relation, _ in report.failed] == ["aunt", "uncle"]
    assert "aunt: The endpoint refuses this request (not this one)." in report.to_text()
    assert read_glosses(path)["uncle"] == gloss_of(PHRASES["uncle"])
    report = write(path, saying())
    assert (report.model, report.kept, report.failed) == (2, 1, ())


def test_a_file_stays_as_it_was_when_the_session_ends_early_or_it_is_malformed(tmp_path):
    path = tmp_path / "g.toml"
    with pytest.raises(LimitError):
        write(path, saying(uncle=[LimitError("spent")]))
    assert not path.exists()
    path.write_text("[aunt]\n", encoding="utf-8")
    with pytest.raises(InputError):
        write(path, None)
    assert path.read_text(encoding="utf-8") == "[aunt]\n"


HUTS = KnowledgeGraph.from_triples(
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


def write_words(path: Path, model: Scripted) -> GlossReport:
    calls = Calls(load_prompts(""), CHOSEN, 0)
    templates = load_templates("", HUTS.relations, kg=HUTS)
    return write_book(HUTS, templates, path, model, calls)


@each(
    "reply",
    [
        json.dumps(HUT),
        '<think>Huts stand below peaks {"statement": 1}</think>\n' + json.dumps(HUT),
        f"Sure! Here it is:\n```json\n{json.dumps(HUT, indent=1)[:-2]},\n}}\n```\nAnything else?",
        json.dumps(HUT | {"note": "as asked"}),
    ],
)
def test_words_are_read_however_a_model_wraps_them(tmp_path, reply):
    path = tmp_path / "book.toml"
    path.write_text(MINE)
    report = write_words(path, saying(xb=[reply], kin=[KIN]))
    assert (report.model, report.kept, report.failed) == (2, 1, ())
    made = load_templates(str(path), HUTS.relations, kg=HUTS)
    assert made["xb"].ask_subjects == HUT["ask_subjects"]
    assert made["mine"].statement.startswith("{subject} is mine")
    assert {row.source for row in made.rows} == {"written"}
    before, again = path.read_bytes(), saying()
    assert write_words(path, again).kept == 3
    assert (again.calls, path.read_bytes()) == ([], before)


@each(
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
def test_what_cannot_word_a_relation_is_asked_for_again_then_left_out(tmp_path, reply, reason):
    model = saying(xb=[reply, HUT], kin=[KIN], mine=["no"])
    report = write_words(tmp_path / "book.toml", model)
    assert reason in prompts(model, "xb")[1]
    assert "Rejected before" not in prompts(model, "xb")[0]
    assert report.model == 2
    assert [relation for relation, _ in report.failed] == ["mine"]
    assert '["mine"]' not in (tmp_path / "book.toml").read_text()


def test_two_relations_never_ask_in_the_same_words(tmp_path):
    report = write_words(tmp_path / "book.toml", saying(kin=[HUT], xb=[HUT], mine=[KIN]))
    assert report.model == 2
    assert [relation for relation, _ in report.failed] == ["xb"]
    load_templates(str(tmp_path / "book.toml"), HUTS.relations, kg=HUTS)


def test_a_book_needs_a_model(here, command):
    assert_refused(command("data", "gloss", "kg.tsv", "--book"), "--book: a model writes it")
