"""The reader ``metaqa``: MetaQA (Zhang et al., AAAI 2018), questions of one to three hops about movies.

The folder has ``N-hop/vanilla/qa_SPLIT.txt``, ``N-hop/qa_SPLIT_qtype.txt`` and ``kb.txt``. The files of
EmbedKGQA, ``qa_SPLIT_Nhop.txt``, and those without the folder ``vanilla`` are read too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rulemine.config import Section
from rulemine.errors import InputError, counted
from rulemine.files import read_lines
from rulemine.importing.protocol import ImportedQuestion, ImportedSet
from rulemine.kg.graph import KnowledgeGraph, Triple
from rulemine.query.tree import Anchor, Difference, Projection, Query

__all__ = ["Metaqa", "chain"]

_QUESTIONS = re.compile(r"(?:qa_)?(train|dev|test)(?:_([123])-?hop)?\.txt(?:\.gz|\.zst)?")
_SPLITS = {"train": "train", "dev": "validation", "test": "test"}

_RELATIONS = {
    "actor": "starred_actors",
    "director": "directed_by",
    "writer": "written_by",
    "year": "release_year",
    "language": "in_language",
    "genre": "has_genre",
    "tag": "has_tags",
    "tags": "has_tags",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
}
"""What a type of question calls the objects of a relation; the subjects are movies."""

_PEOPLE = ("actor", "director", "writer")


@dataclass(frozen=True)
class Metaqa(Section):
    """Questions with the chain that their type names, over the graph of movies."""

    def __call__(self, path: Path, kg: Path | None, incomplete: Path | None) -> ImportedSet:
        """Reads the folder, the folder of a hop, or a file of questions."""
        if not path.exists():
            raise InputError(f"{path}: does not exist; the folder of MetaQA was expected.")
        files = _by_hops_and_split(_question_files(path))
        complete = None if (graph := kg or _graph_beside(path)) is None else _triples(graph)
        relations = {relation for _, relation, _ in complete or ()}
        questions: list[ImportedQuestion] = []
        for (hops, split), file in files.items():
            questions += _questions(file, split, hops, relations)
        return ImportedSet(
            title="MetaQA",
            source="https://github.com/yuyuz/MetaQA",
            license="CC BY 3.0",
            citation="Zhang, Dai, Kozareva, Smola, Song: Variational Reasoning for Question Answering with "
            "Knowledge Graph. AAAI 2018. https://arxiv.org/abs/1709.04071",
            questions=questions,
            complete=complete,
            incomplete=None if incomplete is None else _triples(incomplete),
            definitions={
                "answers": "What the chain of relations leads to from the topic entity; a chain of two or "
                "three hops does not come back to the topic entity, which is never its own answer. Of "
                "one hop, where several movies have one title, the answers of one of them.",
                "hits@1": "The share of questions whose first answer is among the stated ones.",
            },
            notes=()
            if graph
            else (f"no kb.txt was found at {path}, so the questions have no graph",),
        )


def chain(kind: str, topic: str) -> Query | None:
    """The query of a type of question; None if it has an unknown word.

    A walk that is back at the topic entity after two steps ends there: no movie shares its own actors, and
    nobody acts beside himself.

    Example:
        >>> chain("actor_to_movie_to_year", "Kate")
        <query (p "release_year" (p- "starred_actors" "Kate"))>
        >>> chain("movie_to_actor_to_movie", "Up")
        <query (minus (p- "starred_actors" (p "starred_actors" "Up")) "Up")>
    """
    words = kind.split("_to_")
    found: Query = Anchor(topic)
    for step, (start, end) in enumerate(pairwise(words), start=1):
        relation = _RELATIONS.get(start if end == "movie" else end)
        if relation is None or "movie" not in (start, end):
            return None
        found = Projection(relation, end == "movie", found)
        same = end == words[0] or {end, words[0]} <= {*_PEOPLE}
        if step == 2 and same:
            found = Difference(found, Anchor(topic))
    return found if len(words) > 1 else None


def _question_files(path: Path) -> list[Path]:
    """The file itself, or those of the folder, without the paraphrases."""
    if path.is_file():
        return [path]
    found = [
        file
        for file in path.rglob("*.txt*")
        if _QUESTIONS.fullmatch(file.name) and _hops(file) and file.parent.name != "ntm"
    ]
    if not found:
        raise InputError(
            f"{path}: holds no file such as 2-hop/vanilla/qa_test.txt or qa_test_2hop.txt; name the folder "
            "that MetaQA was unpacked into, one of a hop, or a file of questions."
        )
    return found


def _hops(file: Path) -> int:
    """The number of hops in the name of a file or of a folder that it is in; 0 if there is none."""
    named = _QUESTIONS.fullmatch(file.name)
    words = [named[2] or "" if named else "", *(folder.name for folder in file.absolute().parents)]
    return next((int(word[0]) for word in words if re.fullmatch(r"[123](-?hop)?", word)), 0)


def _by_hops_and_split(files: list[Path]) -> dict[tuple[int, str], Path]:
    found: dict[tuple[int, str], Path] = {}
    for file in files:
        named = _QUESTIONS.fullmatch(file.name)
        key = _hops(file), _SPLITS[named[1]] if named else "test"
        if key in found:
            raise InputError(
                f"{file}: has the same hops and split as {found[key]}; one file of each was expected. Name "
                "the folder of one version."
            )
        found[key] = file
    splits = list(_SPLITS.values())
    return dict(sorted(found.items(), key=lambda item: (item[0][0], splits.index(item[0][1]))))


def _graph_beside(path: Path) -> Path | None:
    """``kb.txt`` in the folder, or in one of the three that it is in."""
    folders = (path, *path.absolute().parents[:3])
    places = (folder / name for folder in folders for name in ("kb.txt", "kb.txt.gz"))
    return next((place for place in places if place.is_file()), None)


def _triples(path: Path) -> list[Triple]:
    """Those of a file like ``kb.txt``, or of any file that holds a graph."""
    if not re.search(r"\.txt(\.gz|\.zst)?$", path.name):
        return KnowledgeGraph.read(path).labeled()
    lines = read_lines(path)
    separator = "\t" if "\t" in lines[0] else "|"
    found: list[Triple] = []
    for number, line in enumerate(lines, start=1):
        fields = tuple(field.strip() for field in line.split(separator))
        if len(fields) != 3 or not all(fields):
            raise InputError(
                f"{path}: line {number} is {line[:80]!r}; subject|relation|object was expected. Is it "
                "the graph?"
            )
        found.append((fields[0], fields[1], fields[2]))
    return found


def _questions(
    path: Path, split: str, hops: int, relations: set[str]
) -> Iterator[ImportedQuestion]:
    """The questions of a file, which has no ids: line 3 of 2-hop, test, becomes ``2-hop-test-3``."""
    lines = read_lines(path)
    stem = path.name.partition(".txt")[0]
    above = path.parent.parent
    name = f"{stem}_qtype.txt"
    kinds = _beside(path, (path.parent / name, above / name), lines)
    name = f"{stem}.txt"
    others = _beside(path, (above / "ntm" / name, path.parent / "ntm" / name), lines)
    for number, line in enumerate(lines, start=1):
        where = f"{path}: line {number}"
        text, topic, answers = _fields(line, where)
        again: tuple[str, ...] = ()
        if others:
            paraphrase, other, same = _fields(others[number - 1], f"the paraphrase of {where}")
            if (other, same) != (topic, answers):
                raise InputError(
                    f"the paraphrase of {where} has the topic {other!r} and "
                    f"{counted(len(same), 'answer')}; those of the question were expected, {topic!r} and "
                    f"{len(answers)}. Are the files of the same version?"
                )
            again = (paraphrase,)
        kind = kinds[number - 1].strip() if kinds else ""
        query = chain(kind, topic)
        asked = {part.relation for part in _projections(query)}
        yield ImportedQuestion(
            id=f"{hops}-hop-{split}-{number}" if hops else f"{split}-{number}",
            text=text,
            answers=answers,
            split=split,
            topics=(topic,),
            query=query.text if query and asked <= relations else "",
            paraphrases=again,
            fields=({"hops": hops} if hops else {}) | ({"type": kind} if kind else {}),
        )


def _projections(query: Query | None) -> Iterator[Projection]:
    while query is not None:
        if isinstance(query, Projection):
            yield query
        query = query.of if isinstance(query, Projection | Difference) else None


def _fields(line: str, where: str) -> tuple[str, str, tuple[str, ...]]:
    """The text of a line, its topic and its answers."""
    text, _, stated = line.partition("\t")
    topic = re.search(r"\[(.*)\]", text)  # names may have brackets too
    answers = tuple(dict.fromkeys(name.strip() for name in stated.split("|") if name.strip()))
    if topic is None or not answers:
        raise InputError(
            f"{where} is {line[:80]!r}; a question with its topic in brackets, a tab, and answers with | "
            "between them were expected."
        )
    return text.strip(), topic[1].strip(), answers


def _beside(path: Path, places: tuple[Path, ...], lines: list[str]) -> list[str]:
    """The lines of the first of some files that there is, which go with those of the questions."""
    for place in (Path(f"{place}{suffix}") for place in places for suffix in ("", ".gz", ".zst")):
        if place.is_file():
            found = read_lines(place)
            if len(found) != len(lines):
                raise InputError(
                    f"{place}: has {counted(len(found), 'line')}; {len(lines):,} were expected, one for each "
                    f"question of {path.name}. Are the files of the same version?"
                )
            return found
    return []
