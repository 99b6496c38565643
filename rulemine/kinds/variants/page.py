"""The card of a release of the kind ``variants``: what only such a card says; the text is ``page.md``."""

from collections.abc import Mapping
from typing import Any

from rulemine.kinds.query_page import examples_of_structures, texts_of
from rulemine.kinds.written.page import values_of_written
from rulemine.release.card.kind_page import KindPage, Manifest

__all__ = ["VARIANT_PAGE"]


def _values(manifest: Manifest) -> Mapping[str, Any]:
    values = values_of_written(manifest, "variants")
    judged = (manifest["counts"]["judged"] and values["told"].get("judged")) or {}
    models = judged.get("models", ())
    return {
        **values,
        "verdicts": judged,
        "judges_named": ", ".join(f"`{model}`" for model in models),
        "one_judge": len(set(models)) == 1,
        "kappas": {flag: _kappa(row) for flag, row in judged.get("agreement", {}).items()},
    }


def _kappa(row: Mapping[str, float | None]) -> str:
    interval = "" if row["low"] is None else f" ({row['low']:.2f} … {row['high']:.2f})"
    return "–" if row["kappa"] is None else f"{row['kappa']:.2f}{interval}"


VARIANT_PAGE = KindPage(texts_of("written", "variants"), _values, examples_of_structures)
"""What the cards of the kind ``variants`` say."""
