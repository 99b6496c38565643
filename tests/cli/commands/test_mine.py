"""``rulemine mine``: its options reach the miner, and what it cannot use is said."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rulemine.mining import Rules
from tests.command_line import Command

LOOSE = ("--min-initial-support", "1")


def rules(text: str) -> list[tuple[str, set[str]]]:
    """Head relation and body relations of every rule."""
    rows = [json.loads(line) for line in text.splitlines()]
    return [(row["head"][1], {atom[1] for atom in row["body"]}) for row in rows]


def test_filters_by_names_and_by_file(here: Path, command: Command) -> None:
    (here / "two.txt").write_text("wife\n\nhusband\n")
    every = rules(command("mine", "kg.tsv", *LOOSE).out)
    assert {"husband", "wife", "child"} <= {head for head, _ in every}

    heads = command("mine", "kg.tsv", *LOOSE, "--head-relations", "wife, husband")
    assert rules(heads.out) == [rule for rule in every if rule[0] in ("wife", "husband")]
    assert command("mine", "kg.tsv", *LOOSE, "--head-relations", "@two.txt").out == heads.out

    one_by_one = ("--body-relations", "wife", "--body-relations", "mother,child")
    bodies = rules(command("mine", "kg.tsv", *LOOSE, *one_by_one).out)
    assert bodies == [rule for rule in every if rule[1] <= {"wife", "mother", "child"}]

    without = rules(command("mine", "kg.tsv", *LOOSE, "--exclude-relations", "child").out)
    assert without == [rule for rule in every if "child" not in {rule[0], *rule[1]}]
    assert 0 < len(without) < len(every)
    assert 0 < len(bodies) < len(every)


@pytest.mark.parametrize("option", ["head", "body", "exclude"])
def test_an_unknown_relation_is_named(here: Path, command: Command, option: str) -> None:
    ended = command("mine", "kg.tsv", f"--{option}-relations", "wife,huband,mohter")
    assert (ended.status, ended.out) == (2, "")
    assert (
        "names 'huband', which is not a relation of the graph; did you mean 'husband'?" in ended.err
    )
    assert (
        "names 'mohter', which is not a relation of the graph; did you mean 'mother'?" in ended.err
    )
    assert f"{option}_relations" in ended.err


def test_different_variables_stand_for_different_entities(here: Path, command: Command) -> None:
    # Everyone knows themselves: by that alone, who knows someone knows someone who knows them.
    loops = "".join(f"e{i}\tknows\te{j}\n" for i in range(6) for j in (i, (i + 1) % 6))
    (here / "loops.tsv").write_text(loops)
    transitive = ("knows", {"knows"})
    assert transitive in rules(command("mine", "loops.tsv", *LOOSE).out)
    assert command("mine", "loops.tsv", *LOOSE, "--injective").status == 2, "no rule is left"


def test_constants_are_entities_in_the_output(here: Path, command: Command) -> None:
    (here / "city.tsv").write_text(
        "".join(f"p{i}\tlives\trome\np{i}\tspeaks\titalian\n" for i in range(5))
        + "q\tlives\tparis\nq\tspeaks\tfrench\n"
    )
    ended = command("mine", "city.tsv", *LOOSE, "--constants", "--head-relations", "speaks")
    rows = [json.loads(line) for line in ended.out.splitlines()]
    rome, italian = {"entity": "rome"}, {"entity": "italian"}
    row = next(r for r in rows if (r["head"][2], r["body"][0][2]) == (italian, rome))
    assert (row["head"], row["body"]) == (["?a", "speaks", italian], [["?a", "lives", rome]])
    assert (row["support"], row["body_size"], row["head_size"]) == (5, 5, 6)
    assert command("mine", "city.tsv", "--constants", "--max-atoms", "4").status == 2


@pytest.mark.parametrize("stop", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_writing_that_ends_early_leaves_nothing_under_the_name(here, command, monkeypatch, stop):
    words = ("mine", "kg.tsv", *LOOSE, "-o", "out.jsonl")
    assert command(*words).status == 0
    before = (here / "out.jsonl").read_text()
    files = {path.name for path in here.iterdir()}

    def text(*_: object) -> Iterator[str]:
        yield '{"id": '
        raise stop

    monkeypatch.setattr(Rules, "text", text)
    ended = command(*words)
    assert ended.status == (2 if isinstance(stop, OSError) else 130)
    assert (here / "out.jsonl").read_text() == before
    assert {path.name for path in here.iterdir()} == files
