"""The export ``hf``: a release for Hugging Face `datasets` and the Hub.

A folder of Parquet files with a dataset card, which `load_dataset` reads as it is, on this machine or on the
Hub. A configuration for each kind of question and naming (``rules-text``), for each graph and naming
(``kg-text-incomplete``), for removed triples, rules and rejections, and for the names of entities and
relations. Tried with versions 2.14.7 and 5.2.0.

The Hub and `datasets` read the YAML at the top of a ``README.md``: license, size, tasks, and which files a
configuration consists of. The rest is the card of the release, but for how to read its files, which are
others here.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rulemine.exports.protocol import NAMINGS_OF_EXPORTS, ExportFolder, ExportInput, RowExport
from rulemine.exports.tables import WHOLE, ReleaseTable, names_tables, release_tables, write_parquet
from rulemine.files import digest_of
from rulemine.kinds.registry import KINDS
from rulemine.text.escaping import table_lines
from rulemine.text.language import language_code

__all__ = ["HuggingFaceExport", "front_matter", "license_of", "write_export_card"]

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
_REPLACED = "Use"
_TELLING = "Examples"


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
    license_, _ = license_of(manifest["kg"].get("license", ""))
    license_fields: dict[str, Any] = {"license": license_}
    if license_ == "other":
        words = manifest["kg"]["license"]
        license_fields["license_name"] = re.sub(r"[^a-z0-9.]+", "-", words.casefold()).strip("-")
        license_fields["license_details"] = words
    questions = manifest["counts"]["questions"]
    size = next((name for most, name in _SIZES if questions < most), "n>1M")
    language = manifest["config"].get("verbalizer", {}).get("language", "English")
    code = language_code(language)
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
    out = {_REPLACED, *([_TELLING] if without_answers else [])}
    head, *sections = re.split(r"^(?=## )", card, flags=re.MULTILINE)
    kept = [part for part in sections if part.split("\n")[0].removeprefix("## ") not in out]
    at = max(len(kept) - 1, 0)  # before the license
    version = manifest["format_version"]
    lines = [
        *_loading(default, graph),
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
    own_part = "\n".join(lines) + "\n"
    head_lines = _yaml(front_matter(manifest, tables, default))
    return f"---\n{head_lines}---\n\n{head}{''.join(kept[:at])}{own_part}{''.join(kept[at:])}"


def _loading(default: str, graph: str) -> list[str]:
    return [
        "## Load it",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'questions = load_dataset(PATH, "{default}")',
        f'graph = load_dataset(PATH, "{graph}", split="{WHOLE}")  # head, relation, tail',
        "```",
        "",
    ]


def _contents(tables: Sequence[ReleaseTable]) -> list[str]:
    about = {table.config: table.about for table in tables}
    size = Counter[str]()
    for table in tables:
        size[table.config] += table.table.num_rows
    rows = [(f"`{name}`", f"{size[name]:,}", what) for name, what in about.items()]
    return [*table_lines([("configuration", "rows", "what is in it"), *rows], text=True)]


def _yaml(value: Any, indent: str = "") -> str:
    """Mappings and lists of them as YAML blocks; every text in double quotes, as JSON writes it."""
    lines = []
    for key, item in value.items():
        if isinstance(item, list):
            lines.append(f"{indent}{key}:\n{''.join(_items(item, indent))}")
        else:
            lines.append(f"{indent}{key}: {json.dumps(item, ensure_ascii=False)}\n")
    return "".join(lines)


def _items(items: Iterable[Any], indent: str) -> Iterable[str]:
    for item in items:
        if isinstance(item, dict):
            block = _yaml(item, indent + "  ")
            yield f"{indent}- {block[len(indent) + 2 :]}"
        else:
            yield f"{indent}- {json.dumps(item, ensure_ascii=False)}\n"


@dataclass(frozen=True)
class HuggingFaceExport(RowExport):
    """Parquet files and a dataset card, for `load_dataset`; in every naming, that asked for first."""

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
        card = given.release.file("README.md").read_text(encoding="utf-8")
        text = write_export_card(
            card,
            given.release.manifest,
            tables,
            f"{given.release.kind}-{first}",
            f"kg-{first}-{given.kg_name}",
            without_answers=given.without_answers,
        )
        folder.text("README.md", text)
        folder.count("configurations", len({table.config for table in tables}))
