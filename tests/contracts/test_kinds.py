"""What a kind of question is stands in its own folder; whatever lies outside asks it, and names none.

Nothing outside imports from a kind, either: `tests.contracts.test_imports`.
"""

import ast
import re
from collections.abc import Iterator

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.kind import Amounts, Wording
from rulemine.verify.kinds import KindChecks
from tests import each
from tests.contracts.test_imports import MODULES, imports, is_of_a_kind, parsed

NAMES = frozenset(
    ("rules", "structures", "subgraphs", "variants", "cypher", "imported", "imported_cypher")
)
AMBIGUOUS = frozenset(("rules", "cypher"))
"""Words of much else: these are found beside a kind or another name alone."""

OF_ELSE = {
    ("rulemine.cli.commands", "variants"), ("rulemine.importing.importer", "imported"),
    ("rulemine.judging.sheets", "structures"), ("rulemine.registry", "imported"),
    ("rulemine.verbalizer.prompts", "structures"),
    # what these papers are about
    ("rulemine.papers.complexlogicalqa", "structures"), ("rulemine.papers.synthkgqa", "subgraphs"),
    ("rulemine.papers.synthkgqa", "imported"),
}  # fmt: skip
"""Modules and words in them that are no kinds."""


SEEN = re.compile(rf'"({"|".join(NAMES)})"|attr\(.*block')
"""What the text of a module has that `places` may find."""


def last(node: ast.AST) -> str:
    """The last word of an expression: ``kind`` of ``a.b.kind``, ``x["kind"]`` and ``x.get("kind")``."""
    match node:
        case (
            ast.Name(word) | ast.Attribute(attr=word) | ast.Subscript(slice=ast.Constant(str(word)))
        ):
            return word
        case ast.Call(ast.Attribute(attr="get"), [ast.Constant(str(word)), *_]):
            return word
        case ast.NamedExpr(ast.Name(word)):
            return word
    return ""


def names_in(*nodes: ast.AST | None) -> set[str]:
    """The names of kinds that are constants in some syntax."""
    every = (inner for node in nodes if node is not None for inner in ast.walk(node))
    return {
        n.value for n in every if isinstance(n, ast.Constant) and isinstance(n.value, str)
    } & NAMES


def places(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and word of what names or recognizes a kind."""
    for node in ast.walk(tree):
        found: set[str] = set()
        match node:
            case ast.Constant(str(word)) if word in NAMES - AMBIGUOUS:
                found = {word}
            case ast.Compare(left, _, others) if "kind" in (last(left), *map(last, others)):
                found = names_in(left, *others)
            case ast.Match(subject, cases) if last(subject) == "kind":
                found = names_in(*(case.pattern for case in cases))
            case ast.Call(ast.Attribute(attr="get"), [ast.Constant("kind"), default]):
                found = names_in(default)
            case ast.Subscript(value, ast.Constant("cypher")) if last(value) == "config":
                found = {"cypher"}
            case (
                ast.keyword("kind", value)
                | ast.IfExp(body=ast.Attribute(attr="kind"), orelse=value)
            ):
                found = names_in(value)
            case ast.Call(ast.Name("hasattr" | "getattr"), [thing, *_]) if last(thing) == "block":
                found = {"block"}
        yield from ((node.lineno, word) for word in found)  # type: ignore[attr-defined]


def test_a_kind_is_no_more_than_a_person_can_carry() -> None:
    for face, most in ((BuildingKind, 20), (Wording, 7), (Amounts, 4), (KindChecks, 20)):
        members = {*dir(face), *vars(face).get("__annotations__", ())}
        assert len([name for name in members if not name.startswith("_")]) <= most, members


def test_no_kind_imports_another() -> None:
    others = {
        (module.removeprefix("rulemine.kinds."), name.removeprefix("rulemine.kinds."))
        for module in MODULES
        if is_of_a_kind(module)
        for _, name in imports(module)
        if is_of_a_kind(name) and name.split(".")[2] not in (module.split(".")[2], "written")
    }
    assert others == set(), "what two kinds need stands in rulemine.kinds"


def test_nothing_else_names_a_kind() -> None:
    found = [
        f"{module}, line {line}: {word}"
        for module in MODULES
        if not (is_of_a_kind(module) or module.startswith("rulemine.verify.kinds"))
        and module != "rulemine.kinds.registry"
        and SEEN.search(MODULES[module].read_text("utf-8"))
        for line, word in places(parsed(module))
        if (module, word) not in OF_ELSE
    ]
    assert found == [], "these name or recognize a kind of question; ask the kind instead"


@each(
    ("code", "named"),
    [
        ("release.kind == 'cypher'", True), ("question.kind not in ('rules', 'cypher')", True),
        ("(kind := Release.open(path).kind) != 'cypher'", True), ("'variants' in kinds", True),
        ("match recipe.kind:\n    case 'rules': pass", True), ("run = config.get('variants', {})", True),
        ("config['cypher']", True), ("kind = config.get('kind', 'rules')", True),
        ("kind = asked[0].kind if asked else 'rules'", True), ("Recipe(kind='rules')", True),
        ("hasattr(question.block, 'redundant')", True), ("counts = {'rules': len(rules)}", False),
        ("row |= {'cypher': block.cypher}", False), ("needs = ('query', 'rules')", False),
        ("token.kind == 'name'", False), ("given = config.get('rules')", False),
        ("if published.kind != fresh.kind: pass", False), ("path = folder / 'rules'", False),
    ],
)  # fmt: skip
def test_what_names_a_kind_is_found_and_other_words_are_not(code: str, named: bool) -> None:
    assert bool(list(places(ast.parse(code)))) is named
