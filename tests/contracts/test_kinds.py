"""What a kind of question is stands in its own folder; whatever lies outside asks it, and names none.

Outside ``kinds/NAME`` and ``verify/kinds`` no module imports from a kind (`tests.contracts.test_imports`),
looks at the name of a kind, or at the class or the attributes of what only one kind has. A module that has
to know something of a kind asks `rulemine.kinds.kind.Kind` for it.
"""

import ast
import re
from collections.abc import Iterator
from textwrap import dedent

import pytest

from rulemine.kinds.building import BuildingKind
from rulemine.kinds.kind import Amounts, Wording
from rulemine.verify.kinds import KindChecks
from tests.contracts.test_imports import MODULES, imports, is_of_a_kind, parsed

NAMES = frozenset(
    ("rules", "structures", "subgraphs", "variants", "cypher", "imported", "imported_cypher")
)

HOLDERS = frozenset(
    ("asked", "fresh", "named", "parts", "published", "q", "question", "recipe", "release")
)
"""Variables whose ``kind`` is one of question; that of tokens, blocks of text and faults is another."""

CLASS = re.compile(r"(Rule|Structure|Subgraph|Variant|Cypher|Query)(Question|Block)")

LOOKS = frozenset(("isinstance", "issubclass", "hasattr", "getattr"))


def last(node: ast.AST | None) -> str:
    """The last word of an expression: ``kind`` of ``a.b.kind``, ``x["kind"]`` and ``x.get("kind")``."""
    match node:
        case ast.Name(word) | ast.Attribute(attr=word) | ast.arg(word) | ast.keyword(word):
            return word or ""
        case ast.Subscript(slice=ast.Constant(str(word))):
            return word
        case ast.Call(ast.Attribute(attr="get"), [ast.Constant(str(word)), *_]):
            return word
        case ast.NamedExpr(ast.Name(word)):
            return word
    return ""


class Finder:
    """Finds the places of one module.

    Args:
        tree: Its syntax.
        constants: The words of the package that stand for the name of a kind.
    """

    def __init__(self, tree: ast.Module, constants: frozenset[str]) -> None:
        self.tree, self.constants = tree, constants
        compares = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
        self.compared = {side for node in compares for side in node.comparators}

    def lines(self) -> list[int]:
        """Their line numbers, ascending; a line counts once for each place in it."""
        return sorted(
            node.lineno  # type: ignore[attr-defined]
            for node in ast.walk(self.tree)
            if self._names(node) or self._recognizes(node)
        )

    def _is_name(self, node: ast.AST | None) -> bool:
        if isinstance(node, ast.IfExp):
            return self._is_name(node.body) or self._is_name(node.orelse)
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str) and node.value in NAMES
        return isinstance(node, ast.Name) and node.id in self.constants

    def _parts(self, node: ast.expr) -> list[ast.expr]:
        rows = isinstance(node, ast.Tuple | ast.List | ast.Set)
        return node.elts if rows else [node]

    def _are_names(self, node: ast.AST) -> bool:
        rows = isinstance(node, ast.Tuple | ast.List | ast.Set) and node.elts
        return bool(rows) and all(map(self._is_name, rows))

    def _names(self, node: ast.AST) -> bool:
        """Whether a piece of syntax compares with the name of a kind, or chooses by it."""
        match node:
            case ast.Compare(left, operators, others):
                sides = [part for side in (left, *others) for part in self._parts(side)]
                own = [s for s in sides if last(s) in ("kind", "kinds")]
                rest = [s for s in sides if s not in own]
                return bool(own) and (
                    any(map(self._is_name, rest))
                    or (
                        isinstance(operators[0], ast.In | ast.NotIn)
                        and any(last(getattr(s, "value", None)) in HOLDERS for s in own)
                        and not all(isinstance(s, ast.Constant) or last(s).isupper() for s in rest)
                    )
                )
            case ast.Match(subject, cases):
                found = [n for case in cases for n in ast.walk(case.pattern)]
                return last(subject) == "kind" and any(
                    isinstance(n, ast.MatchValue) and self._is_name(n.value) for n in found
                )
            case ast.Dict(keys, values):
                named = [k for k in keys if self._is_name(k)]
                only = all(k is None or self._is_name(k) or ast.unparse(k) == "''" for k in keys)
                told = any(
                    isinstance(k, ast.Constant) and k.value == "kind" and self._is_name(v)
                    for k, v in zip(keys, values, strict=True)
                )
                return told or (bool(named) and only and len(keys) > 1)
            case ast.Tuple([first, ast.Constant(str(key))]) if key not in NAMES:
                return self._is_name(first) and key != "" and not self._is(first, "rules")
            case ast.Tuple(rows) | ast.List(rows) | ast.Set(rows) if node not in self.compared:
                return self._are_names(node) and (len(rows) > 1 or not self._is(rows[0], "rules"))
            case ast.Subscript(value, key) | ast.Call(ast.Attribute(value, "get"), [key, *_]) if (
                last(value) == "config"  # whose key "rules" is a file
            ):
                usual = isinstance(node, ast.Call) and self._is(key, "kind") and node.args[-1]
                return self._is_name(usual or key) and not self._is(key, "rules")
            case ast.Assign([ast.Name("kind" | "kinds")], value) | ast.AnnAssign(
                ast.Name("kind" | "kinds"), _, value
            ):
                value = value.args[0] if isinstance(value, ast.Call) and value.args else value
                return self._is_name(value) or (
                    value is not None and self._are_names(value) and not self._names(value)
                )
            case ast.keyword("kind", value):
                return self._is_name(value)
        return False

    def _is(self, node: ast.AST, word: str) -> bool:
        return isinstance(node, ast.Constant) and node.value == word

    def _recognizes(self, node: ast.AST) -> bool:
        """Whether a piece of syntax looks at the class or the attributes of what one kind has."""
        match node:
            case ast.MatchClass(named):
                return bool(CLASS.fullmatch(last(named)))
            case ast.Call(ast.Name("rule_questions")):
                return True
            case ast.Compare(ast.Call(ast.Name("type")), _, [named]):
                return bool(CLASS.fullmatch(last(named)))
            case ast.Call(ast.Name(word), [thing, wanted, *_]) if word in LOOKS:
                classes = any(CLASS.fullmatch(last(one)) for one in ast.walk(wanted))
                own = last(thing) in ("q", "question") and isinstance(wanted, ast.Constant)
                return classes or last(thing) == "block" or own
        return False


