"""A release for catalogs of data sets: ``hf`` for the Hugging Face Hub, ``croissant`` for all others.

Both write Parquet: JSON Lines and TSV go through pandas in the reference implementation of Croissant, which
turns an entity called ``NA`` into nothing and ``007`` into a number. The Hub and `datasets` read the YAML at
the top of a ``README.md``: license, size, tasks, and which files a configuration consists of. The rest is the
card of the release, but for how to read its files, which are others here.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.exports.protocol import NAMINGS_OF_EXPORTS, ExportFolder, ExportInput, RowExport
from rulemine.exports.tables import (
    WHOLE,
    ReleaseTable,
    arrow,
    names_tables,
    release_tables,
    write_parquet,
)
from rulemine.files import describe_content, digest_of
from rulemine.kinds.registry import KINDS
from rulemine.text.escaping import table_lines
from rulemine.text.language import language_code

__all__ = [
    "CroissantExport",
    "HuggingFaceExport",
    "front_matter",
    "license_of",
    "write_export_card",
]

_LICENSES = {
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "mit": "https://opensource.org/license/mit",
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    **{
        f"cc-{terms}-{version}": f"https://creativecommons.org/licenses/{terms}/{version}/"
        for terms in ("by", "by-sa", "by-nc", "by-nd", "by-nc-sa", "by-nc-nd")
        for version in ("2.0", "2.5", "3.0", "4.0")
    },
    "odc-by": "https://opendatacommons.org/licenses/by/1-0/",
    "odbl": "https://opendatacommons.org/licenses/odbl/1-0/",
    "pddl": "https://opendatacommons.org/licenses/pddl/1-0/",
}
"""The licenses of data that the Hub has a name for, with their texts."""

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)
_TAGS = (
    "knowledge-graph",
    "incomplete-knowledge-graph",
    "kgqa",
    "kg-rag",
    "rule-mining",
    "rulemine",
)


def license_of(words: str) -> tuple[str, str]:
    """A license as the Hub names it, and the address of its text.

    Args:
        words: The license of a graph in its owner's words, e.g. ``CC BY 4.0 (Freebase)``.

    Returns:
        Its name; ``unknown`` where the source states none, ``other`` where the Hub has no name for it,
        without an address.
    """
    plain = re.sub(r"\(.*?\)", "", words).strip().casefold()
    name = re.sub(r"[\s_]+", "-", plain.removesuffix(" license"))
    for known in (name, f"{name}-1.0"):
        if known in _LICENSES:
            return known, _LICENSES[known]
    return ("unknown" if not name or "not-stated" in name or name == "unknown" else "other"), ""


def front_matter(
    manifest: Mapping[str, Any], tables: Sequence[ReleaseTable], default: str
) -> dict[str, Any]:
    """What the Hub reads of a data set.

    Args:
        manifest: The manifest of the release.
        tables: Its tables, in the order in which configurations are listed.
        default: The configuration that is loaded where none is named.
    """
    words = manifest["kg"].get("license", "")
    license_fields = {"license": license_of(words)[0]}
    if license_fields["license"] == "other":
        license_fields["license_name"] = re.sub(r"[^a-z0-9.]+", "-", words.casefold()).strip("-")
        license_fields["license_details"] = words
    questions = manifest["counts"]["questions"]
    size = next((name for most, name in _SIZES if questions < most), "n>1M")
    code = language_code(manifest["config"].get("verbalizer", {}).get("language", "English"))
    configs: dict[str, list[dict[str, str]]] = {}
    for table in tables:
        configs.setdefault(table.config, []).append({"split": table.split, "path": table.file})
    return {
        "pretty_name": f"{manifest['name']}: questions over an incomplete knowledge graph",
        **license_fields,
        **({"language": [code]} if code else {}),
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "task_categories": ["question-answering", "graph-ml"],
        "size_categories": [size],
        "tags": list(_TAGS),
        "configs": [
            {
                "config_name": name,
                "version": _version(manifest, tables),
                **({"default": True} if name == default else {}),
                "data_files": files,
            }
            for name, files in configs.items()
        ],
    }


def _version(manifest: Mapping[str, Any], tables: Sequence[ReleaseTable]) -> str:
    """A version that no other release has.

    `datasets` 2.14 keeps what it has read under the names of folder, configuration and version alone: without
    it, a second export in a folder called ``hf`` would be given the rows of the first.
    """
    columns = [table.table.column_names for table in tables]
    content = json.dumps([manifest["files"], columns], sort_keys=True)
    return f"{manifest['format_version']}.0.{int(digest_of(content.encode())[:7], 16)}"


def write_export_card(
    card: str,
    manifest: Mapping[str, Any],
    tables: Sequence[ReleaseTable],
    default: str,
    graph: str,
    *,
    without_answers: bool = False,
) -> str:
    """The card as Markdown with YAML at its top.

    Args:
        card: The card of the release.
        manifest: Its manifest.
        tables: Its tables.
        default: The configuration that is loaded where none is named.
        graph: That of the graph that a system is given.
        without_answers: Whether the examples of the card, which give answers away, are left out.
    """
    out = {"Use", *(["Examples"] if without_answers else [])}
    head, *sections = re.split(r"^(?=## )", card, flags=re.MULTILINE)
    kept = [part for part in sections if part.split("\n")[0].removeprefix("## ") not in out]
    at = max(len(kept) - 1, 0)  # before the license
    version = manifest["format_version"]
    lines = [
        "## Load it",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'questions = load_dataset(PATH, "{default}")',
        f'graph = load_dataset(PATH, "{graph}", split="{WHOLE}")  # head, relation, tail',
        "```",
        "",
        "PATH is this folder or its name on the Hub. The name of a configuration says what is in it and how "
        "entities are named: by `private` ids, as in the source (`entity`), or by labels (`text`). "
        + (
            "Answers are not in this export."
            if without_answers
            else f"Rows have the fields of the release's own files (format version {version}). Give a system "
            "the incomplete graph and, of each question, `id`, `question` and `anchors` only."
        ),
        "",
        *_contents(tables),
        "",
    ]
    before = (
        f"---\n{_yaml(front_matter(manifest, tables, default))}---\n\n{head}{''.join(kept[:at])}"
    )
    return f"{before}{chr(10).join(lines)}\n{''.join(kept[at:])}"


def _contents(tables: Sequence[ReleaseTable]) -> list[str]:
    about = {table.config: table.about for table in tables}
    size = Counter[str]()
    for table in tables:
        size[table.config] += table.table.num_rows
    rows = [(f"`{name}`", f"{size[name]:,}", what) for name, what in about.items()]
    return [*table_lines([("configuration", "rows", "what is in it"), *rows], text=True)]


def _yaml(value: Any, indent: str = "") -> str:
    """Mappings and lists of them as YAML blocks; every text in double quotes, as JSON writes it."""
    return "".join(
        f"{indent}{key}:\n{''.join(_items(item, indent))}"
        if isinstance(item, list)
        else f"{indent}{key}: {json.dumps(item, ensure_ascii=False)}\n"
        for key, item in value.items()
    )


def _items(items: Iterable[Any], indent: str) -> Iterable[str]:
    for item in items:
        if isinstance(item, dict):
            block = _yaml(item, indent + "  ")
            yield f"{indent}- {block[len(indent) + 2 :]}"
        else:
            yield f"{indent}- {json.dumps(item, ensure_ascii=False)}\n"


@dataclass(frozen=True)
class HuggingFaceExport(RowExport):
    """Parquet files with a dataset card, which `load_dataset` reads as it is, on this machine or on the Hub.

    A configuration for each kind of question and naming (``rules-text``), for each graph and naming
    (``kg-text-incomplete``), for removed triples, rules and rejections, and for the names of entities and
    relations; the naming asked for is first. Tried with versions 2.14.7 and 5.2.0 of `datasets`.
    """

    answers: ClassVar = ("entities", "rows")

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        first = given.naming
        single = given.without_answers or given.release.kind not in KINDS
        others = [] if single else [name for name in NAMINGS_OF_EXPORTS if name != first]
        tables: list[ReleaseTable] = []
        for done, naming in enumerate([first, *others]):
            given.progress(done, len(others) + 1)
            last = names_tables(given) if [naming] == others[-1:] else ()
            for table in (*release_tables(given, naming), *last):
                if table.table.num_rows:  # what has no row cannot be loaded
                    write_parquet(folder.path / table.file, table.table)
                    tables.append(table)
        text = write_export_card(
            given.release.file("README.md").read_text(encoding="utf-8"),
            given.release.manifest,
            tables,
            f"{given.release.kind}-{first}",
            f"kg-{first}-{given.kg_name}",
            without_answers=given.without_answers,
        )
        folder.text("README.md", text)
        folder.count("configurations", len({table.config for table in tables}))


CROISSANT = "croissant.json"

_TERMS = (
    "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileObject",
    "fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5",
    "parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate",
    "separator", "source", "subField", "transform",
)  # fmt: skip

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _TERMS},
}
"""The context of the specification, whole: readers warn about another one."""


def _is_date(text: str) -> bool:
    try:
        return not text or bool(date.fromisoformat(text))
    except ValueError:
        return False


@dataclass(frozen=True)
class CroissantExport(RowExport):
    """Parquet files in the naming asked for and their description in Croissant (version 1.1, MLCommons).

    That is JSON-LD on top of schema.org: what a data set is, its files with their digests, and how records
    are read from them.

    Attributes:
        url: The address at which the data set is published; empty: left out of the description.
        published: The date of publication, as 2026-01-31; empty: left out.
        version: The version of the data set.
    """

    url: str = ""
    published: str = option("", fits_too=_is_date, expected="a date such as 2026-01-31")
    version: str = option(
        "1.0.0", fits_too=lambda text: text != "", expected="a text such as 1.0.0"
    )

    answers: ClassVar = ("entities", "rows")

    def __call__(self, given: ExportInput, folder: ExportFolder) -> None:
        """Writes the files."""
        files, sets = [], []
        for table in release_tables(given, given.naming):
            if table.table.num_rows:
                write_parquet(folder.path / table.file, table.table)
                size, digest = describe_content(folder.path / table.file)
                files.append(_file_object(table.file, size, digest))
                sets.append(_record_set(table))
        folder.json(CROISSANT, self._described(given) | {"distribution": files, "recordSet": sets})
        folder.count("record_sets", len(sets))

    def _described(self, given: ExportInput) -> dict[str, Any]:
        manifest = given.release.manifest
        graph, counts = manifest["kg"], manifest["counts"]
        words = graph.get("license", "")
        optional = {
            "url": self.url,
            "datePublished": self.published,
            "license": license_of(words)[1] or words,
            "citeAs": graph.get("citation", ""),
        }
        return {
            "@context": _CONTEXT,
            "@type": "sc:Dataset",
            "name": manifest["name"],
            "description": f"{counts['questions']:,} questions over a knowledge graph{_lacking(counts)}. "
            f"Graph: {graph.get('title', '')}. "
            f"Entities have their names in the naming {given.naming!r}.",
            "conformsTo": "http://mlcommons.org/croissant/1.1",
            "version": self.version,
            "keywords": ["knowledge graph", "question answering", "incomplete knowledge graph"],
            **{key: text for key, text in optional.items() if text},
        }


def _file_object(name: str, size: int, digest: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": digest,
    }


def _record_set(table: ReleaseTable) -> dict[str, Any]:
    name = table.record_set
    schema = table.table.schema
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": table.about,
        **({"key": {"@id": f"{name}/id"}} if "id" in schema.names else {}),
        "field": [_field(f"{name}/{f.name}", f.type, table.file, f.name) for f in schema],
    }


def _field(place: str, kind: Any, file: str, column: str) -> dict[str, Any]:
    """A column.

    Args:
        place: Its identifier.
        kind: Its Arrow type.
        file: The file that it is read from.
        column: Its name there.
    """
    kind, shape = _item(kind)
    if not arrow().types.is_struct(kind):
        return _value(place, kind, shape, file, column)
    # One level of parts, with dots in their names: the reference implementation tears a second one off.
    parts = [
        _value(f"{place}/{path}", *_item(part), file, column, path) for path, part in _parts(kind)
    ]
    return {**_named(place, shape), "subField": parts}


def _named(place: str, shape: str) -> dict[str, Any]:
    array = {"isArray": True, "arrayShape": shape} if shape else {}
    return {"@type": "cr:Field", "@id": place, "name": place, **array}


def _value(
    place: str, kind: Any, shape: str, file: str, column: str, path: str = ""
) -> dict[str, Any]:
    """A field with values, at a path within a column if one is given."""
    source: dict[str, Any] = {"fileObject": {"@id": file}, "extract": {"column": column}}
    if path:
        source["transform"] = {"jsonPath": path}
    return {**_named(place, shape), "dataType": _data_type(kind), "source": source}


def _item(kind: Any) -> tuple[Any, str]:
    """The type of the items of a list, however deep, and its shape; ``""`` of what is no list."""
    shape = []
    while arrow().types.is_list(kind):
        shape.append("-1")
        kind = kind.value_type
    return kind, ",".join(shape)


def _parts(struct: Any) -> Iterator[tuple[str, Any]]:
    """The values in a struct, by path; not in lists of structs, where a path gives no list of lists."""
    types = arrow().types
    for part in struct:
        if types.is_list(part.type) and types.is_struct(_item(part.type)[0]):
            continue
        if types.is_struct(part.type):
            yield from ((f"{part.name}.{path}", kind) for path, kind in _parts(part.type))
        else:
            yield part.name, part.type


def _data_type(kind: Any) -> str:
    types = arrow().types
    known = {
        "sc:Text": types.is_string,
        "sc:Integer": types.is_integer,
        "sc:Float": types.is_floating,
        "sc:Boolean": types.is_boolean,
    }
    return next(name for name, fits in known.items() if fits(kind))


def _lacking(counts: Mapping[str, Any]) -> str:
    """What the graph lacks, as the end of a sentence."""
    if counts["triples_complete"] is None:
        return ""
    if not counts["triples_removed"]:
        return f" of {counts['triples_complete']:,} triples"
    gone = f"{counts['triples_removed']:,} of {counts['triples_complete']:,} triples"
    if counts["core"] is None:  # nothing is known to imply what is missing
        return f" from which {gone} are missing"
    return (
        f" from which {gone} were removed, "
        "so that it no longer states the hard answers but still implies them"
    )
