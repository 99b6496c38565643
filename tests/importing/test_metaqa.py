"""The reader ``metaqa``, on invented files of its form."""

import gzip
from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.importing.protocol import ImportedSet
from rulemine.importing.readers.metaqa import Metaqa, chain
from rulemine.kg.graph import KnowledgeGraph
from rulemine.query.batch import Batch

KB = """Low Tide|starred_actors|Ada Penn
Low Tide|starred_actors|Bo Quist
Low Tide|directed_by|Ada Penn
Low Tide|release_year|1951
Ebb|starred_actors|Ada Penn
Ebb|release_year|1957
Ebb|has_tags|Low Tide
"""

QUESTIONS = {
    "1-hop/vanilla/qa_train.txt": "[Ada Penn] appears in which movies\tLow Tide|Ebb|Ebb\n",
    "1-hop/ntm/qa_train.txt": "In which films is [Ada Penn]\tLow Tide|Ebb\n",
    "1-hop/qa_train_qtype.txt": "actor_to_movie\n",
    "2-hop/vanilla/qa_dev.txt": "who starred with [Ada Penn]\tBo Quist\n"
    "which movies share actors with [Low Tide]\tEbb\n"
    "who acts in the films that [Ada Penn] directed\tBo Quist\n",
    "2-hop/qa_dev_qtype.txt": "actor_to_movie_to_actor\nmovie_to_actor_to_movie\n"
    "director_to_movie_to_actor\n",
    "3-hop/vanilla/qa_test.txt": "when were films with actors of [Low Tide] released\t1957\n",
    "3-hop/qa_test_qtype.txt": "movie_to_actor_to_movie_to_year\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"kb.txt": KB, **QUESTIONS}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def _read(path: Path, kg: Path | None = None, incomplete: Path | None = None) -> ImportedSet:
    return Metaqa()(path, kg, incomplete)


def test_texts_topics_answers_and_types_are_those_of_the_files(folder: Path) -> None:
    found = _read(folder)
    assert [q.id for q in found.questions] == [
        "1-hop-train-1", "2-hop-validation-1", "2-hop-validation-2", "2-hop-validation-3",
        "3-hop-test-1",
    ]  # fmt: skip
    first = found.questions[0]
    assert first.text == "[Ada Penn] appears in which movies"
    assert (first.split, first.topics, first.answers) == (
        "train", ("Ada Penn",), ("Low Tide", "Ebb"),
    )  # fmt: skip
    assert first.fields == {"hops": 1, "type": "actor_to_movie"}
    assert first.paraphrases == ("In which films is [Ada Penn]",)
    assert [q.paraphrases for q in found.questions[1:]] == [()] * 4
    assert next(iter(found.complete or ())) == ("Low Tide", "starred_actors", "Ada Penn")
    assert found.incomplete is None


def test_a_chain_gives_the_stated_answers_and_never_comes_back_to_its_topic(folder: Path) -> None:
    found = _read(folder)
    batch = Batch(question.query for question in found.questions)
    graph = batch.over(KnowledgeGraph.from_triples(found.complete or ()))
    for question, answers in zip(found.questions, batch.answers(graph), strict=True):
        assert {graph.entities[number] for number in answers} == set(question.answers), question
    assert [q.query.count("minus") for q in found.questions] == [0, 1, 1, 1, 1]


def test_types_with_unknown_words_and_relations_that_the_graph_lacks_have_no_query(
    folder: Path,
) -> None:
    assert chain("actor_to_movie_to_prize", "Kate") is chain("actor_to_actor", "Kate") is None
    assert chain("", "Kate") is None
    (folder / "1-hop" / "qa_train_qtype.txt").write_text("writer_to_movie\n")
    question = _read(folder).questions[0]
    assert (question.query, question.fields["type"]) == ("", "writer_to_movie")


def test_a_hop_and_a_file_are_read_with_the_graph_above_them(folder: Path) -> None:
    hop = _read(folder / "2-hop")
    assert [q.id for q in hop.questions] == [f"2-hop-validation-{n}" for n in (1, 2, 3)]
    assert len(list(hop.complete or ())) == 7
    file = _read(folder / "3-hop" / "vanilla" / "qa_test.txt")
    assert [q.id for q in file.questions] == ["3-hop-test-1"]
    assert file.questions[0].query


def test_the_form_of_embedkgqa_is_read_with_its_graphs(folder: Path, tmp_path: Path) -> None:
    flat = tmp_path / "flat" / "MetaQA" / "QA"
    flat.mkdir(parents=True)
    (flat / "qa_test_2hop.txt").write_text(QUESTIONS["2-hop/vanilla/qa_dev.txt"])
    triples = [line.split("|") for line in KB.splitlines()]
    for name, some in (("full.txt", triples), ("half.tsv", triples[:4])):
        (flat / name).write_text("".join("\t".join(triple) + "\n" for triple in some))
    found = _read(flat, flat / "full.txt", flat / "half.tsv")
    assert [q.id for q in found.questions] == [f"2-hop-test-{n}" for n in (1, 2, 3)]
    assert (len(list(found.complete or ())), len(list(found.incomplete or ()))) == (7, 4)
    assert not any(q.query for q in found.questions)  # there are no types


def test_without_a_graph_there_are_texts_and_answers(folder: Path) -> None:
    (folder / "kb.txt").unlink()
    found = _read(folder / "1-hop")
    assert found.complete is None
    assert "no kb.txt" in found.notes[0]
    assert found.questions[0].query == ""


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("1-hop/vanilla/qa_train.txt", "who is Ada Penn\tEbb\n", "line 1 is 'who is Ada Penn"),
        ("1-hop/vanilla/qa_train.txt", "who is [Ada Penn]\n", "a tab, and answers"),
        ("2-hop/qa_dev_qtype.txt", "actor_to_movie\n", "has 1 line; 3 were expected"),
        ("1-hop/ntm/qa_train.txt", "In [Ebb] is\tLow Tide\n", "the topic 'Ebb' and 1 answer"),
        ("kb.txt", "Low Tide|directed_by\n", "line 1 is 'Low Tide|directed_by'; subject|relation"),
        ("2-hop/qa_dev.txt", "a [b]\tc\n", "same hops and split as"),
    ],
)
def test_messages_name_the_file_the_line_and_what_was_expected(
    folder: Path, file: str, text: str, message: str
) -> None:
    (folder / file).write_text(text)
    with pytest.raises(InputError) as caught:
        _read(folder)
    assert file.rpartition("/")[2] in str(caught.value)
    assert message in str(caught.value)


def test_a_folder_without_question_files_says_which_were_expected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"2-hop/vanilla/qa_test\.txt"):
        _read(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        _read(tmp_path / "absent")


def test_compressed_files_go_with_those_that_are_not(folder: Path) -> None:
    before = _read(folder)
    for name in ("kb.txt", "2-hop/vanilla/qa_dev.txt", "1-hop/qa_train_qtype.txt"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    after = _read(folder)
    assert after.questions == before.questions
    assert list(after.complete or ()) == list(before.complete or ())
