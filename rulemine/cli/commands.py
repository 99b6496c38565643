"""What the commands are called, take and say about themselves; their programs are loaded when they run."""

import math
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulemine.cli.console import output_file
from rulemine.registry import loaded

__all__ = ["COMMANDS", "GROUPS", "MOVED", "MOVED_OPTIONS", "SHARED"]

Argument = tuple[Sequence[str], dict[str, Any]]
"""The names of an argument, and what else `argparse.ArgumentParser.add_argument` is given."""


@dataclass(frozen=True)
class Subcommand:
    """A command.

    Attributes:
        module: The module of this package that runs it. Its function ``run_NAME`` is given the parsed
            arguments, and returns the exit status if it is not 0.
        summary: What it does, in lower case, without a period.
        arguments: Its arguments; a text names shared ones, see `SHARED`. Those that are keys of a recipe or
            a study are added by `rulemine.cli.keys.add_keys`.
        more: The text after its help.
        beside_output: Whether it shows tables beside what it writes to its ``-o``, rather than there.
        takes_program: Whether a program may follow after ``--``.
    """

    module: str
    summary: str
    arguments: Sequence[Argument | str]
    more: str = ""
    beside_output: bool = False
    takes_program: bool = False


def arg(
    names: str,
    metavar: str | None,
    text: str,
    kind: Callable[[str], Any] = str,
    **how: Any,
) -> Argument:
    """An argument with a value.

    Args:
        names: Its name, or the spellings of the option, separated by spaces.
        metavar: What its value is called in the help; None: its choices.
        text: What it is.
        kind: Converts the value.
        how: The other arguments of `argparse.ArgumentParser.add_argument`.
    """
    return names.split(), {"metavar": metavar, "help": text, "type": kind, **how}


def path(text: str) -> Path:
    """A file or folder; an empty name would be the current folder."""
    if not text:
        raise ArgumentTypeError("nothing is named; expected a file or folder")
    return Path(text)


def switch(name: str, text: str) -> Argument:
    """An option without a value."""
    return [name], {"action": "store_true", "help": text}


def several(names: str, metavar: str, text: str, kind: Callable[[str], Any] = str) -> Argument:
    """An option that may be repeated."""
    return arg(names, metavar, text, kind, action="append", default=[])


def format_of(*formats: str) -> Argument:
    """The option for the format of what is printed; the first is the default."""
    return arg("--format", "NAME", ", ".join(formats), choices=formats, default=formats[0])


def within(
    least: float, most: float = math.inf, kind: Callable[[str], Any] = int
) -> Callable[[str], Any]:
    """Converts the value of an option to a number of a type, from `least` to `most`."""

    def read(text: str) -> Any:
        if not least <= (value := kind(text)) <= most:
            end = f" … {most:,}" if most < math.inf else " or more"
            raise ArgumentTypeError(f"is {value}; expected {least:,}{end}")
        return value

    read.__name__ = kind.__name__
    return read


SHARED = {
    "release": arg("release", "DIR", "folder or archive of the release", path),
    "split": arg("--split", "SPLIT", "train, validation, test or all (test)", default="test"),
    "split?": arg("--split", "SPLIT", "train, validation, test or all (test)"),
    "sample": arg("--sample", "N", "the first N questions of one fixed order (all)", int),
    "kg": arg("--kg", "GRAPH", "complete, incomplete, incomplete-LEVEL, control, unprovable (incomplete)",
              default="incomplete"),
    "kg?": arg("--kg", "GRAPH", "complete, incomplete, incomplete-LEVEL, control, unprovable (incomplete)"),
    "seed": arg("--seed", "N", "of what is drawn (0)", int, default=0),
    "output": arg("-o --output", "FILE", "(standard output)", output_file),
    "replace": switch("--replace", "replace a release of another name, or an edited one"),
    "columns": arg("--columns", "A,B,C", "of a table: subject, relation, object, by name or number",
                   lambda text: text.split(","), default=()),
    "strict": switch("--strict", "refuse RDF with lines that are not in its format"),
    "cluster": arg("--cluster", "ADDRESS", "Dask: tcp://HOST:PORT, a scheduler file or local:N"),
    "model": arg("--model", "NAME", "the model, for what asks one", default=""),
    "set": several("--set", "KEY=VALUE", "a key; rulemine build --keys lists all"),
    "endpoint": several("--set", "KEY=VALUE",
                        "of the model: endpoint.base_url, .batch, …"),
}  # fmt: skip
"""Name → argument that several commands take; with ``?`` it has no default."""

