"""The names of a release: entities, relations and what these declare, types, and the ids of questions.

Checks that every naming has each entity once, and that private ids have one form; that graphs have no other
names; that the relations of one fact agree about it, and that what was found in the graph is borne out by it
and declared; and that the ids of questions and rejected ones are the numbers from 1 on, each once.
"""

import math
import re

from rulemine.verify.contents import Contents, Record, Row, as_triple, certified
from rulemine.verify.graph import MASK, Facts, member, packed
from rulemine.verify.report import shown

__all__ = ["check_found", "check_ids", "check_names", "is_kept", "sure_fraction"]

SURE_SHARE, SURE_TRIPLES = 0.9, 30
"""A declaration found in a graph holds for at least this fraction (lower end of the 95 % interval) of at
least so many triples."""

UNASKED = "ask"
"""The stage whose rejections have no question id yet."""


def check_names(contents: Contents) -> None:
    """Checks the tables of names, and that the graphs have no other names."""
    lines = contents.text("entities.tsv").split("\n")[1:-1]
    for column, what in enumerate(("private", "entity", "text")):
        if len({line.split("\t")[column] for line in lines}) < len(lines):
            contents.findings.add("entities.tsv", None, "namings unique", what, "each name once")
    form = re.compile(rf"e\d{{{len(lines[0].split()[0]) - 1 if lines else 0}}}\t")
    for number, line in enumerate(lines, start=2):
        if not form.match(line):
            contents.findings.add(
                "entities.tsv",
                number,
                "private id",
                shown(line),
                f"{form.pattern}, as in the first row",
            )
    first: dict[str, Row] = {}
    for at in contents.table("relations.tsv"):
        row, begin = at.row, first.setdefault(at.row["fact"], at.row)
        own = row is not begin and row["symmetric"] == ""
        if (
            contents.relations[row["relation"]] != row
            or row["fact"] != begin["relation"]
            or row["symmetric"] != begin["symmetric"]
            or row["symmetric"] not in ("", "yes")
            or row["reversed"] not in ("", *["yes"] * own)
        ):
            contents.wrong(
                at,
                "declarations",
                [row[key] for key in ("relation", "fact", "reversed", "symmetric")],
                "each relation once, with the first of its fact, as symmetric as that, and reversed (yes) "
                "only if it is another one, and not symmetric",
            )
    if lost := sorted(contents.types.keys() - contents.entities.keys())[:3]:
        contents.findings.add("types.tsv", None, "names", shown(lost), "entities of entities.tsv")
    graphs = contents.incomplete, contents.wider  # a name gets its number where it is first read
    tables = {"entities.tsv": [*contents.entities], "relations.tsv": [*contents.relations]}
    for (file, known), own_names in zip(tables.items(), graphs[0].terms.names, strict=True):
        contents.findings.checked[file.removesuffix(".tsv")] += len(known)
        if lost := own_names[len(known) :][:3]:
            contents.findings.add(file, None, "names", f"no {lost}", "all names of the graphs")


def check_found(contents: Contents) -> None:
    """Checks that declarations found in the graph hold in it as stated, and are those of the release."""
    facts, graph = Facts(contents.relations), contents.complete
    # A property graph has every statement of its facts, those that were added too; where a user named what is
    # missing, no graph of the release is the one that was given.
    added = contents.given or any(
        name.startswith("property_graph/") for name in contents.manifest["files"]
    )
    inverses, known = contents.manifest["kg"].get("inverses", {}), contents.relations.keys()
    if inverses.keys() & known or {*inverses.values()} - known:
        contents.findings.add(
            "manifest.json",
            None,
            "inverses",
            shown(inverses),
            "relations left out, each with one that is not",
        )
    for row in contents.manifest["kg"].get("found", []):
        one, other, looks = row["relation"], row["other"], row["looks"]
        turned, counts = looks in ("symmetric", "inverse", "narrower_inverse"), []
        for first, second in [(one, other), (other, one)][: 1 + (looks in ("inverse", "same"))]:
            pairs = graph.pairs(first)
            own = pairs[(pairs >> 32) != (pairs & MASK)]  # without self-loops
            stated = member(graph.pairs(second), packed(own & MASK, own >> 32) if turned else own)
            counts.append([int(stated.sum()), len(own)])
        same = facts.of(("?", other, "") if turned else ("", other, "?"))
        if (
            not (added or counts == row["counts"])
            or not all(
                n >= SURE_TRIPLES and sure_fraction(k, n) >= SURE_SHARE for k, n in row["counts"]
            )
            or not (looks.startswith("narrower") or facts.of(("", one, "?")) == same)
        ):
            contents.findings.add(
                "manifest.json",
                None,
                "found declarations",
                shown(row),
                f"counts {counts}, of {SURE_TRIPLES} triples and at least {SURE_SHARE} with 95 %, and "
                "statements of one fact in relations.tsv",
            )


def sure_fraction(hits: int, tries: int) -> float:
    """The lower end of the 95 % Wilson interval of hits among tries."""
    z = 1.959963984540054
    spread = z * math.sqrt(hits * (tries - hits) / tries + z * z / 4)
    return (hits + z * z / 2 - spread) / (tries + z * z)


def check_ids(contents: Contents) -> None:
    """Checks the ids of questions and of rejected ones, and what these say of a removed triple."""
    made = [(at, at.row["id"]) for at in contents.questions]
    for at in contents.rejected:
        gone = contents.removed.get(as_triple(at.row["removed"] or [""] * 3))
        ends, rules = (gone.row["directions"], certified(gone.row)) if gone else ([""], [""])
        contents.equal(at, "direction", at.row["direction"] in ends, True)
        contents.equal(at, "rule", at.row["rule"] in rules, True)
        if not is_kept(at) and (at.row["question"] or at.row["stage"] != UNASKED):
            made.append((at, at.row["question"]))
    width = max((len(name) for _, name in made), default=0) - 1
    left = {f"q{number:0{width}}" for number in range(1, len(made) + 1)}
    for at, name in made:
        if name not in left:
            contents.wrong(at, "question id", name, f"q and a number up to {len(made)}, each once")
        left.discard(name)


def is_kept(at: Record) -> bool:
    """Whether only a model's text was rejected: the question has its template, or no paraphrase."""
    begins = ("detail", "template used: "), ("reason", "paraphrase: ")
    return at.row["stage"] == "verbalize" and any(
        str(at.row[key]).startswith(start) for key, start in begins
    )
