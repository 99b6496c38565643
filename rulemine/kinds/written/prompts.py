"""The prompts of writers, from ``rulemine/kinds/written/written.toml`` or a user's copy of it."""

from rulemine.kg.entity_names import NAMINGS
from rulemine.kinds.written.candidate import FORMS
from rulemine.verbalizer.prompts import Placeholders, Prompts, read_sections

__all__ = ["load_written_prompts"]

_PACKAGED = "kinds/written/written.toml"

_FORM = {
    "task": ("language",),
    "answer": (),
    "sparql": (),
    "choice": ("triples", "answer"),
}
_PLACEHOLDERS: Placeholders = {
    "names": dict.fromkeys(NAMINGS, ()),
    "candidate": {
        "system": (),
        "user": (
            "facts", "relations", "names", "task", "atoms", "answer", "sparql", "choice", "examples",
            "earlier",
        ),
        "fact": ("triple",),
        "relation": ("relation", "statement"),
        "choice": ("choice",),
        "example": ("reply",),
        "earlier": ("text", "reason"),
    },
    **{f"candidate_{form}": _FORM for form in FORMS},
    "reword": {"system": (), "user": ("question", "anchors", "names", "language")},
    "reword_audit": {"system": (), "user": ("question", "other")},
    "check": {
        "system": (),
        "user": ("facts", "question"),
        "fact": ("subject", "relation", "object"),
    },
    "pairs": {
        "system": (),
        "user": ("facts", "relations", "names", "most", "language"),
        "fact": ("triple",),
        "relation": ("relation", "statement"),
    },
    "again": {"user": ()},
}  # fmt: skip


def load_written_prompts(source: str = "") -> Prompts:
    """Loads and checks the prompts of writers.

    Args:
        source: A TOML file, or "" for the packaged one.

    Raises:
        InputError: The file cannot be read or is not TOML.
        ConfigError: Something is missing, unknown or of the wrong type; one message lists all.
    """
    tables, text = read_sections(source, _PACKAGED, _PLACEHOLDERS)
    return Prompts(text, tables, tables["names"], packaged=_PACKAGED)
