"""Plan-on-Graph's eval on its gold as we export it: its exact match is that of ``--metrics pog``."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from same_scores import outputs, same

MODEL = "gpt-3.5-turbo"
FORMS = [
    lambda some: json.dumps({"A": {"Sufficient": "Yes", "Answer": some[0]}}),
    lambda some: f"Reason: it is so. {json.dumps({'Answer': some})}",
    ", ".join,
    lambda some: f'{{"Sufficient": "Yes", "Answer": "{some[0].replace(chr(34), "")}", ',
    lambda some: f'{{"A": "Answer": {json.dumps(some)}',
    lambda some: some[-1].upper(),
]


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    for release in sorted((root / "releases").iterdir()):
        exported = root / release.name / "tog"
        shutil.copytree(exported / "PoG", "data", dirs_exist_ok=True)
        shutil.copytree(exported / "cope_alias", "cope_alias", dirs_exist_ok=True)
        asked = json.loads(Path("data/cwq.json").read_text("utf-8"))
        rows = json.loads((exported / "cwq.json").read_text("utf-8"))
        gold = {row["ID"]: [answer["answer"] for answer in row["answer"]] for row in rows}
        said = outputs(gold, FORMS)
        rows = [
            {"question": r["question"], "results": said[r["ID"]]} for r in asked if r["ID"] in said
        ]
        Path("PoG").mkdir(exist_ok=True)
        file = shutil.copy(exported / f"PoG_cwq_{MODEL}.jsonl", "PoG")
        Path(file).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        command = [sys.executable, "eval.py", "--dataset", "cwq", "--output_file", Path(file).stem]
        done = subprocess.run(command, cwd="eval", check=True, capture_output=True, text=True)
        theirs = {"exact_match": float(re.findall(r"Exact Match: ([\d.]+)", done.stdout)[0])}
        ours = [{"id": question, "raw_output": text} for question, text in said.items()]
        print(f"{release.name}: {same(release, ours, 'pog', theirs)}")


if __name__ == "__main__":
    main()
