"""The checks of realism, and the file that they rest on."""

from rulemine.cypher import MatchPattern, PatternNode
from rulemine.cypher.questions.templates import CATEGORIES, MATCHES
from rulemine.datasets.property_graphs import load_property_graph
from rulemine.kg.facts import Declarations
from rulemine.kinds.cypher.realism import Characteristics, Realism, draft_characteristics
from tests import each
from tests.kinds.cypher.graphs import graph_of, schema_of

P, T, G = PatternNode("Person"), PatternNode("Town"), PatternNode("Guild")
LIVES = ("Person", "lives_in", "Town")
MARRIED = ("Person", "married_to", "Person")
PARENT, CHILD = ("Person", "parent_of", "Person"), ("Person", "child_of", "Person")
BOTH_WAYS = {MARRIED: {"inverse": ("married_to",)}}
INVERSE = {PARENT: {"inverse": ("child_of",)}}
LIVED = {LIVES: {"inverse": ("houses",), "obj_cardinality": "one"}}


@each(
    ("match", "rows", "objection"),
    [
        (("(n)->(m0)", (P, T), ("lives_in",)), {LIVES: {"mandatory_subj": True}}, "unnecessary leaf"),
        (("(n)<-(m0)", (T, P), ("lives_in",)), {LIVES: {"mandatory_subj": True}}, ""),
        (("(n)<-(m0)", (T, P), ("lives_in",)), {LIVES: {"mandatory_obj": True}}, "unnecessary leaf"),
        (("(n)->(m0*)", (P, T), ("lives_in",)), {LIVES: {"mandatory_subj": True}}, ""),
        (("(n)->(m0),(n)->(m0)", (P, T), ("lives_in", "lives_in")), {}, "redundant"),
        (("(n)->(m0),(n)->(m0)", (P, T), ("born_in", "lives_in")), {}, ""),
        (("(n)->(m0),(n)->(m0)", (P, T), ("born_in", "lives_in")),
         {LIVES: {"implies": ("works_in",)}, ("Person", "works_in", "Town"): {"implies": ("born_in",)}},
         "redundant"),
        (("(n)->(m0),(n)<-(m0)", (P, P), ("married_to",) * 2), {}, ""),
        (("(n)->(m0),(n)<-(m0)", (P, P), ("married_to",) * 2), BOTH_WAYS, "redundant"),
        (("(n)->(m0)<-(m1*)", (T, G, T), ("x", "x")), {("Town", "x", "Guild"): {"subj_cardinality": "one"}},
         "there and back"),
        (("(n)<-(m0)->(m1*)", (T, P, T), ("lives_in",) * 2), {LIVES: {"obj_cardinality": "one"}},
         "there and back"),
        (("(n)<-(m0)->(m1*)", (T, P, T), ("lives_in",) * 2), {LIVES: {"subj_cardinality": "one"}}, ""),
        (("(n)->(m0)->(m1*)", (P, P, P), ("married_to",) * 2),
         {MARRIED: {"inverse": ("married_to",), "obj_cardinality": "one"}}, "there and back"),
        (("(n)->(m0)->(m1*)", (P, P, P), ("knows", "knows")), {}, "contrived"),
        (("(n)<-(m0)->(m1*)", (G, P, T), ("leads", "lives_in")), {}, "contrived"),
        (("(n)<-(m0)->(m1*)", (G, P, T), ("leads", "lives_in")), {LIVES: {"obj_cardinality": "one"}}, ""),
        (("(n)->(m0)->(m1*)", (P, P, T), ("leads", "lives_in")), LIVED, "contrived"),
        (("(n)->(m1*) optional (n)->(m0)", (P, P, T), ("leads", "lives_in")), {}, "contrived"),
        (("(n)->(m0)->(m1*) by n", (P, T, G), ("lives_in", "y")), {LIVES: {"obj_cardinality": "one"}},
         "pointless group"),
        (("(n)<-(m1*) optional (n)<-(m0)", (T, P, P), ("lives_in", "works_in")),
         {LIVES: {"subj_cardinality": "one"}}, "pointless group"),
        (("(n)<-(m1*) optional (n)<-(m0)", (T, P, P), ("lives_in", "works_in")),
         {LIVES: {"obj_cardinality": "one"}}, ""),
        (("(n)->(m0),(n)<-(m0)", (P, P), ("parent_of", "child_of")), {}, ""),
        (("(n)->(m0),(n)<-(m0)", (P, P), ("parent_of", "child_of")), INVERSE, "redundant"),
        (("(n)->(m0),(n)->(m0)", (P, P), ("parent_of", "child_of")), INVERSE, ""),
        (("(n)->(m0),(n)<-(m0)", (P, P), ("mother_of", "child_of")),
         INVERSE | {("Person", "mother_of", "Person"): {"implies": ("parent_of",)}}, "redundant"),
        (("(n)->(m0),(n)<-(m0)", (P, P), ("child_of", "kin_of")),
         {CHILD: {"inverse": ("parent_of",)}, PARENT: {"implies": ("kin_of",)}}, "redundant"),
        (("(n)->(m0)->(m1*)", (P, P, P), ("parent_of", "child_of")), {}, "contrived"),
        (("(n)->(m0)->(m1*)", (P, P, P), ("parent_of", "child_of")), INVERSE, "there and back"),
        (("(n)<-(m0)<-(m1*) by n", (P, P, P), ("child_of", "parent_of")), INVERSE, "there and back"),
        (("(n)->(m0)<-(m1*)", (P, P, P), ("parent_of", "child_of")), INVERSE, "contrived"),
        (("(n)->(m0)<-(m1*)", (P, P, P), ("parent_of", "parent_of")), INVERSE, "contrived"),
        (("(n)->(m0*),(n)<-(m1*)", (P, P, P), ("parent_of", "child_of")), INVERSE, "contrived"),
        (("(n)->(m0*),(n)->(m1*)", (P, P, P), ("parent_of", "parent_of")), INVERSE, ""),
        (("(n)->(m0*),(n)<-(m1*)", (P, T, T), ("lives_in", "houses")), LIVED, "there and back"),
        (("(n)<-(m0*),(n)<-(m1*)", (P, T, T), ("houses", "houses")), LIVED, "there and back"),
        (("(n)->(m0*),(n)->(m1*)", (T, P, P), ("houses", "houses")), LIVED, ""),
        (("(n)->(m1*) optional (n)<-(m0)", (P, P, P), ("parent_of", "child_of")), INVERSE, "there and back"),
    ],
)  # fmt: skip
def test_checks(match: tuple, rows: dict, objection: str) -> None:
    kinds = {signature: Characteristics(**row) for signature, row in rows.items()}
    assert Realism(kinds).objection(MatchPattern(*match)) == objection


