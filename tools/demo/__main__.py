"""Writes the files of ``rulemine/datasets/demo/`` that are made: triples, texts, property graph."""

from pathlib import Path

from rulemine.config import packaged
from rulemine.files import write_lines
from rulemine.kg.graph import KnowledgeGraph
from rulemine.kg.property_graph.simplekg import write_simplekg
from tools.demo.graph import demo_graph
from tools.demo.texts import texts
from tools.demo.world import generate


def write_demo(folder: Path) -> None:
    """Writes the three files into a folder.

    Raises:
        OutputError: A file cannot be written.
    """
    KnowledgeGraph.from_triples(generate()).write(folder / "world.tsv")
    write_lines(folder / "texts.txt", (f"{text}\n" for text in texts()))
    write_simplekg(demo_graph(), folder / "world.json.gz")


if __name__ == "__main__":
    write_demo(packaged("datasets", "demo"))
