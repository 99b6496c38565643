"""The rejections, ``rejected.jsonl``: what each says of the removed triple, query and text that it is about.

Checks the stage; that a rejection has the id of a question where questions have one, which is published only
if its template took the place of the refused text, and then says what its question does. Of the kind
``rules``, that the rule is that of a certificate of the removed triple, the direction one of its own, the
query empty, and a text refused before questions had ids that of a template of its relation; of other kinds,
that the query can be read and has names of the release. That each removed fact is asked for or rejected is
checked with the questions. Reasons and details are free text, which building again proves.
"""

from collections.abc import Iterator

from rulemine.verify.contents import Contents, Located, Row
from rulemine.verify.cypher.patterns import read_pattern
from rulemine.verify.graphs import Removed, as_triple
from rulemine.verify.questions.queries import Query, read
from rulemine.verify.questions.question_set import is_kept, is_paraphrase
from rulemine.verify.questions.wording import cut_of, possible
from rulemine.verify.report import Findings, shown
from rulemine.verify.shapes import NAMINGS

__all__ = ["check_rejections"]

FIRST = "ask"
"""The stage in which questions have no ids yet."""

STAGES = (FIRST, "balance", "verbalize", "split")

_NAMED = "in the naming "
"""How the detail of a refused text begins that says in which naming it is."""

Problem = tuple[str, str, str]


def check_rejections(contents: Contents, findings: Findings) -> None:
    """Checks all lines of ``rejected.jsonl``, and that each text in place of a refused one has one."""
    published = {here.row["id"]: here.row for here in contents.questions}
    of_kind = _of_rules if contents.folder.kind == "rules" else _of_queries
    for here in contents.rejections:
        for problem in (*_of_all(here.row, published), *of_kind(here, contents)):
            findings.add(here.file, here.line, *problem)
    kept = {here.row["question"] for here in contents.rejections if is_kept(here.row)}
    for here in contents.questions:
        if here.row["wording"] == "fallback" and here.row["id"] not in kept:
            expected = "a rejection of a model's text"
            findings.add(here.file, here.line, "fallback", "the text of a template", expected)


def _of_all(row: Row, published: dict[str, Row]) -> Iterator[Problem]:
    stage, name = row["stage"], row["question"]
    if stage not in STAGES:
        yield "stage", shown(stage), " or ".join(STAGES)
    elif (stage == FIRST) != (name == ""):
        expected = "none in this stage" if name else "its id"
        yield "rejected question", shown(name), expected
    if row["text"] and stage == "balance":
        yield "refused text", shown(row["text"]), "none in this stage"
    kept = published.get(name)
    if not is_kept(row):
        return
    wording = "model" if is_paraphrase(row) else "fallback"
    if kept is None or kept["wording"] != wording:
        by = "by a model" if is_paraphrase(row) else "with the text of its template"
        yield "rejected question", shown(name), f"a question {by}"
    elif kept["kind"] != "rules" and row["query"] != kept["query"]:
        yield "rejected query", shown(row["query"]), shown(kept["query"])
    elif kept["kind"] == "rules":
        for key in ("removed", "direction", "rule"):
            if row[key] != kept["rules"][key]:
                yield f"rejected {key}", shown(row[key]), shown(kept["rules"][key])


def _of_rules(here: Located, contents: Contents) -> Iterator[Problem]:
    row = here.row
    if row["query"]:
        yield "rejected query", shown(row["query"]), "none in this kind"
    record = contents.removed.get(as_triple(row["removed"]))
    if record is None:
        return  # a problem of the questions as a set
    if row["rule"] not in (rules := sorted({rule for rule, _ in record.certificates})):
        yield "rejected rule", shown(row["rule"]), f"the certificate's: {' or '.join(rules)}"
    if row["direction"] not in record.row["directions"]:
        expected = " or ".join(record.row["directions"])
        yield "rejected direction", shown(row["direction"]), expected
    elif row["stage"] == FIRST and row["text"]:
        yield from _of_template(row, record, contents)


def _of_template(row: Row, record: Removed, contents: Contents) -> Iterator[Problem]:
    """The problems of a refused text from a template."""
    s, relation, o = as_triple(record.row["triple"])
    topic = contents.names.entities.get(o if row["direction"] == "subject" else s)
    templates = contents.names.relations.get(relation)
    if topic is None or templates is None:
        return  # a problem of the graphs
    naming = row["detail"].removeprefix(_NAMED)
    if not row["detail"].startswith(_NAMED) or naming not in NAMINGS:
        expected = f"{_NAMED}{', '.join(NAMINGS[:-1])} or {NAMINGS[-1]}"
        yield "rejected detail", shown(row["detail"]), expected
        return
    name = topic.spelled[NAMINGS.index(naming)]
    texts = [
        text
        for column in (f"ask_{row['direction']}", f"ask_{row['direction']}s")
        if (cut := cut_of(templates[column], {"{topic}": name})) is not None
        for text in possible(cut, naming == "text")
    ]
    if row["text"] not in texts:
        yield "refused text", shown(row["text"]), f"a text of {relation}: {shown(texts)}"


def _of_queries(here: Located, contents: Contents) -> Iterator[Problem]:
    text = here.row["query"]
    if not text and here.row["stage"] == FIRST:
        return  # what was written was no query
    try:
        if contents.folder.kind == "cypher":
            asked = read_pattern(text)
            entities, relations = [*asked.names.values()], [edge.relation for edge in asked.edges]
        else:
            steps = [*_steps(read(text))]
            entities = [step.name for step in steps if not step.word]
            relations = [step.name for step in steps if step.word and step.name]
    except ValueError:
        yield "rejected query", shown(text), "a canonical query"
        return
    if lost := contents.names.unknown(entities, relations):
        expected = "names of entities.tsv and relations.tsv"
        yield "rejected query", shown(lost), expected


def _steps(query: Query) -> Iterator[Query]:
    yield query
    for part in query.parts:
        yield from _steps(part)