DECLARED = Declarations.of(
    ["married_to"], [("parent_of", "child_of")], [("parent_of", "mother_of")]
)


LAND, ZONE, TONGUE = PatternNode("Land"), PatternNode("Zone"), PatternNode("Language")
ONE = {("Town", "lies_in", "Land"): Characteristics(obj_cardinality="one"),
       ("Land", "has_capital", "Town"): Characteristics("one", "one", mandatory_subj=True),
       ("Person", "lives_in", "Town"): Characteristics(obj_cardinality="one"),
       ("Town", "follows", "Zone"): Characteristics(obj_cardinality="one")}  # fmt: skip


@each(
    ("match", "objection"),
    [
        (("(n)->(m0*) or (n)->(m1*)", (P, P, P), ("parent_of", "child_of")), "contrived"),
        (("(n)->(m0*) or (n)<-(m1*)", (P, P, P), ("parent_of",) * 2), "contrived"),
        (("(n)->(m0)", (P, P), ("married_to",)), "contrived"),
        (("(n)->(m0)<-(m1*) by n", (P, P, T), ("parent_of", "houses")), "contrived"),
        # A town for its land, and who lives in a town; not a land for its capital, or what lies there, too.
        (("(n)<-(m0)<-(m1*)", (TONGUE, LAND, T), ("speaks", "lies_in")), "stand-in"),
        (("(n)<-(m0)->(m1*)", (TONGUE, LAND, T), ("speaks", "has_capital")), "stand-in"),
        (("(n)<-(m0)<-(m1*)", (ZONE, T, LAND), ("follows", "has_capital")), ""),
        (("(n)->(m0)<-(m1*)", (P, T, P), ("born_in", "lives_in")), "stand-in"),
        (("(n)->(m0)<-(m1*)", (P, T, P), ("lives_in", "lives_in")), ""),
        (("(n)->(m0)<-(m1*)", (T, LAND, T), ("lies_in", "lies_in")), ""),
        (("(n)->(m0*),(n)<-(m1*)", (LAND, LAND, T), ("borders", "lies_in")), "stand-in"),
        (("(n)->(m0*),(n)->(m1*)", (LAND, LAND, ZONE), ("borders", "uses")), "uncounted"),
        (("(n)->(m0)<-(m1*)", (LAND, ZONE, T), ("uses", "follows")), "uncounted"),
        (("(n)->(m0)<-(m1*)", (T, ZONE, T), ("follows", "follows")), ""),
        (("(n)->(m0*)", (LAND, ZONE), ("uses",)), "uncounted"),
        (("(n)->(m1*) optional (n)<-(m0)", (T, P, LAND), ("robs", "lies_in")), "uncounted"),
    ],
)  # fmt: skip
def test_what_nobody_would_name(match: tuple, objection: str) -> None:
    realism = Realism(ONE, DECLARED, ["Zone", "robs"], {"lies_in", "has_capital", "borders"})
    assert realism.objection(MatchPattern(*match)) == objection


