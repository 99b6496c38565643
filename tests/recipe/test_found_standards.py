"""An own graph has the standards of proof of its vocabulary, under the names that it uses."""

from rulemine.config import packaged, read_toml
from rulemine.kg.graph import KnowledgeGraph
from rulemine.phrasing.books import packaged_books
from rulemine.recipe.relation_filter import found_filter, load_filter, standard_lines

LABELS = {
    "place of birth": "P19", "place of death": "P20", "ethnic group": "P172",
    "country of citizenship": "P27", "sibling": "P3373", "occupation": "P106",
}  # fmt: skip


def graph(relations):
    return KnowledgeGraph.from_triples([(f"a {r}", r, f"b {r}") for r in relations])


def forms(relations, names):
    return [(one.head, one.body_any) for one in found_filter(graph(relations), names).standards]


def test_each_way_of_naming_the_relations_has_the_standard():
    codes = {code: label for label, code in LABELS.items()}
    assert (("P19",), ("P172",)) in forms(codes, {})
    assert (("place of birth",), ("ethnic group",)) in forms(LABELS, {})
    assert (("P19",), ("P172",)) in forms(codes, codes)


def test_another_vocabulary_has_none():
    for relations in (["lives_in", "knows", "place of birth"], ["r19", "r20"]):
        assert not found_filter(graph(relations), {}).standards


def test_written_out_they_are_read_as_the_same(tmp_path):
    found = found_filter(graph(LABELS), {}).standards
    path = tmp_path / "filter.toml"
    path.write_text("\n".join(["[drop]", *standard_lines(found), ""]))
    assert load_filter(path, LABELS).standards == found != ()


def test_each_file_names_relations_of_its_book():
    books = {book.name: book.rows.keys() for book in packaged_books()}
    files = sorted(packaged("recipe", "standards").glob("*.toml"))
    assert files
    for path in files:
        values = read_toml(path)
        classes = values["classes"]
        lists = [
            one.get(key, ())
            for one in values["standards"]
            for key in ("head", "body_any", "body_only")
        ]
        named = {name for some in [*classes.values(), *lists] for name in some}
        assert named <= books[path.stem] | classes.keys()
        assert len(load_filter(path, books[path.stem]).standards) == len(values["standards"])