OF_ONE = ("matching", "kg", "missing", "reader", "cluster", "graph", "url", "neo4j", "seconds")
"""Options of ``evaluate`` for one file of predictions."""

DRAFT, RELEASE = "draft", "release"
STEPS = ("ground", "select", "ask", "balance", "verbalize", "split", "twin")
"""What ``--until`` names."""

URL, FOLDER, PORT, HEAP = "bolt://127.0.0.1:7687", "out/neo4j", 7687, "1g"
"""Of a Neo4j, where nothing is given."""

COMMANDS = {
    "build": Subcommand("build", "build a benchmark: all steps, resumed where an earlier run stopped",
        (
            arg("recipe", "RECIPE", "a recipe, a folder with one, a data set or a graph"),
            arg("-o --output", "DIR", "folder (out/NAME)", path),
            arg("--until", "STAGE", f"draft, {', '.join(STEPS)}",
                choices=(DRAFT, *STEPS, RELEASE), default=RELEASE),
            "replace set",
            arg("--keys", "SECTION", "list the keys of recipes", nargs="?", const="",
                kind=lambda name: loaded("rulemine.cli.keys:list_keys")(name)),
            arg("--runs", "N", "of a release: ask its seed texts anew, N times", within(1)),
            arg("--effort", "UNITS", "of a graph: million joins that may be made (150)", within(1)),
            arg("--limit-seconds", "S", "end after so many seconds; run again to go on",
                within(0, kind=float)),
            "cluster",
            several("--not-in", "DIR", "ask no question of this release again", path),
            arg("--removed", "FILE", "the missing triples: ask what is proved of them", path),
            switch("--dry-run", "estimate calls and tokens, and show three prompts"),
            arg("--replay", "DIR", "take all replies from this release's journal", path),
        ), beside_output=True,
    ),
    "verify": Subcommand("build", "verify a release: digests, proofs, answers, splits",
        (
            "release",
            arg("--most", "N", "problems to print (20)", within(0), default=20),
            switch("--thorough", "recount every rule"),
            arg("--neo4j", "URL", "of the kind cypher: run the gold on this database, which has to be empty; "
                "none: on none (on a Neo4j of its own, if one was fetched before)"),
            switch("--rebuild", "also build it again from its own recipe, and compare the two byte by byte"),
            several("--set", "KEY=FILE", "with --rebuild: a file that the recipe names, e.g. "
                    "rules=rules.tsv, or not_in=DIR, or removed=FILE"),
        ),
    ),
    "show": Subcommand("release", "show questions with their proofs, on a page or to SPARQL too",
        (
            "release",
            arg("id", "ID", "id of a question, e.g. q00001", nargs="*"),
            arg("--sample", "N", "show N questions, the core first (0)", within(0), default=0),
            switch("--summary", "show instead how many questions there are, why no more, and what to change"),
            arg("--sheet", "N", "write instead an empty sheet of N questions of each structure, for people "
                "to check", within(1)),
            arg("-o --output", "FILE", "of --sheet and --summary (standard output)", output_file),
            arg("--serve", "WHAT", "page[:split=test:port=8765], or sparql[:kg=incomplete:naming=entity:"
                "iris=freebase:port=8890:timeout=30:max_rows=100000], on this machine"),
        ),
    ),
    "mine": Subcommand("graphs", "mine the rules of a knowledge graph",
        (
            arg("kg", "KG", "a graph or the name of a data set"),
            format_of("jsonl", "amie", "anyburl"), "output columns strict cluster",
            arg("--amie-jar", "JAR", "the original AMIE mines: amie3.5.1.jar", path),
        ),
        "A build has other defaults: rulemine build --keys mining",
    ),
    "data": Subcommand("graphs", "data sets, property graphs, queries, glosses, Neo4j",
        (
            arg("what", None, "list all data sets, or get one and print where its files are",
                choices=("list", "get")),
            arg("name", "NAME", "of the data set", nargs="?"),
        ),
    ),
    "rename": Subcommand("release", "rewrite a release in another naming",
        (
            "release",
            arg("--naming", "NAMING", "private, entity, text or numeric", required=True),
            arg("-o --output", "DIR", "folder of the new release", path, required=True),
            "replace",
        ),
    ),
    "archive": Subcommand("release", "write a release as one tar, to be published",
        (
            "release",
            arg("--hide", None, "leave out what answers the questions of this split", choices=("test",)),
            arg("-o --output", "FILE", "the tar (DIR.tar, or DIR-without-test.tar); FILE.sha256 is beside it",
                path),
        ),
    ),
    "export": Subcommand("release", "write a release in the files of other people's systems",
        (
            "release",
            arg("--to", "FORMAT[:key=value…]", "the format; A,B: several, a folder each in OUT",
                required=True),
            arg("-o --output", "OUT", "folder; of questions a file (standard output)", path),
            "kg?",
            arg("--naming", "NAMING", "private, entity or text (the release's)"),
            arg("--seed", "N", "of what is drawn (0)", int),
            switch("--without-answers", "test alone, its answers in OUT.answers.jsonl"),
            "endpoint",
        ),
        "Formats: {}; docs/exports.md says which system reads which.\n"
        "questions[:split=test:sample=N]: what a system is given, and nothing else: id, question,\n"
        "topic_entities, a JSON object a line. The graph is kg/incomplete.tsv.gz in DIR.\n"
        "supervision[:split=all:answers=asked:model=NAME:replies=DIR …]: compares the triples of shortest\n"
        "paths, on which retrievers are mostly trained, with the evidence; -o OUT writes both labelings.",
    ),
    "import": Subcommand("release", "read a question set that others published, as a release",
        (
            arg("form", "FORM[:key=value…]", "the form of its files"),
            arg("path", "PATH", "its file or folder", path),
            arg("--kg", "FILE", "the complete graph, where the form has none or another is wanted", path),
            arg("--incomplete", "FILE", "the incomplete graph, a part of the complete one", path),
            arg("-o --output", "DIR", "folder of the release", path, required=True),
            "replace",
        ),
        "Forms: {}.\n"
        "docs/importing.md says what each reads, and what its options are.",
    ),
    "answer": Subcommand("systems", "answer the questions of a release with a system",
        (
            "release",
            arg("--with", "NAME[,NAME…]", "e.g. lookup, neighbors:hops=2, prior:k=5", dest="answerers",
                required=True),
            arg("-o --output", "FILE", "predictions; of several systems a folder; - is stdout",
                output_file),
            "kg split sample seed cluster",
            switch("--dry-run", "say what it would take of a model, ask nothing"),
            "model endpoint",
        ),
        "NAME[:key=value…] is one of the answerers of docs/answerers.md, or one that an installed package\n"
        "adds. Everything is kept in FILE.work: the same command after an interruption goes on. Questions\n"
        "over a property graph: --with gold-cypher, reasoner, prior, text-to-cypher or command.\n"
        "A program of yours: rulemine answer DIR --with command -o FILE -- python my_system.py",
        takes_program=True,
    ),
    "evaluate": Subcommand("evaluate", "score predictions; several files are compared",
        (
            arg("release", "DIR|QUESTIONS", "a release; or questions with their Cypher", path),
            arg("predictions", "FILE", "predictions: JSON Lines, or JSON", path, nargs="*"),
            switch("--baselines", "run and score every model-free answerer instead"),
            switch("--twins", "who knows what cannot be inferred: FILEs from --kg control and unprovable"),
            switch("--all", "every group of questions, every fate of queries"),
            arg("--matching", "MODE", "answers in texts: ids, vocabulary, brink (vocabulary)"),
            "split?",
            arg("--sample", "N", "the first N questions (as the file says, or all)", int),
            arg("--naming", "NAMING", "of the predictions (the release's)"),
            arg("--kg", "GRAPH", "that was answered from (as the file says)"),
            arg("--level", "L", "hard answers are those missing at level L, 1–100", int),
            arg("--missing", None, "what has no prediction: score as empty, or refuse",
                choices=("empty", "error")),
            several("--graph", "[NAME=]GRAPH", "of QUESTIONS: the graph, or that called NAME"),
            several("--url", "[NAME=]URL", "of Cypher: a server to run it on (in memory)"),
            switch("--neo4j", "of Cypher: start a Neo4j to run it on, and end it"),
            arg("--seconds", "S", "of Cypher: that a query may take (120)", float),
            arg("--reader", "NAME[@URL]", "a model reads the replies, too, and lists names"),
            several("--judge", "NAME[,NAME…]", "one model or three judge questions (no FILE)"),
            switch("--dry-run", "say what models would take, ask nothing"),
            several("--set", "KEY=VALUE", "of models: endpoint.base_url, …, judge.prompts, …"),
            arg("--metrics", "NAME[,NAME…]", "of other projects, or all; of several FILEs ours"),
            arg("--seed", "N", "of intervals and what is drawn (0)", int),
            format_of("table", "json", "csv", "markdown", "latex", "html", "questions"),
            arg("-o --output", "FILE", "(standard output); of --judge needed", output_file),
            "cluster",
        ),
    ),
    "study": Subcommand("systems", "run systems on ever less complete graphs, to a page",
        (
            arg("source", "DIR|FILE.toml", "folder or archive of a release, or a file that describes a study",
                path),
            arg("--with", "NAME[,NAME…]", "the systems, as for rulemine answer", dest="systems"),
            arg("-o --output", "OUT", "folder of the study", path, required=True),
            switch("--dry-run", "say what the study costs, and do nothing"),
            "cluster",
            several("--set", "KEY=VALUE", "names, namings, naming_levels, model_levels, matching, resamples, "
                    "metrics; of the model: endpoint.base_url, .batch, …"),
        ),
        "Everything is kept in OUT: the same command after an interruption goes on where it was. What it\n"
        "costs is printed before it starts. A file has the same keys as the options, and systems =\n"
        '["lookup", "bm25"]:\n'
        "  rulemine study out/demo --with lookup,prior,reasoner -o out/study\n"
        "  rulemine study study.toml -o out/study", beside_output=True, takes_program=True,
    ),
    "tables": Subcommand("systems", "make the tables and figures of a paper, from your releases",
        (
            arg("paper", "PAPER", "its short name"),
            arg("paths", "DIR|FILE", "releases, studies, predictions, filled sheets", path, nargs="+"),
            "split",
            arg("--resamples", "N", "resamples of an interval of predictions (1000)", within(1),
                default=1000),
            "seed",
            arg("-o --output", "OUT", "folder to write", path, required=True),
            arg("--model", "NAME", "an embedding model, for tables that compare meanings", default=""),
            "endpoint",
        ),
        "PAPER is brink, synthkgqa, dynamickgqa, complexlogicalqa or cypherbench. DIR is a release, the\n"
        "folder of a study, predictions (.jsonl, .json) or a filled sheet (.tsv); of a study or\n"
        "predictions, give the release too. Tables that need what was not given are named, with what\n"
        "would give them:\n"
        "  rulemine tables brink out/family out/study-family -o out/tables", beside_output=True,
    ),
    "audit": Subcommand("systems", "what guesses get, what leaks and what is confirmed, side by side",
        (
            arg("releases", "DIR", "folders or archives of releases", path, nargs="+"),
            switch("--no-mining", "mine no rules where a release has none"),
            arg("--resamples", "N", "resamples of an interval (1000)", within(1), default=1000),
            "seed",
            arg("-o --output", "OUT", "folder to write", path, required=True),
        ),
        "Writes audit.json, audit.md and audit.html into OUT. Each figure has its definition, the number\n"
        'of questions it is over, an interval and examples; what the files do not allow is "not\n'
        'available":\n'
        "  rulemine audit out/demo -o out/audit\n"
        "  rulemine audit out/demo out/family -o out/audit    side by side, in one table", beside_output=True,
    ),
    "data graph": Subcommand("graphs", "count, convert or describe a property graph, or ask about it",
        (
            arg("source", "SOURCE", "demo, geography, SimpleKG (.json), tables (.toml), RDF, triples (.tsv), "
                "a data set, or a database (bolt://…)"),
            arg("--to", "FORM", "simplekg, schema, or tasks[:per_template=N:seed=N] (count only)"),
            arg("--schema", "FILE", "a schema in TOML, in place of its own or a drafted one", path),
            arg("--labels", "FILE", "what the entities of triples are called: TSV or a data set"),
            arg("--name-property", "NAME", "the property that nodes of a database are called by (name)"),
            arg("--language", "TAG", "the language of texts in RDF (en)"),
            "columns strict output",
        ),
        "From triples, types are induced. Write a draft, edit it (rename and merge types\n"
        "and relations, delete what is not wanted), then convert with it:\n"
        "  rulemine data graph my.tsv --to schema -o my-schema.toml\n"
        "  rulemine data graph my.tsv --schema my-schema.toml --to simplekg -o my.json\n"
        "tasks are questions with their Cypher, a line each (JSON).",
    ),
    "data query": Subcommand("graphs", "answer a query and say how much of each answer is missing",
        (
            arg("kg", "KG", "the complete graph, the name of a data set, or a release"),
            arg("query", "QUERY", "the query; - reads it from standard input"),
            arg("--removed", "FILE", "TSV of the triples that are removed; a release has its own", path),
            arg("--level", "N", "grade at this incompleteness level of a release (100)", within(1, 100)),
            arg("--most", "N", "answers to print (20)", within(0)),
            arg("--to", None, "print the query in this language instead of answering it",
                choices=("sparql", "cypher")),
            "columns strict",
        ),
        '  "x"             the entity x; names are in double quotes\n'
        '  (p "r" X)       the objects of r whose subject is in X\n'
        '  (p- "r" X)      the subjects of r whose object is in X\n'
        "  (and X Y …)     in all of them\n"
        "  (or X Y …)      in some of them\n"
        "  (minus X Y)     in X and not in Y\n"
        "  (count X)       how many; outermost",
    ),
    "data neo4j": Subcommand("graphs", "start a Neo4j on this machine, load a release's graph, end it",
        (
            arg("action", None, "start one in the background, fetched with Maven once; load the graph of a "
                "release; stop it", choices=("start", "load", "stop")),
            arg("release", "DIR", "folder or archive of the release, for load", path, nargs="?"),
            "kg?",
            arg("--url", "URL", f"where to load it, any address of Bolt ({URL})"),
            arg("--database", "NAME", "a database of that server (its own choice)"),
            switch("--replace", "delete first what the database holds"),
            arg("--folder", "FOLDER", f"folder of the data of a server that is started ({FOLDER})", path),
            arg("--port", "N", f"its port on this machine, 0 for any that is free ({PORT})", int),
            arg("--heap", "SIZE", f"heap of its JVM ({HEAP})"),
        ),
    ),
    "data gloss": Subcommand("build", "write relation descriptions for the prompts of a language model",
        (
            arg("recipe", "RECIPE", "as in rulemine build"),
            arg("-o --output", "FILE", "TOML (out/NAME.glosses.toml)", output_file),
            switch("--book", "write questions for relations that no phrase book knows, by a model"),
            "set",
        ),
        "With --model NAME, a model describes each relation from its name and ten triples. Without,\n"
        "descriptions are made from the templates, for you to edit. Descriptions already in the file, or\n"
        "in the recipe's verbalizer.glosses, are never changed. To build with the file:\n"
        "  rulemine build RECIPE --model NAME --set verbalizer.glosses=FILE\n"
        "With --book, a model writes templates instead, which word questions without a model:\n"
        "  rulemine build GRAPH --set questions.templates=FILE",
            ),
}  # fmt: skip
"""Name → command, in the order of the help."""

GROUPS = {
    "Build": ("build", "verify", "show", "mine", "data"),
    "Share": ("rename", "archive", "export", "import"),
    "Test a system": ("answer", "evaluate", "study", "tables", "audit"),
}
"""Heading → the commands below it in the help of the program."""

MOVED = {
    "build draft": "build GRAPH --until draft -o DIR",
    "build keys": "build --keys",
    "data path": "data get",
    "draft": "build GRAPH --until draft -o DIR",
    "variants": "build DIR --runs N -o OUT",
    "gloss": "data gloss",
    "questions": "export DIR --to questions",
    "export supervision": "export DIR --to supervision",
    "compare": "evaluate DIR FILE FILE …",
    "judge": "evaluate DIR --judge NAME -o FILE",
    "serve neo4j": "data neo4j",
    "serve sparql": "show DIR --serve sparql",
    "serve": "show DIR --serve page",
    "graph": "data graph",
    "query": "data query",
}
"""Command of an earlier version → what to type now."""

MOVED_OPTIONS = {
    "--verbalizer": "--model NAME",
    "--selection": "--set selection.mode=…",
    "--estimate": "--dry-run",
    "--update": "what --until draft does by itself",
}
"""Option of an earlier version → what to type now, where no key is called so."""