@each(
    ("template", "relations", "objection", "apart"),
    [
        ("(n)->(m0)->(m1*)", ("married_to", "married_to"), "there and back", ("n", "m1")),
        ("(n)->(m0)<-(m1*)", ("married_to", "married_to"), "redundant", ("n", "m1")),
        ("(n)->(m0)->(m1*) by n", ("married_to", "knows"), "contrived", None),
        ("(n)->(m0)<-(m1*) by n", ("child_of", "child_of"), "contrived", ("n", "m1")),
        ("(n)->(m0)->(m1*)", ("parent_of", "child_of"), "there and back", ("n", "m1")),
        ("(n)->(m0)<-(m1*)", ("parent_of", "mother_of"), "there and back", ("n", "m1")),
        ("(n)->(m0)->(m1*)", ("mother_of", "child_of"), "there and back", ("n", "m1")),
        ("(n)->(m0)->(m1*)", ("parent_of", "mother_of"), "contrived", ("n", "m1")),
        # No edge is bound twice; parallel ones are why n and m1 have to be apart.
        ("(n)->(m0)<-(m1*)", ("child_of", "child_of"), "contrived", ("n", "m1")),
        ("(n)->(m0)<-(m1*)", ("knows", "knows"), "contrived", None),
        ("(n)->(m1*) optional (n)->(m0)", ("child_of", "child_of"), "there and back", ("m0", "m1")),
        (
            "(n)->(m1*) optional (n)<-(m0)",
            ("child_of", "mother_of"),
            "there and back",
            ("m0", "m1"),
        ),
        ("(n)->(m1*) optional (n)<-(m0)", ("child_of", "child_of"), "", ("m0", "m1")),
        ("(n)->(m1*) optional (n)->(m0)", ("knows", "knows"), "there and back", None),
        ("(n)->(m0),(n)<-(m0)", ("child_of", "mother_of"), "redundant", None),
        ("(n)->(m0),(n)<-(m0)", ("married_to", "married_to"), "redundant", None),
        ("(n)->(m0*),(n)->(m1*)", ("married_to", "married_to"), "", None),
        ("(n)->(m0*) or (n)<-(m1*)", ("child_of", "parent_of"), "", None),
    ],
)
def test_what_is_declared_leads_back(
    template: str, relations: tuple[str, ...], objection: str, apart: tuple[str, str] | None
) -> None:
    nodes = (P,) * len(CATEGORIES[MATCHES[template].category].nodes)
    match, realism = MatchPattern(template, nodes, relations), Realism({}, DECLARED)
    assert (realism.objection(match), realism.apart(match)) == (objection, apart)


def test_what_relations_are_like_is_seen_in_the_graph() -> None:
    draft = draft_characteristics(load_property_graph("demo"))
    married = draft["Person", "married_to", "Person"]
    assert (married.inverse, married.obj_cardinality) == (("married_to",), "one")
    assert draft["Person", "works_for", "Workshop"].time_sensitive
    assert not draft[LIVES].time_sensitive
    assert (draft[PARENT].inverse, draft[CHILD].inverse) == (("child_of",), ("parent_of",))


def test_a_draft_tells_the_ends_apart_and_takes_nothing_from_few_pairs() -> None:
    sizes = {"lives_in": 12, "eats_in": 10, "rules": 9}
    schema = schema_of("Person Town", ", ".join(f"{name} Person Town" for name in sizes))
    edges = [f"p{i} {name} t" for name, size in sizes.items() for i in range(size)]
    nodes = {"Person": " ".join(f"p{i}" for i in range(12)), "Town": "t"}
    draft = draft_characteristics(graph_of(schema, nodes, ", ".join(edges)))
    assert (draft[LIVES].subj_cardinality, draft[LIVES].obj_cardinality) == ("many", "one")
    implied = {name: draft["Person", name, "Town"].implies for name in sizes}
    assert implied == {"lives_in": (), "eats_in": ("lives_in",), "rules": ()}
