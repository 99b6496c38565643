"""What scoring costs: eight systems on six graphs, 200,016 predictions, and every two systems compared.

    python benchmarks/score.py out/fb15k237 [--questions 4167] [--resamples 1000]

The systems are invented: each answers a share of the questions and adds wrong ones. Three write text (forty
words, names among them), five give lists; of these three say what they retrieved (fifty triples) and two
rank a hundred candidates. The questions are the first of all splits together. Every step is a process of its
own, start-up and reading of release and files included. Prints Markdown: predictions, CPU seconds (user +
system), wall seconds, peak resident memory.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scale import measure

from rulemine.evaluation import write_predictions
from rulemine.evaluation.comparing.comparison import compare
from rulemine.evaluation.scorer import Scorer
from rulemine.release.groups import sample
from rulemine.release.reader import Release
from rulemine.release.records import Prediction, Question, names_in
from rulemine.seeds import stream

SYSTEMS, LEVELS = 8, (0, 20, 40, 60, 80, 100)
TEXT, RETRIEVING, RANKING = (0, 1, 2), (3, 4, 5), (6, 7)
WORDS = (
    "the answer to this question is most likely one of these, "
    "because of what the graph says about it: "
)


def predictions(
    questions: tuple[Question, ...], names: tuple[str, ...], system: int, level: int
) -> Iterator[Prediction]:
    """What an invented system says."""
    draws = stream(0, "benchmark", system, level)
    for q in questions:
        drawn = draws.uniform(8)
        found = [a for i, a in enumerate(q.answers[:6]) if drawn[i] < 0.9 - 0.1 * system]
        found += [names[int(u * len(names))] for u in drawn[6:]]
        ranking = retrieved = None
        if system in RETRIEVING:
            near = [q.full_evidence[i % len(q.full_evidence)] for i in range(5 * (drawn[0] < 0.7))]
            far = [names[int(u * len(names))] for u in draws.uniform(45)]
            retrieved = (*near, *((q.anchors[0], q.relations[0], name) for name in far))
        if system in RANKING:
            ranking = tuple((names[int(u * len(names))], float(u)) for u in draws.uniform(100))
        if system in TEXT:
            text = WORDS * 2 + ", ".join(found) + "."
            yield Prediction(q.id, raw_output=text, retrieved=retrieved)
        else:
            yield Prediction(q.id, answers=tuple(found), retrieved=retrieved, ranking=ranking)


def files(folder: Path) -> list[tuple[Path, int]]:
    """The prediction files of a folder, with their levels."""
    return [
        (folder / f"system{system}-{level}.jsonl", level)
        for system in range(SYSTEMS)
        for level in LEVELS
    ]


def write(release: Release, folder: Path, questions: int) -> None:
    """Writes the prediction files."""
    asked = sample(release.questions(), questions)
    names = names_in(release.entities, release.naming)
    for number, (path, level) in enumerate(files(folder)):
        write_predictions(path, predictions(asked, names, number // len(LEVELS), level))


def score(release: Release, folder: Path, questions: int, resamples: int, step: str) -> None:
    """Scores all files, or those of one level, which are then compared."""
    scorer = Scorer(release, split=None, sample=questions, resamples=resamples)
    chosen = files(folder)[len(LEVELS) - 1 :: len(LEVELS)] if step == "compare" else files(folder)
    reports = {path.stem: scorer(path, kg=f"incomplete-{level}") for path, level in chosen}
    print(compare(reports).to_table() if step == "compare" else len(reports))


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("release", type=Path)
    parser.add_argument("--questions", type=int, default=4167)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--step", choices=("score", "compare"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    release = Release.open(given.release)
    if given.step:
        score(release, given.folder, given.questions, given.resamples, given.step)
        return
    with tempfile.TemporaryDirectory() as name:
        write(release, Path(name), given.questions)
        print("| step | predictions | CPU s | wall s | peak MiB |\n|---|--:|--:|--:|--:|")
        whole = len(files(Path(name))) * given.questions
        steps = {"score": ("eight systems on six graphs", whole),
                 "compare": ("28 pairs of systems on one graph", whole // len(LEVELS))}  # fmt: skip
        for step, (title, count) in steps.items():
            cost = measure(
                [sys.executable, __file__, str(given.release), f"--step={step}", f"--folder={name}",
                 f"--questions={given.questions}", f"--resamples={given.resamples}"], {},
            )  # fmt: skip
            print(f"| {title} | {count:,} | {cost.cpu:.1f} | {cost.wall:.1f} | {cost.peak:,.0f} |")


if __name__ == "__main__":
    main()
