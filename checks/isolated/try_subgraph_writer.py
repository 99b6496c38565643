"""A real model on this machine writes questions for subgraphs of the demo.

Run by ``make writers``. How many candidates of so small a model are accepted is luck, mostly none; that each
one is counted by its reason, and that all of it replays (a release verifies, and to the same bytes), is not.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from checks.isolated.try_model import EXAMPLES, ROOT, replies

SECONDS = 200
"""For the build at most."""

BUILD = [
    "build", "subgraphs-demo",
    "--set", "subgraphs.questions=1", "--set", "questions.split=none", "--set", "verbalizer.max_tokens=70",
]  # fmt: skip
MODEL = ["--model", "local", "--set", "verbalizer.prompt=prompts.toml"]
ASK = ["--set", "endpoint.concurrency=1", "--set", f"endpoint.timeout={SECONDS}"]

CANDIDATE = '''[candidate]
system = "You write questions."
user = """
{task} From {atoms} triple, with {names}: {answer}, {sparql}.
{examples}
{facts}
{relations}
{choice}
{earlier}"""
fact = "{triple}"
relation = "{relation}: {statement}"
choice = "{choice}"
example = "Reply: {reply}"
earlier = "{text} {reason}"

'''
"""For a model of this size, which goes by examples rather than by instructions."""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command."""
    command = [sys.executable, "-m", "rulemine", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)


def main() -> int:
    """Serves the model, builds with it, verifies and replays."""
    started = time.monotonic()
    packaged = (ROOT / "rulemine" / "kinds" / "written" / "written.toml").read_text("utf-8")
    before, _, rest = packaged.partition("[candidate]\n")
    prompts = before + CANDIDATE + rest[rest.index("[candidate_plain]") :]
    serve = [sys.executable, str(EXAMPLES / "local_model.py")]
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen(
            serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server,
    ):
        folder = Path(name)
        (folder / "prompts.toml").write_text(prompts, "utf-8")
        journal = folder / "out.stages" / "llm" / "journal.sqlite"
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            if not url:
                sys.exit("examples/local_model.py did not start; run it to see why")
            there = ["--set", f"endpoint.base_url={url}"]
            done = run(folder, *BUILD, *MODEL, *ASK, *there, "-o", "out")
        except subprocess.TimeoutExpired:
            count = replies(journal)
            if not count:
                sys.exit(f"not one reply in {SECONDS} s")
            print(
                f"skipped: {count} replies in {SECONDS} s, so this machine is too slow or too busy"
            )
            return 0
        finally:
            server.terminate()
        if done.returncode == 2 and "no question is left" in done.stderr:
            again = run(folder, *BUILD, *MODEL, "--replay", "out.stages", "-o", "again")
            assert again.stderr.split("\n")[-2:] == done.stderr.split("\n")[-2:], again.stderr
            print(f"{done.stderr.strip()}\n{replies(journal)} replies, replayed: the same")
        elif done.returncode:
            sys.exit(f"{done.returncode}\n{done.stdout}{done.stderr}")
        else:
            for words in (["verify", "out"], [*BUILD, *MODEL, "--replay", "out", "-o", "again"]):
                ended = run(folder, *words)
                if ended.returncode:
                    sys.exit(f"{' '.join(words)}: {ended.returncode}\n{ended.stdout}{ended.stderr}")
            for file in (folder / "out").rglob("*"):
                other = folder / "again" / file.relative_to(folder / "out")
                assert file.is_dir() or file.read_bytes() == other.read_bytes(), file
            counts = json.loads((folder / "out" / "manifest.json").read_text())["counts"]
            found = Counter(counts["sampling"]["subgraphs"]["rejected"])
            found["accepted"] = counts["questions"]
            print("\n".join(f"{n:3} {reason}" for reason, n in found.most_common()))
            print("verified, and replayed to the same bytes")
    print(f"{time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
