"""The project does not grow: what a reader has to carry, in numbers that may only fall (`size.toml`)."""

import argparse
import ast
import tomllib
from functools import cache
from pathlib import Path

from rulemine.cli.main import make_parser
from rulemine.kinds.registry import KINDS
from rulemine.recipe.recipe import BASE, keys_with
from rulemine.release.card.figures import COLUMNS, FIGURES, page_of
from tests import ROOT

BUDGETS = tomllib.loads((Path(__file__).parent / "size.toml").read_text("utf-8"))


def paths(place: str) -> list[Path]:
    """The files that a path, or a pattern such as ``rulemine/*.py``, names."""
    return list(ROOT.glob(place) if place.endswith(".py") else (ROOT / place).rglob("*.py"))


@cache
def statements_of(path: Path) -> int:
    return sum(
        isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )


def statements(place: str) -> int:
    """Statements without docstrings."""
    return sum(map(statements_of, paths(place)))


def parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """A parser and those of its commands, each once whatever names it has."""
    below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    each = {id(child): child for action in below for child in action.choices.values()}
    return [parser, *(more for child in each.values() for more in parsers(child))]


def face() -> dict[str, int]:
    """What users meet, and what stands beside the package."""
    actions = [action for parser in parsers(make_parser()) for action in parser._actions]
    pages = [page_of(kind) for kind in KINDS.own]
    return {
        "recipe keys": len([BASE, *keys_with(*KINDS)]),
        "commands": len(parsers(make_parser())) - 1,
        "options": sum(bool(action.option_strings) for action in actions),
        "figures of a release": len(COLUMNS)
        + len(FIGURES.keys() | {key for page in pages for key in page.figures}),
        "words of docs": sum(len(p.read_text("utf-8").split()) for p in ROOT.glob("docs/*.md")),
        **{
            f"lines of {folder}": sum(
                path.read_text("utf-8").count("\n") for path in ROOT.glob(f"{folder}/**/*.py")
            )
            for folder in ("tests", "checks")
        },
    }


def fits(found: int, budget: int) -> bool:
    """Whether a number is within its budget, and the budget not much wider than it."""
    return budget - max(10, budget // 50) <= found <= budget


def test_every_number_is_within_its_budget() -> None:
    folders = {place: statements(place) for place in BUDGETS["statements"]}
    assert sum(folders.values()) == statements("rulemine"), "a folder without a budget"
    found, budgets = folders | face(), BUDGETS["statements"] | BUDGETS["face"]
    assert found.keys() == budgets.keys()
    assert {n: x for n, x in found.items() if not fits(x, budgets[n])} == {}
