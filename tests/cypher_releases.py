"""A small property graph of most datatypes, and a release of the kind ``cypher`` over it, without mining."""

import json
from pathlib import Path
from typing import Any

from rulemine.builder.pipeline import Build
from rulemine.recipe.loading import load_recipe
from rulemine.rules.formats import AMIE_COLUMNS

PEOPLE, TOWNS, PROVINCES = 24, 6, 2

RULES = "\n".join(
    [
        "\t".join(AMIE_COLUMNS),
        "?b  knows  ?a   => ?a  knows  ?b\t1\t1\t1\t96\t96\t96\t?a",
        "?a  lives_in  ?c  ?c  part_of  ?b   => ?a  comes_from  ?b\t1\t1\t1\t24\t24\t24\t?a",
        "?a  lives_in  ?b   => ?a  works_in  ?b\t1\t0.666666666666666667\t1\t16\t24\t16\t?a",
        "",
    ]
)


def _entity(kind: str, number: int, **properties: Any) -> dict[str, Any]:
    return {
        "eid": f"{kind}#{number}",
        "label": kind,
        "name": f'{kind} {number} of the "old" coast\\' if number == 3 else f"{kind} {number}",
        "properties": {key: value for key, value in properties.items() if value is not None},
    }


def simplekg() -> dict[str, Any]:
    """The graph as SimpleKG JSON."""
    people = [
        _entity(
            "Person", i, born=f"{1900 + i % 12}-0{1 + i % 9}-11", birth_year=1900 + i % 12,
            height_m=None if i % 5 == 0 else 1.5 + (i % 4) / 8, hand="left" if i % 3 else "right",
            crafts=["baking", "singing", "x;y"][: i % 4] or None, alive=i % 2 == 0 if i % 7 else None,
        )
        for i in range(PEOPLE)
    ]  # fmt: skip
    towns = [
        _entity("Town", i, code=f"C{i // 3}", people=100 * i * i if i != 4 else None, floods=[1900 + i, 1950])
        for i in range(TOWNS)
    ]  # fmt: skip
    provinces = [_entity("Province", i, code=f"C{i}") for i in range(PROVINCES)]
    edges = []

    def edge(subject: str, relation: str, of: str, **properties: Any) -> None:
        edges.append(
            {
                "rid": f"x{len(edges)}", "label": relation, "subj_id": subject, "obj_id": of,
                "properties": {key: value for key, value in properties.items() if value is not None},
            }
        )  # fmt: skip

    for i in range(PEOPLE):
        town = i % TOWNS
        edge(f"Person#{i}", "lives_in", f"Town#{town}")
        edge(f"Person#{i}", "comes_from", f"Province#{town // 3}")
        if i % 3:
            start = 1920 + i
            edge(f"Person#{i}", "works_in", f"Town#{town}", start_year=start,
                 end_year=start + 9 if i % 2 else None)  # fmt: skip
        for step in (1, 5):
            edge(f"Person#{i}", "knows", f"Person#{(i + step) % PEOPLE}")
            edge(f"Person#{(i + step) % PEOPLE}", "knows", f"Person#{i}")
    for i in range(TOWNS):
        edge(f"Town#{i}", "part_of", f"Province#{i // 3}")
    schema = {
        "name": "coast",
        "entities": [
            {"label": "Person", "properties": {
                "born": "date", "birth_year": "int", "height_m": "float", "hand": "str",
                "crafts": "list[str]", "alive": "bool"}},
            {"label": "Province", "properties": {"code": "str"}},
            {"label": "Town", "properties": {"code": "str", "people": "int", "floods": "list[int]"}},
        ],
        "relations": [
            {"label": "comes_from", "subj_label": "Person", "obj_label": "Province", "properties": {}},
            {"label": "knows", "subj_label": "Person", "obj_label": "Person", "properties": {}},
            {"label": "lives_in", "subj_label": "Person", "obj_label": "Town", "properties": {}},
            {"label": "part_of", "subj_label": "Town", "obj_label": "Province", "properties": {}},
            {"label": "works_in", "subj_label": "Person", "obj_label": "Town",
             "properties": {"start_year": "int", "end_year": "int"}},
        ],
    }  # fmt: skip
    return {"schema": schema, "entities": [*people, *towns, *provinces], "relations": edges}


_INVERSE = {"comes_from": "home_of", "works_in": "employs"}


def _some_turned(whole: dict[str, Any]) -> None:
    """States every third fact of some relations by their inverse alone."""
    signatures = whole["schema"]["relations"]
    for row in [row for row in signatures if row["label"] in _INVERSE]:
        ends = {"subj_label": row["obj_label"], "obj_label": row["subj_label"]}
        signatures.append(
            {"label": _INVERSE[row["label"]], "properties": row["properties"], **ends}
        )
    for edge in [edge for edge in whole["relations"] if edge["label"] in _INVERSE][::3]:
        ends = {"subj_id": edge["obj_id"], "obj_id": edge["subj_id"]}
        edge.update(label=_INVERSE[edge["label"]], **ends)


def build_coast(
    folder: Path,
    *settings: tuple[tuple[str, ...], Any],
    declared: bool = False,
    kind: str = "cypher",
) -> Path:
    """Builds the release in a folder; `declared`: some facts are stated by an inverse alone."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = simplekg()
    if declared:
        _some_turned(whole)
        (folder / "templates.toml").write_text(
            "".join(
                f'[{r}]\nstatement = "{{subject}} is in {r} with {{object}}"\ninverse_of = ["{other}"]\n'
                f'ask_subject = "What is in {r} with {{topic}}?"\nask_object = "What has {{topic}} in {r}?"\n'
                for r, other in _INVERSE.items()
            )
        )
        settings += ((("questions", "templates"), str(folder / "templates.toml")),)
    (folder / "coast.json").write_text(json.dumps(whole), encoding="utf-8")
    (folder / "rules.tsv").write_text(RULES)
    recipe = load_recipe(
        str(folder / "coast.json"),
        [
            (("kind",), kind), (("rules",), str(folder / "rules.tsv")), (("naming",), "text"),
            (("selection", "levels"), [50, 100]), (("selection", "per_rule"), 14),
            (("selection", "max_prior"), 1.0), ((kind, "per_template"), 5),
            ((kind, "split_by"), "question"), *settings,
        ],
    )  # fmt: skip
    Build(recipe, folder / "release").run()
    return folder / "release"
