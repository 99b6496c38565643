"""The export ``croissant``: a release described in Croissant, so that catalogs of data sets find and read it.

Croissant (version 1.1, MLCommons) is JSON-LD on top of schema.org: what a data set is, its files with their
digests, and how records are read from them. The records are those of the release, in the naming asked for, in
Parquet: JSON Lines and TSV go through pandas in the reference implementation, which turns an entity called
``NA`` into nothing and ``007`` into a number.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from rulemine.config import option
from rulemine.exports.formats.huggingface import license_of
from rulemine.exports.protocol import ExportFolder, ExportInput, RowExport
from rulemine.exports.tables import ReleaseTable, arrow, release_tables, write_parquet
from rulemine.files import describe_content

__all__ = ["CroissantExport"]

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
    """Parquet files in the naming asked for and their description in Croissant.

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
        graph = manifest["kg"]
        _, address = license_of(graph.get("license", ""))
        counts = manifest["counts"]
        optional = {
            "url": self.url,
            "datePublished": self.published,
            "license": address or graph.get("license", ""),
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
