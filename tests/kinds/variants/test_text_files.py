"""Seed texts from files, folders and tables, good and bad."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from rulemine.errors import InputError
from rulemine.kinds.variants import seed_texts
from rulemine.kinds.variants.seed_texts import SeedText, read_seed_texts

Put = Callable[[str, str], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def put(name: str, content: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8", newline="")
        return path

    return put


def read(texts: object, notes: list[str] | None = None) -> list[SeedText]:
    return read_seed_texts(str(texts), ([] if notes is None else notes).append)


def words(texts: object) -> list[object]:
    return [text for _, text in read(texts)]


def test_a_file_is_read_a_text_a_line(put: Put) -> None:
    notes: list[str] = []
    texts = read(put("a.txt", "Rome.\n\n  \nParis: \u2028one\r\nRome. \nRome.\n"), notes)
    assert [text for _, text in texts] == ["Rome.", "Paris: \u2028one"]
    assert notes == [f"{put('a.txt', 'x').parent}/a.txt: 2 empty or repeated texts left out."]


def test_ids_depend_on_the_text_alone(put: Put) -> None:
    lines = "t\nLondon\nParis\nRome  is old.\n"
    first = dict(read(put("a.txt", "Rome is old.\nParis\n")))
    second = dict(read(f"{put('other.csv', lines)}:t"))
    assert set(first) < set(second)
    assert all(len(key) == 13 and key.isalnum() for key in second)


def test_a_folder_is_read_a_text_a_file(put: Put) -> None:
    folder = put("all/Marie_Curie.txt", "Born in\n\nWarsaw.\n").parent
    put("all/b.MD", "Two\nlines")
    put("all/.hidden.txt", "no")
    put("all/empty.txt", " \n")
    put("all/data.json", "{}")
    (folder / "c.txt.gz").write_bytes(gzip.compress(b"Packed."))
    notes: list[str] = []
    texts = [text for _, text in read(folder, notes)]
    assert texts == ["Marie Curie\n\nBorn in\n\nWarsaw.\n", "b\n\nTwo\nlines", "c\n\nPacked."]
    assert [note.split(": ")[1] for note in notes] == [
        "1 file not read",
        "1 empty or repeated text left out.",
    ]


def test_a_column_of_a_table(put: Put) -> None:
    rows = 'id,title,text\n7,Ann,"Lives in\n""Rome"", they say"\nb,,Bo\n'
    expected = [("7", 'Ann\n\nLives in\n"Rome", they say'), ("b", "Bo")]
    assert read(f"{put('a.csv', rows)}:text") == expected
    tsv = "text\tid\nAnn lives in Rome\t7\n"
    assert read(f"{put('a.tsv', tsv)}:text") == [("7", "Ann lives in Rome")]
    lines = '{"id": 7, "body": "Ann {x}"}\n\n{"id": "8", "title": "Bo", "body": "is", "n": 1}\n'
    assert read(f"{put('a.jsonl', lines)}:body") == [("7", "Ann {x}"), ("8", "Bo\n\nis")]
    assert words(f"{put('c:d.csv', 'x:y,z' + chr(10) + 'Rome,1')}:z") == ["1"]
    names = '{"id": "q", "of": ["Ann", "Rome"]}\n{"of": ["Rome"]}\n{"of": []}\n{"of": ["Rome"]}\n'
    listed = read(f"{put('names.jsonl', names)}:of")
    assert [text for _, text in listed] == [("Ann", "Rome"), ("Rome",)]
    assert listed[0].id == "q"
    long = "text\n" + "a" * 200_000 + "\n"  # longer than the csv module reads unasked
    assert [len(str(text)) for text in words(f"{put('long.csv', long)}:text")] == [200_000]


@pytest.mark.parametrize(
    ("name", "content", "column", "message"),
    [
        ("a.txt", "", "", "is empty"),
        ("a.txt", "x\0y", "", "line 1 holds a NUL byte"),
        ("a.txt", "x", ":text", "a.txt is no table"),
        ("a.csv", "id,text\n1,x", "", r"no column ''; name that of the texts, .*COLUMN; known: id, text"),
        ("a.csv", "id,text\n1,x", ":txt", "line 2 has no column 'txt'; .* did you mean 'text'"),
        ("a.csv", "id,text\n1,x,y", ":text", "line 2 has not one value for each column of line 1, id, text"),
        ("a.csv", 'id,text\n1,"x', ":text", "is no table: .*quotes closed"),
        ("a.csv", "id,id\n1,2", ":id", "each column of line 1, id, id, which need a name each"),
        ("a.csv", "id,text\n", ":text", "holds no text"),
        ("a.csv", "id,text\n1,x\n1,y", ":text", "line 3: has the id '1', as another text"),
        ("a.csv", "id,text\n,x\n", ":text", "line 2: id is ''"),
        ("a.jsonl", '{"text": 1}\n{"text": null}', ":text", r"line 1: text is 1\n.*line 2: text is None"),
        ("a.jsonl", '{"text": ["x", 1]}', ":text", r"line 1: text is \['x', 1\]"),
        ("a.jsonl", '{"text": "x", "id": true}', ":text", "line 1: id is True"),
        ("a.jsonl", '{"text": "x"}\n{}', ":text", "line 2 has no column 'text'"),
        ("a.jsonl", "[1]", ":text", "line 1"),
        ("f/a.pdf", "x", "", r"f: holds no text.*1 other file found"),
    ],
)  # fmt: skip
def test_bad_files_are_refused(
    put: Put, name: str, content: str, column: str, message: str
) -> None:
    path = put(name, content)
    with pytest.raises(InputError, match=f"(?s){message}"):
        read(f"{path.parent if name.startswith('f/') else path}{column}")


def test_a_text_in_another_encoding_or_too_long_is_refused(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put("a.txt", "")
    path.write_bytes("Zürich".encode("latin-1"))
    with pytest.raises(InputError, match="line 1 is not UTF-8"):
        read(path)
    monkeypatch.setattr(seed_texts, "MOST_CHARACTERS", 5)
    with pytest.raises(InputError, match=r"line 2: has 6 characters; at most 5.*a text a line"):
        read(put("b.txt", "Rome\nParis!\n"))
    with pytest.raises(InputError, match="no such file"):
        read("missing.txt")


def test_the_demo_has_its_texts() -> None:
    assert len(words("demo")) > 150
