"""Takes question sets of others, as repositories have them, to columns that ``rulemine import`` reads.

    python tools/published_sets.py FOLDER

Of the files that docs/audits.md names, those in FOLDER are read; what they become is written beside them.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def lines(file: Path) -> list[list[str]]:
    """The lines of a table."""
    return [line.split("\t") for line in file.read_text("utf-8").split("\n") if line]


def write(file: Path, rows: Iterable[Row]) -> None:
    """Writes JSON Lines."""
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def path_question(folder: Path, hops: int) -> Iterator[Row]:
    """PathQuestion: the question, all answers in parentheses, and the path, whose relations are the query."""
    for text, answers, way in lines(folder / f"PQ-{hops}H.txt"):
        topic, *path = way.split("#")
        query = json.dumps(topic)
        for relation in path[: 2 * hops : 2]:
            query = f"(p {json.dumps(relation)} {query})"
        several = answers.partition("(")[2].rstrip(")").strip("/").split("/")
        yield {"question": text, "topics": [topic], "query": query, "answers": several}


def simple_questions(folder: Path) -> None:
    """SimpleQuestions on Wikidata: a fact, whose relation ``R…`` is read backward; the graph is all facts."""
    triples = set()
    for split in ("train", "valid", "test"):
        rows = []
        for s, r, o, text in lines(folder / f"annotated_wd_data_{split}_answerable.txt"):
            relation, back = f"P{r[1:]}", r.startswith("R")
            triples.add((o, relation, s) if back else (s, relation, o))
            query = f'({"p-" if back else "p"} "{relation}" "{s}")'
            rows.append({"question": text, "topics": [s], "answers": [o], "query": query})
        write(folder / "simplequestions" / f"{split}.jsonl", rows)
    text = "".join("\t".join(triple) + "\n" for triple in sorted(triples))
    (folder / "simplequestions.tsv").write_text(text, "utf-8")


def qald(file: Path) -> Iterator[Row]:
    """QALD-9: the English text, the SPARQL, and every value that it bound."""
    for q in json.loads(file.read_text("utf-8"))["questions"]:
        text = next(t["string"] for t in q["question"] if t["language"] == "en")
        bound = [row for a in q["answers"] for row in a.get("results", {}).get("bindings", ())]
        answers = [value["value"] for row in bound for value in row.values()]
        answers += [str(a["boolean"]).lower() for a in q["answers"] if "boolean" in a]
        yield {"question": text, "sparql": q["query"]["sparql"], "answers": answers}


def named(file: Path) -> Iterator[Row]:
    """GrailQA and CWQ as Think-on-Graph has them, WebQSP as AoG has it: names before ids."""
    for q in json.loads(file.read_text("utf-8")):
        answers: Any = [q["answer"]] if isinstance(q["answer"], str) else q["answer"]
        if "sparql_query" in q:
            answers = [a.get("entity_name") or a["answer_argument"] for a in answers]
        yield {
            "id": str(q.get("qid") or q.get("ID") or q["QuestionId"]),
            "question": q.get("question") or q["RawQuestion"],
            "topics": list(q["topic_entity"].values()),
            "answers": [a for a in answers if a],
            "sparql": q.get("sparql_query") or q.get("sparql", ""),
            "type": q.get("level") or q.get("compositionality_type", ""),
        }


RELATIONS = {
    "actor": "starred_actors", "director": "directed_by", "writer": "written_by", "year": "release_year",
    "language": "in_language", "genre": "has_genre", "tag": "has_tags", "tags": "has_tags",
    "imdbrating": "has_imdb_rating", "imdbvotes": "has_imdb_votes",
}  # fmt: skip
"""What a type of question of MetaQA calls the objects of a relation; the subjects are movies."""


def chain(kind: str, topic: str) -> str:
    """The query of a type such as ``actor_to_movie_to_year``.

    A walk that is back at the topic entity after two steps ends there: no movie shares its own actors, and
    nobody acts beside himself.
    """
    words, query = kind.split("_to_"), json.dumps(topic)
    for step, (start, end) in enumerate(pairwise(words), start=1):
        back = end == "movie"
        query = f'({"p-" if back else "p"} "{RELATIONS[start if back else end]}" {query})'
        if step == 2 and (end == words[0] or {end, words[0]} <= {"actor", "director", "writer"}):
            query = f"(minus {query} {json.dumps(topic)})"
    return query


def meta_qa(folder: Path) -> None:
    """MetaQA: the graph from its numbered triples and their names; questions with the chain of their type."""
    names = {key: name for key, name, *_ in lines(folder / "entity2text.txt")}
    relations = {key: name.replace(" ", "_") for key, name in lines(folder / "relation2text.txt")}
    parts = ("train", "dev", "test", "test_old")
    rows = [row for part in parts for row in lines(folder / f"{part}.tsv")]
    kept = {
        f"{names[s]}\t{relations[r]}\t{names[o]}\n" for s, r, o in rows if {s, o} <= names.keys()
    }
    (folder / "kb.tsv").write_text("".join(sorted(kept)), "utf-8")
    for file in sorted(folder.glob("?-hop/*.txt")):
        kinds = file.with_name(f"qa_{file.stem}_qtype.txt")
        if not kinds.exists():
            continue
        asked = []
        for (text, answers), (kind,) in zip(lines(file), lines(kinds), strict=True):
            topic = text.partition("[")[2].rpartition("]")[0]
            row = {"question": text, "topics": [topic], "query": chain(kind, topic), "type": kind}
            asked.append(row | {"answers": answers.split("|")})
        write(folder / f"metaqa-{file.parent.name[0]}" / f"{file.stem}.jsonl", asked)


def main(folder: Path) -> None:
    """Converts what there is."""
    for hops in (2, 3):
        if (folder / f"PQ-{hops}H.txt").exists():
            write(folder / f"pathquestion-{hops}H.jsonl", path_question(folder, hops))
    if (folder / "annotated_wd_data_test_answerable.txt").exists():
        simple_questions(folder)
    for split in ("train", "test"):
        if (file := folder / f"qald-9-{split}-multilingual.json").exists():
            write(folder / "qald-9" / f"{split}.jsonl", qald(file))
    for source, target in (("graliqa", "grailqa"), ("WebQSP", "webqsp"), ("cwq", "cwq")):
        if (folder / f"{source}.json").exists():
            write(folder / f"{target}.jsonl", named(folder / f"{source}.json"))
    if (folder / "entity2text.txt").exists():
        meta_qa(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
