"""Random read-only queries in Cypher over the graphs of `checks.oracles.random_patterns`: what language
models may write, right and wrong.

Not only what fits the schema: variables that are not there, values of the wrong type, aggregates in the wrong
place, and mutations of whole texts.
"""

from random import Random
from typing import Any

from checks.oracles.random_patterns import NAMES, OWN, SCALARS, SCHEMA
from rulemine.cypher.questions.render import quoted_name, quoted_value

LABELS = [row.label for row in SCHEMA.entities]
TYPES = sorted({row.label for row in SCHEMA.relations})
PLAIN = ["a_str", "a_int", "a_float", "a_bool", "a_date", "name", "id", "order", "nothing"]
LISTS = [own.name for own in OWN if own.datatype.startswith("list")]
OF_EDGES = ["start_year", "end_year", "share", "id"]


class CypherWriter:
    """Writes queries.

    Args:
        seed: Which ones.
    """

    def __init__(self, seed: object) -> None:
        self.random = Random(f"cypher {seed}")
        self.kinds: dict[str, str] = {}
        self.number = 0

    def one(self, *some: Any) -> Any:
        return self.random.choice(some)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def fresh(self, kind: str) -> str:
        self.number += 1
        name = f"{kind[0]}{self.number}"
        self.kinds[name] = kind
        return name

    def known(self, *kinds: str) -> str:
        """A variable of some kind; now and then another, or one that is not there."""
        if self.chance(0.004):
            return "zz"
        some = [name for name, kind in self.kinds.items() if kind in kinds]
        if some and not self.chance(0.01):
            return self.one(*some)
        return self.one(*self.kinds) if self.kinds else "zz"

    def query(self) -> str:
        """A query; sometimes several arms, or a text that was changed."""
        text = self.arm()
        if self.chance(0.08):
            text = self.union()
        return self.mutated(text) if self.chance(0.06) else text

    def union(self) -> str:
        arms = []
        for _ in range(self.one(2, 2, 3)):
            self.kinds = {}
            arms.append(f"{self.match()} RETURN {self.value(1)} AS x")
        return self.one(" UNION ", " UNION ALL ").join(arms)

    def arm(self) -> str:
        self.kinds = {}
        clauses = []
        for number in range(self.one(1, 1, 1, 2, 2, 3)):
            clauses.append(self.clause(number))
        return " ".join([*clauses, self.returned()])

    def clause(self, number: int) -> str:
        pick = self.random.random()
        if not self.kinds or pick < 0.45:
            if not self.kinds and pick > 0.92:
                return self.unwind()
            return self.match()
        if pick < 0.6:
            return f"OPTIONAL {self.match()}"
        if pick < 0.8:
            return self.with_()
        return self.unwind() if pick < 0.9 else self.call()

    def match(self) -> str:
        paths = ", ".join(self.path() for _ in range(self.one(1, 1, 1, 1, 2)))
        where = f" WHERE {self.condition(2)}" if self.chance(0.5) else ""
        return f"MATCH {paths}{where}"

    def path(self) -> str:
        named = self.chance(0.08)
        text = self.node(start=True)
        for _ in range(self.one(0, 1, 1, 1, 2)):
            text += self.relation() + self.node()
        return f"{self.fresh('path')} = {text}" if named else text

    def node(self, *, start: bool = False, new: bool = True) -> str:
        known = [name for name, kind in self.kinds.items() if kind == "node"]
        if known and self.chance(0.35 if start else 0.12):
            return f"({self.one(*known)})"
        variable = self.fresh("node") if new and self.chance(0.8) else ""
        label = ""
        if self.chance(0.55):
            label = ":" + self.one(
                *(quoted_name(label) for label in LABELS),
                quoted_name(self.one(*LABELS)),
                "Person|Größe", "!Person", "Nothing", "Person&Größe", "%",
            )  # fmt: skip
        held = ""
        if self.chance(0.12):
            held = self.one(
                f" {{name: {quoted_value(self.one(*NAMES))}}}",
                f" {{a_int: {self.number_()}}}",
                f" {{a_str: {quoted_value(self.one(*SCALARS['str']))}, a_bool: true}}",
            )
        where = (
            " WHERE " + self.plain_test(f"{variable}.{self.one(*PLAIN)}")
            if variable and self.chance(0.03)
            else ""
        )
        return f"({variable}{label}{held}{where})"

    def relation(self, *, new: bool = True) -> str:
        several = self.chance(0.1)
        variable = ""
        if new and self.chance(0.35):
            known = [name for name, kind in self.kinds.items() if kind == "edge"]
            reused = known and not several and self.chance(0.05)
            variable = self.one(*known) if reused else self.fresh("edges" if several else "edge")
        types = ""
        if self.chance(0.6):
            types = ":" + self.one(
                *map(quoted_name, TYPES),
                *map(quoted_name, TYPES),
                "knows|livesIn",
                "!knows",
                "nothing",
            )
        length = self.one("*1..2", "*2", "*..2", "*0..1", "*2..3") if several else ""
        held = f" {{start_year: {self.one(1990, 2000, 2010)}}}" if self.chance(0.06) else ""
        inner = f"{variable}{types}{length}{held}"
        body = f"[{inner}]" if inner or self.chance(0.3) else ""
        return self.one(f"-{body}->", f"-{body}->", f"<-{body}-", f"-{body}-")

    def with_(self) -> str:
        before = dict(self.kinds)
        if self.chance(0.3):
            kept = [name for name in before if self.chance(0.7)] or list(before)[:1]
            self.kinds = {name: before[name] for name in kept}
            head = f"WITH {'DISTINCT ' * self.chance(0.4)}{', '.join(kept)}"
        else:
            items, new = [], {}
            for _ in range(self.one(1, 2, 2, 3)):
                if self.chance(0.4) and before:
                    name = self.one(*before)
                    if name not in new:
                        items.append(name)
                        new[name] = before[name]
                    continue
                self.number += 1
                name = f"v{self.number}"
                grouped = self.chance(0.35)
                items.append(f"{self.aggregate() if grouped else self.value(2)} AS {name}")
                new[name] = "value"
            if not items:
                return "WITH *"
            head = f"WITH {'DISTINCT ' * self.chance(0.12)}{', '.join(items)}"
            self.kinds = new
        return head + self.tail(0.25) + (f" WHERE {self.condition(1)}" if self.chance(0.35) else "")

    def tail(self, share: float) -> str:
        """ORDER BY, and limits that leave no choice."""
        text = ""
        if self.chance(share):
            text += f" ORDER BY {self.value(1)}{self.one('', ' DESC', ' ASC')}"
        if self.chance(0.04):
            text += self.one(
                " LIMIT 0", " SKIP 1000", " LIMIT 1000", " LIMIT -1", " SKIP 0 LIMIT 999"
            )
        return text

    def unwind(self) -> str:
        items = self.one(
            "[1, 2, 2.0, null]", "['red', 'green', 'x']", "range(1, 3)", "[]", "null", "5",
            *(f"{self.known('node')}.{name}" for name in LISTS if self.kinds), "[[1, 2], [3]]",
        )  # fmt: skip
        self.number += 1
        name = f"u{self.number}"
        self.kinds[name] = "value"
        return f"UNWIND {items} AS {name}"

    def call(self) -> str:
        node = self.known("node")
        self.number += 1
        name = f"c{self.number}"
        outer = self.kinds
        self.kinds = {node: "node"}
        relation, other = self.relation(), self.node()
        own = self.value(1)
        inner = (
            f"MATCH ({node}){relation}{other} RETURN {self.one(self.aggregate(), own)} AS {name}"
        )
        self.kinds = outer | {name: "value"}
        if self.chance(0.5):
            return f"CALL {{ WITH {node} {inner} }}"
        return f"CALL ({node}) {{ {inner} }}"

    def returned(self) -> str:
        if self.chance(0.03):
            return "RETURN *"
        items = []
        for number in range(self.one(1, 1, 2, 2, 3)):
            text = self.aggregate() if self.chance(0.35) else self.value(2)
            items.append(text + f" AS r{number}" * self.chance(0.5))
        return f"RETURN {'DISTINCT ' * self.chance(0.2)}{', '.join(items)}{self.tail(0.25)}"

    def aggregate(self) -> str:
        function = self.one("count", "count", "count", "sum", "avg", "min", "max", "collect")
        if function == "count" and self.chance(0.3):
            return "count(*)"
        if function in ("sum", "avg"):
            inner = self.one(self.number_of(1), self.number_of(1), self.value(1))
        else:
            inner = self.one(self.value(1), self.known(*set(self.kinds.values())))
        text = f"{function}({'DISTINCT ' * self.chance(0.3)}{inner})"
        if function == "collect":
            return self.one(f"size({text})", f"[x IN {text} WHERE x IS NULL]", f"size({text}) > 1")
        return (
            f"{text} {self.one('+', '*', '>', '=', '-')} {self.one('1', '2.5', 'null')}"
            if self.chance(0.12)
            else text
        )

    # values

    def property(self) -> str:
        if self.chance(0.12) and "edge" in self.kinds.values():
            return f"{self.known('edge')}.{self.one(*OF_EDGES)}"
        return f"{self.known('node', 'edge')}.{self.one(*PLAIN)}"

    def number_(self) -> str:
        return str(self.one(-3, 0, 3, 4, 50, 1999, "0.1", "1.0", "2.5"))

    def number_of(self, depth: int) -> str:
        node = self.known("node")
        options = [
            self.number_(),
            f"{node}.a_int",
            f"{node}.a_float",
            f"{node}.order",
            f"{node}.a_date.year",
        ]
        if depth:
            left, right = self.number_of(depth - 1), self.number_of(depth - 1)
            options += [
                f"{left} {self.one('+', '-', '*', '/', '%', '^')} {right}", f"({left} - {right})", f"-{left}",
                f"abs({left})", f"round({left})", f"floor({left})", f"toInteger({left})", f"toFloat({left})",
                f"size({node}.a_str)", f"size({node}.{self.one(*LISTS)})", f"sign({left})",
                f"round({left}, 1)",
                f"coalesce({left}, {right})", f"toInteger({self.text_of(0)})", f"ceil({left})",
                f"COUNT {{ ({node}){self.relation(new=False)}() }}",
                f"reduce(s = 0, x IN {node}.a_list_int | s + x)",
            ]  # fmt: skip
        return self.one(*options)

    def text_of(self, depth: int) -> str:
        node = self.known("node")
        options = [
            quoted_value(self.one("red", "Ann", "", "a", "12", "it's")),
            f"{node}.a_str",
            f"{node}.name",
        ]
        if depth:
            text = self.text_of(depth - 1)
            options += [
                f"toUpper({text})", f"toLower({text})", f"{text} + {self.value(0)}", f"trim({text})",
                f"substring({text}, {self.one(0, 1, 9)})", f"substring({text}, 1, 1)", f"left({text}, 2)",
                f"replace({text}, 'e', 'x')", f"toString({self.value(depth - 1)})", f"split({text}, 'e')[0]",
                f"reverse({text})", f"{text} + {text}", f"right({text}, 1)",
            ]  # fmt: skip
            if "edge" in self.kinds.values():
                options.append(f"type({self.known('edge')})")
        return self.one(*options)

    def list_of(self, depth: int) -> str:
        node = self.known("node")
        options = [
            f"{node}.{self.one(*LISTS)}",
            "[1, 2, 3]",
            "['red', null]",
            "[]",
            f"labels({node})",
        ]
        if "path" in self.kinds.values():
            options += [f"[x IN nodes({self.known('path')}) | x.id]"] * 2
        if "edges" in self.kinds.values():
            options += [f"[x IN {self.known('edges')} | type(x)]"] * 2
        if depth:
            some = self.list_of(depth - 1)
            options += [
                f"[x IN {some} WHERE x IS NOT NULL | x]", f"{some}[1..]", f"{some} + {self.value(0)}",
                f"tail({some})", f"[{self.value(0)}, {self.value(0)}]", f"range(0, {self.one(0, 2)})",
                f"[x IN {some} | toString(x)]", f"reverse({some})", f"split({self.text_of(0)}, 'e')",
            ]  # fmt: skip
        return self.one(*options)

    def value(self, depth: int) -> str:
        pick = self.random.random()
        values = [name for name, kind in self.kinds.items() if kind == "value"]
        if values and pick < 0.3:
            return self.one(*values)
        if pick < 0.55 or not depth:
            return self.property()
        node = self.known("node")
        return self.one(
            self.number_of(depth), self.number_of(depth), self.text_of(depth), self.list_of(depth),
            self.condition(depth - 1), f"head({self.list_of(depth - 1)})", f"{self.list_of(depth - 1)}[0]",
            f"CASE WHEN {self.condition(0)} THEN {self.value(depth - 1)} ELSE {self.value(depth - 1)} END",
            f"CASE {self.property()} WHEN {self.value(0)} THEN 'a' WHEN null THEN 'b' END",
            f"coalesce({self.value(depth - 1)}, {self.value(0)})", "null", "true", "date('2000-02-29')",
            f"{node}.a_date.{self.one('year', 'month', 'day')}", f"{node} {{.name, .a_int}}",
            f"{{a: {self.value(0)}}}.a", f"size([({node}){self.relation(new=False)}(x) | x.name])",
            f"last({self.list_of(depth - 1)})", f"size({self.list_of(depth - 1)})",
        )  # fmt: skip

    def plain_test(self, what: str) -> str:
        compare = self.one("=", "<>", "<", ">", "<=", ">=")
        return f"{what} {compare} {self.one(self.number_(), quoted_value('red'))}"

    def condition(self, depth: int) -> str:
        if depth and self.chance(0.45):
            one, other = self.condition(depth - 1), self.condition(depth - 1)
            return self.one(
                f"{one} AND {other}", f"{one} AND {other}", f"{one} OR {other}", f"NOT {one}",
                f"({one} XOR {other})", f"NOT ({one} OR {other})", f"({one})",
            )  # fmt: skip
        node, own = self.known("node"), self.property()
        compare = self.one("=", "<>", "<", ">", "<=", ">=")
        return self.one(
            f"{own} {compare} {self.value(0)}", f"{node}.a_int {compare} {self.number_of(0)}",
            f"{node}.a_str {compare} {self.text_of(0)}", f"{own} IS NULL", f"{own} IS NOT NULL",
            f"{node}.a_str {self.one('STARTS WITH', 'ENDS WITH', 'CONTAINS')} {self.text_of(0)}",
            f"{node}.a_date {compare} date('{self.one('2000-02-29', '1904-02-29', '1999-01-01')}')",
            f"{node}.a_date.year {compare} {self.one(1904, 2000)}",
            f"{node}.name =~ '{self.one('A.*', '(?i)ann', '.')}'",
            f"{self.value(0)} IN {self.list_of(0)}", f"{own} IN [1, 'red', {self.value(0)}]",
            f"{node}:{quoted_name(self.one(*LABELS))}", f"{node}.a_bool", f"NOT {node}.a_bool",
            f"({node}){self.relation(new=False)}()",
            f"NOT ({node}){self.relation(new=False)}({self.known('node')})",
            f"EXISTS {{ ({node}){self.relation(new=False)}(x) WHERE x.a_int {compare} {self.number_()} }}",
            f"COUNT {{ ({node}){self.relation(new=False)}() }} {compare} {self.one(0, 1, 2)}",
            f"EXISTS {{ MATCH ({node}){self.relation(new=False)}(x:Person) RETURN x }}",
            f"{self.one('any', 'all', 'none', 'single')}(x IN {node}.{self.one(*LISTS)} "
            f"WHERE x = {self.value(0)})",
            f"{self.number_()} < {node}.a_int <= {self.number_of(0)}", f"{node} = {self.known('node')}",
            f"exists(({node}){self.relation(new=False)}())", f"{self.value(0)} {compare} {self.value(0)}",
            f"{node}.a_float {compare} {node}.a_int", f"toLower({node}.name) = 'ann'",
            f"size({node}.name) > 2",
        )  # fmt: skip

    def mutated(self, text: str) -> str:
        """A text with a word left out, doubled, or changed for another."""
        words = text.split(" ")
        at = self.random.randrange(len(words))
        pick = self.random.randrange(4)
        if pick == 0:
            del words[at]
        elif pick == 1:
            words.insert(at, words[at])
        elif pick == 2:
            words[at] = self.one(*words)
        else:
            words[at] = words[at][: len(words[at]) // 2]
        return " ".join(words)
