"""The export ``hf``: a release for Hugging Face `datasets` and the Hub.

A folder of Parquet files with a dataset card, which `load_dataset` reads as it is, on this machine or on the
Hub. A configuration for each kind of question and naming (``rules-text``), for each graph and naming
(``kg-text-incomplete``), for removed triples, rules and rejections, and for the names of entities and
relations. Tried with versions 2.14.7 and 5.2.0.
"""

from dataclasses import dataclass
from typing import ClassVar

from rulemine.config import Section
from rulemine.exports.dataset_card import write_export_card
from rulemine.exports.protocol import NAMINGS_OF_EXPORTS, ExportFolder, ExportInput
from rulemine.exports.record_tables import write_parquet
from rulemine.exports.release_tables import ReleaseTable, names_tables, release_tables
from rulemine.kinds.registry import KINDS

__all__ = ["HuggingFaceExport"]


@dataclass(frozen=True)
class HuggingFaceExport(Section):
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
