"""What template files declare, and the lines of what is found in a graph."""

from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.kg.facts import Declarations
from rulemine.kg.relation_overlap import FoundDeclaration, declared_by
from rulemine.phrasing.declarations import found_lines
from rulemine.phrasing.templates import load_templates

RELATIONS = ["buddy", "child", "father", "knows", "meets", "parent", 'the "one"']
FOUND = (
    FoundDeclaration("buddy", "knows", "same", ((39, 40), (39, 39))),
    FoundDeclaration("buddy", "meets", "same", ((38, 40), (38, 39))),
    FoundDeclaration("child", "parent", "inverse", ((1139, 1139), (1139, 1140))),
    FoundDeclaration("father", "parent", "narrower", ((36, 36),)),
    FoundDeclaration("knows", "knows", "symmetric", ((38, 39),)),
    FoundDeclaration('the "one"', 'the "one"', "symmetric", ((50, 50),)),
)


def write(folder: Path, text: str) -> Path:
    path = folder / "declarations.toml"
    path.write_text(text)
    return path


def test_what_is_found_reads_as_a_file_that_declares_it(tmp_path: Path) -> None:
    lines = found_lines(FOUND)
    assert '["child"]' in lines
    assert 'inverse_of = "parent"  # states 1,139 of 1,139, 1,139 of 1,140' in lines
    assert lines[-1] == '# not declared: "parent" states 36 of 36 triples of "father"'


def test_a_line_is_switched_off_by_a_comment(tmp_path: Path) -> None:
    text = '["knows"]\n# symmetric = true\nsame_as = []\n\n["child"]\ninverse_of = "parent"\n'
    declared = load_templates(write(tmp_path, text), RELATIONS).declarations
    assert declared == Declarations.of(inverse=[("child", "parent")])


def test_the_lines_work_in_a_template_file_too(tmp_path: Path) -> None:
    more = """
[father]
statement = "{subject} is the father of {object}"
ask_subject = "Who is the father of {topic}?"
ask_object = "Whose father is {topic}?"
"""
    path = write(tmp_path, "\n".join(found_lines(FOUND)) + more)
    templates = load_templates(path, RELATIONS)
    assert templates.declarations == declared_by(FOUND)
    assert (templates.written, templates["child"].source) == (1, "derived")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[knowz]\nsymmetric = true", "'knowz' is not in the graph; did you mean 'knows'"),
        ('[child]\ninverse_of = "parnet"', "'parnet', which is unknown; did you mean 'parent'"),
        ('[knows]\nsymmetric = "yes"', "symmetric is 'yes'; expected true or false"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_templates(write(tmp_path, text), RELATIONS)
