"""GNN-RAG's reasoner reads the export, trains and ranks; its scores are those of ``--metrics gnnrag``."""

import json
import re
import subprocess
import sys
from pathlib import Path

from same_scores import rows_of, same

OPTIONS = "--lm lstm --relation_word_emb False --entity_dim 200"
FEW = "--max_train 100 --num_epoch 1 --eval_every 1 --warmup_epoch -1 --num_iter 1 --num_ins 1 --num_gnn 1"
SCORES = {
    "avg_em": "em",
    "avg_hits": "hit",
    "avg_f1": "f1",
    "avg_precision": "precision",
    "avg_recall": "recall",
}


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    folder, release = root / "demo" / "gnnrag", root / "releases" / "demo"
    given = [
        "--data_folder",
        f"{folder}/",
        "--checkpoint_dir",
        "ckpt/",
        "--experiment_name",
        "demo",
    ]
    command = [sys.executable, "main.py", "ReaRev", *given, *OPTIONS.split(), *FEW.split()]
    done = subprocess.run(command, cwd="gnn", check=True, capture_output=True, text=True)
    for split, most in (("train", 100), ("dev", 10**9), ("test", 10**9)):
        asked = min(most, len(rows_of(folder / f"{split}.json")))
        found = f"{asked} cases in total, 0 cases without query entity, "
        assert found in done.stdout, f"expected {found!r}"
    last = done.stdout.rpartition("evaluation.......")[2]
    theirs = {SCORES[k]: float(v) for k, v in re.findall(r"(avg_\w+) ([\d.e-]+)", last)}
    assert theirs.keys() == set(SCORES.values())
    label = json.loads((folder / "entities_names.json").read_text("utf-8"))
    ranked = rows_of(Path("gnn/ckpt/demo_test.info"))
    asked = rows_of(folder / "test.json")
    rows = [
        {"id": q["id"], "answers": [], "ranking": [[label[e], p] for e, p in r["cand"]]}
        for q, r in zip(asked, ranked, strict=True)
    ]
    print(f"demo: {same(release, rows, 'gnnrag', theirs)}")


if __name__ == "__main__":
    main()
