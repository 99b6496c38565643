import subprocess
import sys

from rulemine.evaluation import write_predictions
from rulemine.release.records import Prediction

FORBIDDEN = ("jpype", "openai", "pandas", "rulemine.builder", "rulemine.mining", "rulemine.cli")
NEEDLESS = (
    "asyncio", "pandas", "rulemine.llm.session", "rulemine.cypher.interpreter", "rulemine.query.oxigraph",
)  # fmt: skip
"""What is loaded by none who scores lists of entities."""


def test_scoring_loads_what_it_needs_alone(tmp_path, release):
    given = tmp_path / "p.jsonl"
    write_predictions(given, [Prediction("q00001", answers=())], {"needs": ["query"]})
    scored = f"rulemine.cli.main.main(['evaluate', {str(release.path)!r}, {str(given)!r}])"
    for program, names in (
        ("import sys, rulemine.evaluation", FORBIDDEN),
        (f"import sys, rulemine.cli.main\n{scored}", NEEDLESS),
    ):
        check = f"\nbad = [m for m in sys.modules if m.startswith({names!r})]\nassert not bad, bad"
        done = subprocess.run([sys.executable, "-c", program + check], capture_output=True)
        assert done.returncode == 0, done.stderr
