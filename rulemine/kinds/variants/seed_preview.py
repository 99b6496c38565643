"""What seed texts give before any model is asked: the entities that they name, and what connects them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from textwrap import shorten
from typing import Any

from rulemine.config import override
from rulemine.errors import counted
from rulemine.kinds.kind import Setting
from rulemine.kinds.variants.components import Components
from rulemine.kinds.variants.seed_texts import linked_texts, seed_sets
from rulemine.kinds.written.candidate import Refusal, Subgraph
from rulemine.recipe.inputs import Inputs
from rulemine.recipe.loading import build_recipe, load_recipe
from rulemine.recipe.recipe import Recipe
from rulemine.text.normalization import unify
from rulemine.text.printing import printable

__all__ = ["preview", "shown_lines", "summary"]

KIND = "variants"


def preview(
    name: str,
    settings: Sequence[Setting],
    given: dict[str, str | None],
    progress: Callable[[int, int], None],
    note: Callable[[str], None],
) -> list[dict[str, Any]]:
    """What each text gives, with the labels of entities.

    Args:
        name: A graph, or a recipe.
        settings: Keys and values of the recipe.
        given: ``texts`` of the section, and ``labels``; None: as in the recipe.
        progress: Called with the texts done and all.
        note: Called with what a user should know.

    Returns:
        A row each: ``id``, ``text``, ``entities``; ``connected``, ``between`` and ``triples``, or why it is
        ``refused``, with ``detail``.
    """
    recipe = _recipe(name, settings, given)
    options, inputs = recipe.own, Inputs(recipe, note)
    components = Components(inputs.kg, options, inputs.excluded)
    if options.texts:
        linked = linked_texts(inputs, options, components, progress, note)
        sets = [
            (text.id, text.text, {m.entity: m.spelling for m in named}) for text, named in linked
        ]
    else:
        drawn = seed_sets(inputs, options, recipe.seed, progress, note)
        sets = [(one.id, one.topic, dict.fromkeys(one.entities, "")) for one in drawn]
    rows = []
    for done, (key, text, spellings) in enumerate(sets):
        progress(done, len(sets))
        rows.append(_row(inputs, key, text, spellings, components.component(spellings)))
    return rows


def _recipe(name: str, settings: Sequence[Setting], given: dict[str, str | None]) -> Recipe:
    """The recipe named, or one for the graph named, with the options given."""
    changes = [*settings, ((KIND, "texts"), given["texts"]), (("labels",), given["labels"])]
    changes = [(key, value) for key, value in changes if value is not None]
    named = load_recipe(name, [])
    if named.kind == KIND:
        return load_recipe(name, changes)
    kept = ("filter", "max_end_share", "max_median_answers", "templates")
    values: dict[str, Any] = {
        **{key: getattr(named, key) for key in ("name", "kg", "labels")},
        "kind": KIND,
        "questions": {key: getattr(named.questions, key) for key in kept},
    }
    for key, value in changes:
        values = override(values, key, value)
    return build_recipe(values, "the options given")


def _row(
    inputs: Inputs, key: str, text: str, spellings: dict[int, str], given: Subgraph | Refusal
) -> dict[str, Any]:
    kg = inputs.kg

    def label(entity: int) -> str:
        return inputs.labels.get(kg.entities[entity], kg.entities[entity])

    row: dict[str, Any] = {
        "id": key,
        "text": text,
        "entities": [
            {"entity": kg.entities[entity], "label": label(entity), "spelling": spelling}
            for entity, spelling in spellings.items()
        ],
    }
    if isinstance(given, Refusal):
        return row | {"refused": given.reason, "detail": given.detail}
    triples = kg.triples[list(given.rows)].tolist()
    return row | {
        "connected": [kg.entities[node] for node in given.nodes if node in spellings],
        "between": [label(node) for node in given.nodes if node not in spellings],
        "triples": [[label(s), kg.relations[r], label(o)] for s, r, o in triples],
    }


def shown_lines(row: dict[str, Any], width: int) -> Iterator[str]:
    """What a text gives, in lines."""
    text = " ".join(row["text"].split())
    shown = shorten(row["id"] + f": {text}" * bool(text), width, placeholder=" …")
    yield printable(shown)
    connected = row.get("connected", ())
    for one in row["entities"]:
        spelling = f" ({one['spelling']!r})" * (one["spelling"] not in ("", unify(one["label"])))
        loose = "" if one["entity"] in connected or "refused" in row else ", not connected"
        yield f"  names {printable(one['label'])}{spelling}{loose}"
    if "refused" in row:
        detail = f" ({printable(row['detail'])})" * bool(row["detail"])
        yield f"  skipped: {row['refused']}{detail}"
        return
    for triple in row["triples"]:
        yield f"    {' · '.join(map(printable, triple))}"


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """How many texts give something, and why the others do not."""
    good = [row for row in rows if "refused" not in row]
    refused = Counter(row["refused"] for row in rows if "refused" in row)
    parts = [f"{counted(len(rows), 'seed set')}: {len(good):,} with a subgraph"]
    if good:
        nodes = sum(len(row["connected"]) + len(row["between"]) for row in good)
        triples = sum(len(row["triples"]) for row in good)
        parts[0] += f" (mean {nodes / len(good):.1f} entities, {triples / len(good):.1f} triples)"
    parts += [f"{reason}: {n:,}" for reason, n in sorted(refused.items())]
    return "; ".join(parts) + "."
