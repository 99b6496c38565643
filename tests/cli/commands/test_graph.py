import json
import shlex
from pathlib import Path

from rulemine.kg.property_graph.schema import read_schema
from tests import ROOT
from tests.command_line import Command

TRIPLES = "ann\tlives_in\trome\nbo\tlives_in\trome\nann\tknows\tbo\n"


def test_a_draft_is_written_edited_and_used(tmp_path: Path, command: Command) -> None:
    triples, draft, made = tmp_path / "my.tsv", tmp_path / "my.toml", tmp_path / "my.json"
    triples.write_text(TRIPLES, "utf-8")
    assert (
        command("data", "graph", triples, "--to", "schema", "-o", draft).out
        == f"{draft}: 2 entity types, 2 signatures\n"
    )
    text = draft.read_text("utf-8").replace('"Place"', '"Town"')
    kept = [part for part in text.split("\n\n") if 'label = "knows"' not in part]
    draft.write_text("\n\n".join(kept), "utf-8")
    done = command("data", "graph", triples, "--to", "simplekg", "--schema", draft, "-o", made)
    assert (done.status, done.out) == (0, f"{made}: 3 nodes, 2 edges\n")
    assert "left out: edges of signatures not in the schema: 1" in done.err
    assert json.loads(made.read_text("utf-8"))["schema"]["name"] == "my"
    checked = command("data", "graph", made)
    assert checked.out.splitlines() == [
        "my: 3 nodes, 2 edges", "Person: 2 nodes", "Town: 1 node",
        "Person lives_in Town: 2 edges",
    ]  # fmt: skip


def test_standard_output_holds_the_graph_alone(command: Command) -> None:
    done = command("data", "graph", "demo", "--to", "simplekg")
    assert (done.status, done.err) == (0, "")
    assert len(json.loads(done.out)["entities"]) == 333


def test_a_schema_that_contradicts_the_data_is_one_message(tmp_path, command):
    draft, made = tmp_path / "demo.toml", tmp_path / "demo.json"
    command("data", "graph", "demo", "--to", "schema", "-o", draft)
    command("data", "graph", "demo", "--to", "simplekg", "-o", made)
    text = draft.read_text("utf-8").replace('letters = "int"', 'letters = "bool"')
    draft.write_text(text.replace('takes_apprentices = "bool"\n', ""), "utf-8")
    done = command("data", "graph", made, "--schema", draft)
    assert done.status == 2
    assert (
        "demo.json: 53 faults: values that do not fit: 6, properties not in the schema: 47"
        in done.err
    )
    assert "letters is 24; expected bool" in done.err


PAGE = (ROOT / "docs" / "cypher.md").read_text("utf-8")


def test_the_commands_on_the_page_work(here: Path, command: Command) -> None:
    lines = PAGE.split("## Property graphs")[1].split("```sh\n")[1].split("```")[0].splitlines()
    ended = [command(*shlex.split(line, comments=True)[1:]) for line in lines]
    assert [one.status for one in ended] == [0] * 4
    assert ended[0].out == ended[3].out


def test_the_schema_on_the_page_is_one(tmp_path: Path) -> None:
    path = tmp_path / "schema.toml"
    path.write_text(PAGE.split("```toml\n")[1].split("```")[0], "utf-8")
    assert [row.label for row in read_schema(path).entities] == ["Person", "Town"]


def test_labels_name_the_entities_of_triples(tmp_path: Path, command: Command) -> None:
    triples, labels = tmp_path / "my.tsv", tmp_path / "labels.tsv"
    triples.write_text(TRIPLES, "utf-8")
    labels.write_text("ann\tAnn Other\n", "utf-8")
    made = json.loads(command("data", "graph", triples, "--to", "simplekg", "--labels", labels).out)
    assert [(row["eid"], row["name"]) for row in made["entities"]] == [
        ("ann", "Ann Other"), ("bo", "bo"), ("rome", "rome"),
    ]  # fmt: skip
    assert "has its own names" in command("data", "graph", "demo", "--labels", labels).err
