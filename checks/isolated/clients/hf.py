"""Loads exports `hf` with Hugging Face `datasets`, offline: every configuration, the release row by row."""

import gzip
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HOME"] = tempfile.mkdtemp()

import datasets
from datasets import get_dataset_config_names, load_dataset
from huggingface_hub import DatasetCard

SPLITS = ("train", "validation", "test")


def rows_of(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def check(exported: str, release: Path) -> tuple[int, int]:
    manifest = json.loads((release / "manifest.json").read_text())
    naming, kind = manifest["naming"], manifest["config"]["kind"]
    own = load_dataset(exported, f"{kind}-{naming}")
    for split in SPLITS:
        rows = rows_of(release / f"questions/{split}.jsonl")
        assert not rows or list(own[split]) == rows, f"{split} is not that of the release"
    assert load_dataset(exported)["test"][0] == own["test"][0]  # where no configuration is named
    for name in ("complete", "incomplete"):
        text = gzip.decompress((release / f"kg/{name}.tsv.gz").read_bytes()).decode()
        graph = load_dataset(exported, f"kg-{naming}-{name}", split="train")
        found = zip(graph["head"], graph["relation"], graph["tail"], strict=True)
        assert list(map(list, found)) == [line.split("\t") for line in text.splitlines()]
    removed = load_dataset(exported, f"removed-{naming}", split="train")
    assert list(removed) == rows_of(release / "removed.jsonl")
    card = DatasetCard.load(f"{exported}/README.md")
    assert card.data.task_categories == ["question-answering", "graph-ml"]
    assert card.data.license == "apache-2.0"
    names = get_dataset_config_names(exported)
    loaded = [split for name in names for split in load_dataset(exported, name).values()]
    return len(names), sum(split.num_rows for split in loaded)


def main() -> None:
    datasets.disable_progress_bar()
    root = Path(sys.argv[1])
    for release in sorted((root / "releases").iterdir()):
        configs, rows = check(str(root / release.name / "hf"), release)
        told = f"{release.name}: {configs} configurations, {rows:,} rows"
        print(f"datasets {datasets.__version__}, {told}")


if __name__ == "__main__":
    main()
