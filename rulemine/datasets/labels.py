"""What entities and relations are called: by labels given or found beside a graph, or by readable names.

Guarantees: a file is taken for labels only if at least half of its ids, or of the graph's names, are in both,
and its texts differ from id to id; what is found depends on the files of the folder and the triples alone.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rulemine.datasets.registry import data_sets, files_of, find_files, load_labels, own_labels
from rulemine.errors import InputError, counted
from rulemine.files import read_lines
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.rdf import is_rdf, read_names
from rulemine.phrasing.relation_names import words_of

__all__ = [
    "LabelFile", "Labels", "aliases_beside", "find_labels", "labels_of", "looks_beside", "parts_of_speech",
    "readable_names",
]  # fmt: skip

_NAMED = re.compile(
    r"label|2text|2name|2wikidata|2id\b|id2|(^|[_-])names?\b|^(entities|relations|properties)\.",
    re.I,
)
_SUFFIX = re.compile(r"\.(tsv|txt|json|dict)(\.gz|\.zst)?$", re.IGNORECASE)

_PREFIX = re.compile(r".*[/#:]")
"""What stands before an id in an IRI or a prefixed name."""

_LEAST = 0.5
"""The share of ids that a file has in common with the graph, and of its texts that differ."""

_MOST_NAMES = 0.6
"""The share of names in a form from which on all names in it are read."""

_SYNSET = re.compile(r"_*(?P<words>\S+?)[._](?P<kind>[nvasr]|NN|VB|JJ|RB)[._](?P<number>\d+)")
_KINDS = {
    "n": "noun", "v": "verb", "a": "adjective", "s": "adjective", "r": "adverb",
    "NN": "noun", "VB": "verb", "JJ": "adjective", "RB": "adverb",
}  # fmt: skip
_SMALL = frozenset({"of", "the", "and", "in", "on", "de", "la", "von", "van"})
_TAXON = re.compile(r"[a-z]+(?:idae|inae|aceae|ales|iformes|oidea|opsida|phyta|mycetes|mycota)")
_NELL = re.compile(r"concept[:_][a-z]+[:_](.+)")


class LabelFile(NamedTuple):
    """A file of labels that was found beside a graph.

    Attributes:
        file: Its name.
        entities: How many entities of the graph it names.
        relations: How many relations.
    """

    file: str
    entities: int
    relations: int


class Labels(NamedTuple):
    """What entities and relations are called.

    Attributes:
        entities: Entity → label.
        relations: Relation → label.
        files: The files that say so, by name.
    """

    entities: dict[str, str]
    relations: dict[str, str]
    files: tuple[LabelFile, ...] = ()


def looks_beside(graph: str, templates: str) -> bool:
    """Whether labels are looked for beside a graph: not for a data set with the templates of a package."""
    return graph not in data_sets() or not templates or bool(Path(templates).suffix)


def labels_of(
    chosen: str, graph: str, kg: KnowledgeGraph, note: Callable[[str], None], *, beside: bool
) -> Labels:
    """What the entities and relations of a graph are called, as far as somebody says so.

    Args:
        chosen: The name of a data set of labels or the path of a file; ``none``; "": what the graph carries
            itself, else what is found.
        graph: The name of a data set or the path of a file.
        kg: The graph.
        note: Called with a sentence if chosen labels name no entity, and as in `find_labels`.
        beside: Whether to look for files beside the graph, and to read names in a form that says so.

    Raises:
        InputError: As `rulemine.datasets.registry.load_labels`.
    """
    named = "" if chosen == "none" else chosen or own_labels(graph)
    texts = load_labels(named) if named else {}
    if chosen and named and not texts.keys() & kg.entity_ids.keys():
        note(f"labels: {named} has {counted(len(texts), 'label')}, none of an entity of {graph}.")
    if texts or chosen or not beside:
        return Labels(
            texts, {relation: texts[relation] for relation in kg.relations if relation in texts}
        )
    found = find_labels(graph, kg, note)
    # France is an instance, and the European Union has it as a member.
    of, has = (
        np.isin(
            kg.triples[:, 1], [i for i, name in enumerate(kg.relations) if word in words_of(name)]
        )
        for word in ("instance", "meronym")
    )
    own = kg.triples[of | (has & np.isin(kg.triples[:, 2], kg.triples[of, 0])), 0].tolist()
    return found._replace(
        entities=found.entities
        | readable_names(kg.entities, found.entities, {kg.entities[i] for i in own})
    )


def find_labels(graph: str, kg: KnowledgeGraph, note: Callable[[str], None]) -> Labels:
    """Finds labels in the folder of a graph's files.

    Args:
        graph: The name of a data set or the path of a file.
        kg: The graph.
        note: Called with a sentence for each file that is called labels and holds none of this graph.
    """
    found: list[tuple[LabelFile, dict[str, str], dict[str, str]]] = []
    numbers = all(map(str.isdecimal, kg.relations))  # the same may be an entity's and a relation's
    for path in _candidates(graph):
        try:
            texts = _by_names(_read(path), kg)
        except InputError as problem:
            texts, why = {}, str(problem).split("\n")[0]
        else:
            why = _refusal(texts, kg)
        if not why:
            entities, relations = (
                {
                    id_: texts[id_]
                    for id_ in texts.keys() & names
                    if not (numbers and of in path.name)
                }
                for of, names in (("rel", kg.entity_ids), ("ent", kg.relation_ids))
            )
            found.append((LabelFile(path.name, len(entities), len(relations)), entities, relations))
        elif "label" in path.name.lower():
            note(f"labels: {path} is beside the graph and is not used: {why}.")
    found.sort(key=lambda one: (one[0].entities, one[0].relations, one[0].file))
    of_entities = {id_: text for _, some, _ in found for id_, text in some.items()}
    of_relations = {
        id_: text for _, _, some in found for id_, text in some.items()
    }  # the largest wins
    return Labels(
        {entity: of_entities[entity] for entity in kg.entities if entity in of_entities},
        {relation: of_relations[relation] for relation in kg.relations if relation in of_relations},
        tuple(sorted(file for file, _, _ in found if file.entities or file.relations)),
    )


def aliases_beside(graph: str, kg: KnowledgeGraph) -> dict[str, tuple[str, ...]]:
    """Entity of a graph → other texts for it: ``skos:altLabel`` and the like of a graph in RDF.

    Beside any graph, lines of entity, tab, alias in ``aliases.tsv``.
    """
    rows = {
        line.partition("\t")[::2]
        for path in _candidates(graph, re.compile(r"aliases\."))
        for line in read_lines(path)
    }
    for path in filter(is_rdf, files_of(graph)):
        rows |= {(iri, name) for iri, own in read_names(path).aliases.items() for name in own}
    return {
        entity: tuple(alias for _, alias in own if alias)
        for entity, own in groupby(sorted(rows), lambda row: row[0])
        if entity in kg.entity_ids
    }


def _candidates(graph: str, called: re.Pattern[str] = _NAMED) -> list[Path]:
    """The files beside those of a graph that are called like labels, by name."""
    own = [
        path
        for path in (find_files(graph) if graph in data_sets() else files_of(graph))
        if path and path.is_file()
    ]
    folders = sorted(
        {path.parent for path in own} | {p for p in (Path(graph),) if p.is_dir() and own}
    )
    return [
        path
        for folder in folders
        for path in sorted(folder.iterdir())
        if called.search(path.name)
        and _SUFFIX.search(path.name)
        and path.is_file()
        and path not in own
    ]


def _read(path: Path) -> dict[str, str]:
    """Id → label: a JSON object, or the first two columns of each line; the first label of an id counts.

    Raises:
        InputError: It is neither.
    """
    if ".json" in path.suffixes:
        return load_labels(str(path))
    texts: dict[str, str] = {}
    lines = read_lines(path)
    for line in lines:
        id_, tab, rest = line.partition("\t")
        text = " ".join(rest.split("\t")[0].split())
        if tab and id_.strip() and text:
            texts.setdefault(id_.strip(), text)
    if len(texts) < _LEAST * len(lines):
        raise InputError(
            f"{path}: {counted(len(texts), 'line')} of {len(lines):,} are id, tab, label"
        )
    if "2id" in path.name:  # the number is behind the name
        return {number: name for name, number in texts.items()}
    return texts


def _by_names(texts: dict[str, str], kg: KnowledgeGraph) -> dict[str, str]:
    """Texts by the names of the graph, where these have a prefix that the ids lack, or the reverse."""
    names = (*kg.entities, *kg.relations)
    if not texts.keys().isdisjoint(names):
        return texts
    by_end = {_PREFIX.sub("", name).removesuffix(">"): name for name in names}
    ends = {id_: _PREFIX.sub("", id_).removesuffix(">") for id_ in texts}
    return {by_end.get(ends[id_], id_): text for id_, text in texts.items()}


def _refusal(texts: Mapping[str, str], kg: KnowledgeGraph) -> str:
    """Why texts are no labels of a graph; "": they are."""
    known = texts.keys() & {*kg.entity_ids, *kg.relation_ids}
    shares = [
        len(texts.keys() & names) / max(1, min(len(texts), len(names)))
        for names in (kg.entity_ids.keys(), kg.relation_ids.keys())
    ]
    if max(shares) < _LEAST:
        return f"{len(known):,} of its {counted(len(texts), 'id')} are in the graph"
    values = [texts[id_] for id_ in known]
    if len({*values}) < _LEAST * len(values):
        return (
            f"it gives {counted(len(values), 'id')} of the graph {counted(len({*values}), 'text')}"
        )
    named = sum(text in kg.entity_ids or text in kg.relation_ids for text in values)
    return "its texts are names of the graph" if named >= _LEAST * len(values) else ""


def readable_names(
    names: Iterable[str], labels: Mapping[str, str], instances: Collection[str] = ()
) -> dict[str, str]:
    """Name → what a person calls it, for names in a form that says so: synsets, underscores, NELL's.

    Args:
        names: All entities.
        labels: Entity → label; labels may have such a form too.
        instances: Entities with names of their own, which synsets write in lower case.

    Example:
        >>> readable_names(["land_reform.n.01", "bank.n.01", "bank.v.02", "bank.v.03"], {})
        {'land_reform.n.01': 'land reform', 'bank.n.01': 'bank (noun)', 'bank.v.02': 'bank (verb 2)', \
'bank.v.03': 'bank (verb 3)'}
    """
    called = {name: labels.get(name, name) for name in names}
    if synsets := _synsets(called):
        return dict(_senses(synsets, instances))
    bare = [name for name in called if name not in labels]
    joined = {name: text for name in bare if (text := _spaced(name)) != name}
    return joined if joined and len(joined) >= _LEAST / 2 * len(bare) else {}


def parts_of_speech(names: Iterable[str]) -> dict[str, str]:
    """Name → its part of speech, where most names are of synsets; else nothing.

    Example:
        >>> parts_of_speech(["land_reform.n.01", "bank.v.02"])
        {'land_reform.n.01': 'noun', 'bank.v.02': 'verb'}
    """
    return {
        name: _KINDS[found["kind"]]
        for name, found in _synsets({name: name for name in names}).items()
    }


def _synsets(called: Mapping[str, str]) -> dict[str, re.Match[str]]:
    """What is called as synsets are; nothing unless most of it is."""
    found = {name: read for name, text in called.items() if (read := _SYNSET.fullmatch(text))}
    return found if len(found) >= _MOST_NAMES * len(called) else {}


def _senses(
    synsets: Mapping[str, re.Match[str]], instances: Collection[str]
) -> Iterator[tuple[str, str]]:
    """The words of each synset; with its part of speech, and the number of its sense, where that tells it."""
    read = {
        name: (found["words"].replace("_", " "), _KINDS[found["kind"]], str(int(found["number"])))
        for name, found in synsets.items()
    }
    alike: dict[tuple[str, ...], int] = {}
    for words, kind, _ in read.values():
        for key in ((words,), (words, kind)):
            alike[key] = alike.get(key, 0) + 1
    for name, (words, kind, number) in read.items():
        text = words
        if name in instances:
            text = " ".join(w if w in _SMALL else w[:1].upper() + w[1:] for w in words.split(" "))
        elif _TAXON.fullmatch(words):
            text = words.capitalize()
        if alike[words,] == 1:
            yield name, text
        elif alike[words, kind] == 1:
            yield name, f"{text} ({kind})"
        else:
            yield name, f"{text} ({kind} {number})"


def _spaced(name: str) -> str:
    """A name with spaces in place of underscores; a name of code, or one that has spaces, as it is.

    In code a name begins with an underscore, ends in a number after one, or goes on with a small letter
    after a dot, as no abbreviation does: "email._policybase", but "St._Louis".
    """
    found = _NELL.fullmatch(name)
    text = found[1] if found else name
    code = not re.search(r"[^\W\d_]{2}", text) or re.search(r"^_|_\d+$|\._*[a-z]", text)
    if code or " " in text or "/" in text:
        return name
    return " ".join(text.replace("_", " ").split())
