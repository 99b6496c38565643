"""The command ``seeds``: what seed texts give, before any model is asked.

A command imports what it needs when it runs.
"""

import shutil
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from rulemine.cli.arguments import SET, Subcommand, arg
from rulemine.cli.console import bar, check_output, note, output_file, written
from rulemine.errors import ConfigError, counted

if TYPE_CHECKING:
    from rulemine.kinds.written.candidate import Refusal, Subgraph
    from rulemine.recipe.inputs import Inputs
    from rulemine.recipe.recipe import Recipe

__all__ = ["SEEDS"]

_TEXTS = """\
TEXTS is a file (a text a line), a folder (a text a file, .txt or .md), or a column of
a table: FILE.csv:COLUMN, FILE.tsv:COLUMN, FILE.jsonl:FIELD. A table's columns id and
title are used too. Without TEXTS those of the recipe, or entities are drawn.
"""


def seeds(arguments: Namespace) -> int:
    """``seeds``."""
    from rulemine.files import write_jsonl
    from rulemine.kinds.variants.components import Components
    from rulemine.kinds.variants.seed_texts import linked_texts, seed_sets
    from rulemine.recipe.inputs import Inputs

    if arguments.most < 0:
        raise ConfigError(f"seeds: --most is {arguments.most}; expected 0 or more.")
    check_output(arguments.output)
    recipe = _recipe(arguments)
    options = recipe.own
    inputs = Inputs(recipe, note)
    with bar("read"):
        components = Components(inputs.kg, options, inputs.excluded)
    rows: list[dict[str, Any]] = []
    with bar("seeds") as tell:
        if options.texts:
            linked = linked_texts(inputs, options, components, tell, note)
            sets = [
                (text.id, text.text, {m.entity: m.spelling for m in named})
                for text, named in linked
            ]
        else:
            drawn = seed_sets(inputs, options, recipe.seed, tell, note)
            sets = [(one.id, one.topic, dict.fromkeys(one.entities, "")) for one in drawn]
        for done, (key, text, spellings) in enumerate(sets):
            tell(done, len(sets))
            given = components.component(spellings)
            rows.append(_row(inputs, key, text, spellings, given))
    if arguments.output is not None:
        with written(arguments.output) as path:
            write_jsonl(path, rows)
    width = shutil.get_terminal_size((100, 24)).columns
    for row in rows[: arguments.most]:
        print("\n".join(_shown(row, width)) + "\n")
    print(_summary(rows))
    return 0


def _recipe(arguments: Namespace) -> "Recipe":
    """The recipe named, or one for the graph named, with the options given."""
    from rulemine.config import override, parse_setting
    from rulemine.recipe.loading import build_recipe, load_recipe

    settings: list[tuple[tuple[str, ...], Any]] = [parse_setting(text) for text in arguments.set]
    given = {
        ("variants", "texts"): arguments.texts,
        ("variants", "linker"): arguments.linker,
        ("labels",): arguments.labels,
    }
    settings += [(key, value) for key, value in given.items() if value is not None]
    named = load_recipe(arguments.recipe, [])
    if named.kind == "variants":
        return load_recipe(arguments.recipe, settings)
    values: dict[str, Any] = {
        "name": named.name,
        "kg": named.kg,
        "kind": "variants",
        "labels": named.labels,
        "questions": {
            name: getattr(named.questions, name)
            for name in ("filter", "max_end_share", "max_median_answers", "templates")
        },
    }
    for key, value in settings:
        values = override(values, key, value)
    return build_recipe(values, "the options given")


def _row(
    inputs: "Inputs",
    key: str,
    text: str,
    spellings: dict[int, str],
    given: "Subgraph | Refusal",
) -> dict[str, Any]:
    """What a text gives, with the labels of entities."""
    from rulemine.kinds.written.candidate import Refusal

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


def _shown(row: dict[str, Any], width: int) -> Iterator[str]:
    """What a text gives, in lines."""
    from rulemine.text.normalization import unify
    from rulemine.text.printing import printable

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


def _summary(rows: list[dict[str, Any]]) -> str:
    good = [row for row in rows if "refused" not in row]
    refused = Counter(row["refused"] for row in rows if "refused" in row)
    parts = [f"{counted(len(rows), 'seed set')}: {len(good):,} with a subgraph"]
    if good:
        nodes = sum(len(row["connected"]) + len(row["between"]) for row in good)
        triples = sum(len(row["triples"]) for row in good)
        parts[0] += f" (mean {nodes / len(good):.1f} entities, {triples / len(good):.1f} triples)"
    parts += [f"{reason}: {n:,}" for reason, n in sorted(refused.items())]
    return "; ".join(parts) + "."


SEEDS = Subcommand(
    "graph seeds", seeds, "show the entities that texts name and what connects them",
    (
        arg("recipe", "KG", "a graph (.tsv, .nt or .ttl), the name of a data set, or a recipe of the kind "
            "variants"),
        arg("texts", "TEXTS", "the texts, see below", nargs="?"),
        arg("--labels", "FILE", "text labels: TSV or the name of a data set"),
        arg("--linker", "MODULE:FUNCTION", "finds the entities of a text (by their labels)"),
        arg("--most", "N", "texts to show (10)", int, default=10),
        SET,
        arg("-o --output", "FILE", "write all of them as JSON Lines (none)", output_file),
    ),
    _TEXTS,
)  # fmt: skip