def constants_of(tree: ast.Module) -> Iterator[str]:
    """The words that a module gives to the name of a kind."""
    for node in tree.body:
        match node:
            case ast.Assign(targets, ast.Constant(str(value))) if value in NAMES:
                yield from map(last, targets)


def places(source: str) -> list[int]:
    """The lines of some code that name or recognize a kind."""
    tree = ast.parse(dedent(source))
    return Finder(tree, frozenset(constants_of(tree))).lines()


def found() -> dict[str, list[int]]:
    """Module → lines, of all modules that should know no kind."""
    outside = [
        module
        for module in MODULES
        if not is_of_a_kind(module)
        and module != "rulemine.kinds.registry"
        and not module.startswith("rulemine.verify.kinds")
    ]
    trees = {module: parsed(module) for module in outside}
    constants = {word for tree in trees.values() for word in constants_of(tree) if word.isupper()}
    rows = {m: Finder(tree, frozenset(constants)).lines() for m, tree in trees.items()}
    return {module: lines for module, lines in rows.items() if lines}


def members(*faces: type) -> list[str]:
    """What a kind may set or override, in all the objects that it is made of."""
    names = [{*dir(face), *vars(face).get("__annotations__", ())} for face in faces]
    return [name for own in names for name in own if not name.startswith("_")]


def test_a_kind_is_no_more_than_a_person_can_carry() -> None:
    for face, most in ((BuildingKind, 20), (Wording, 7), (Amounts, 4), (KindChecks, 20)):
        assert len(members(face)) <= most, members(face)


def test_no_kind_imports_another() -> None:
    others = {
        (module.removeprefix("rulemine.kinds."), name.removeprefix("rulemine.kinds."))
        for module in MODULES
        if is_of_a_kind(module)
        for _, name in imports(module)
        if is_of_a_kind(name) and name.split(".")[2] not in (module.split(".")[2], "written")
    }
    assert others == set(), "what two kinds need stands in rulemine.kinds"


@pytest.mark.slow
def test_nothing_else_names_a_kind() -> None:
    assert found() == {}, "these lines name or recognize a kind of question; ask the kind instead"


@pytest.mark.parametrize(
    "violation",
    [
        "if release.kind == 'cypher': pass",
        "if question.kind not in ('subgraphs', 'variants'): pass",
        "CYPHER = 'cypher'\nif kind != CYPHER: pass",
        "if 'cypher' in kinds: pass",
        "if (kind := Release.open(path).kind) != 'cypher': pass",
        "found = name in (q.structure, q.kind)",
        "match recipe.kind:\n    case 'rules': pass",
        "pages = {'rules': RULES, 'cypher': CYPHER}[parts.kind]",
        "prefix = {'': a, 'cypher': b}.get(kind, '')",
        "for name in ('subgraphs', 'variants'): pass",
        "kinds: ClassVar = ('cypher',)",
        "kinds: ClassVar = ('rules',)",
        "run = release.manifest['config']['variants']['run']",
        "run = config.get('variants', {})",
        "run = lookup(config, ('variants', 'run'))",
        "kind = config.get('kind', 'rules')",
        "kind = asked[0].kind if asked else 'rules'",
        "recipe = {'kind': 'variants'}",
        "kind: str = option('rules', choices=KINDS)",
        "if isinstance(question, RuleQuestion): pass",
        "if isinstance(block, SubgraphBlock | VariantBlock): pass",
        "if hasattr(question.block, 'redundant'): pass",
        "own = getattr(question, 'cypher', None)",
        "match block:\n    case CypherBlock(): pass",
        "if type(q) is CypherQuestion: pass",
    ],
)  # fmt: skip
def test_a_planted_place_is_found(violation: str) -> None:
    assert len(places(violation)) == 1


@pytest.mark.parametrize(
    "harmless",
    [
        "counts = {'rules': len(rules)}",
        "row |= {'cypher': block.cypher, 'columns': block.columns}",
        "if name != 'rules' and arguments.rules: pass",
        "needs: ClassVar = ('query', 'rules')",
        "needs: ClassVar = ('rules',)",
        "to = {'sparql': to_sparql, 'cypher': to_cypher}[arguments.to]",
        "keys = frozenset(('cypher', 'query', 'statement'))",
        "with _of_key('rules'): pass",
        "if token.kind == 'name': pass",
        "if block.kind == kind: pass",
        "if (release.name, release.kind) != (name, kind): pass",
        "given = config.get('rules')",
        "if release.kind in KINDS: pass",
        "if published.kind != fresh.kind: pass",
        "if isinstance(rows, Question): pass",
        "value = getattr(question, name)",
        "parser.add_parser('cypher-score')",
        "path = folder / 'rules'",
    ],
)
def test_words_that_are_no_kinds_are_let_be(harmless: str) -> None:
    assert places(harmless) == []
