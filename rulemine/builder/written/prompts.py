"""The prompts of writers, from ``rulemine/verbalizer/written.toml`` or a user's copy of it."""

from rulemine.kg.entity_names import NAMINGS
from rulemine.verbalizer.prompts import Placeholders, Prompts, read_sections

__all__ = ["load_written_prompts"]

_CANDIDATE = {
    "system": (),
    "user": (
        "facts", "relations", "names", "language", "atoms", "choice", "examples", "earlier",
    ),
    "fact": ("triple",),
    "relation": ("relation", "statement"),
    "choice": ("triples", "answer"),
    "example": ("reply",),
    "earlier": ("text", "reason"),
}  # fmt: skip
_PLACEHOLDERS: Placeholders = {
    "names": dict.fromkeys(NAMINGS, ()),
    "candidate": _CANDIDATE,
    "candidate_count": _CANDIDATE,
    "candidate_without": _CANDIDATE,
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
}


def load_written_prompts(source: str = "") -> Prompts:
    """Loads and checks the prompts of writers.

    Args:
        source: A TOML file, or "" for the packaged one.

    Raises:
        InputError: The file cannot be read or is not TOML.
        ConfigError: Something is missing, unknown or of the wrong type; one message lists all.
    """
    tables, text = read_sections(source, "written.toml", _PLACEHOLDERS)
    return Prompts(text, tables, tables["names"], {})
