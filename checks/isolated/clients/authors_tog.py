"""Think-on-Graph's eval on its gold as we export it: its exact match is that of ``--metrics tog``."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from same_scores import outputs, same

FORMS = [
    lambda some: f"Based on the triplets, the answer is {{{some[0]}}}.",
    lambda some: f"{{Yes}}. The answer is {{{some[0]}}}.",
    ", ".join,
    lambda some: f"{{{', '.join(some)}}}",
    lambda some: f"{{ {some[0].upper()} ",
    lambda _: "{NULL}",
]


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    for release in sorted((root / "releases").iterdir()):
        shutil.copytree(root / release.name / "tog", "data", dirs_exist_ok=True)
        asked = json.loads(Path("data/cwq.json").read_text("utf-8"))
        gold = {row["ID"]: [answer["answer"] for answer in row["answer"]] for row in asked}
        said = outputs(gold, FORMS)
        rows = [
            {"question": r["question"], "results": said[r["ID"]]} for r in asked if r["ID"] in said
        ]
        Path("eval/ToG_cwq.json").write_text(json.dumps(rows), "utf-8")
        command = [sys.executable, "eval.py", "--dataset", "cwq", "--output_file", "ToG_cwq.json"]
        done = subprocess.run(command, cwd="eval", check=True, capture_output=True, text=True)
        theirs = {"exact_match": float(re.findall(r"Exact Match: ([\d.]+)", done.stdout)[0])}
        ours = [{"id": question, "raw_output": text} for question, text in said.items()]
        print(f"{release.name}: {same(release, ours, 'tog', theirs)}")


if __name__ == "__main__":
    main()
