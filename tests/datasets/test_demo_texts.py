from rulemine.config import packaged
from rulemine.datasets import demo_texts
from rulemine.datasets.demo_world import generate


def test_the_recipe_gives_the_file_byte_for_byte():
    shipped = packaged("datasets", "demo", "texts.txt").read_bytes()
    assert "".join(f"{text}\n" for text in demo_texts.texts()).encode() == shipped


def test_texts_are_one_line_each_and_name_what_they_are_about():
    entities = {name for s, _, o in generate() for name in (s, o)}
    texts = demo_texts.texts()
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert "\n" not in text
        assert text.endswith(".")
        assert sum(name in text for name in entities) >= 2, text
