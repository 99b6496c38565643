import subprocess
import sys

from rulemine.evaluation import write_predictions
from rulemine.release.records import Prediction

FORBIDDEN = (
    "jpype",
    "openai",
    "pandas",
    "rulemine.builder",
    "rulemine.mining",
    "rulemine.cli",
)


NEEDLESS = (
    "asyncio",
    "pandas",
    "rulemine.llm.session",
    "rulemine.cypher.interpreter",
    "rulemine.query.oxigraph",
)
"""What is loaded by none who scores lists of entities."""


def test_scoring_needs_no_jvm_no_client_and_no_builder():
    program = (
        "import sys, rulemine.evaluation\n"
        f"bad = [m for m in sys.modules if m.startswith({FORBIDDEN!r})]\n"
        "assert not bad, bad"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_list_of_entities_is_scored_without_runners_and_sessions(tmp_path, release):
    write_predictions(
        tmp_path / "p.jsonl", [Prediction("q00001", answers=())], {"needs": ["query"]}
    )
    program = (
        "import sys\nfrom rulemine.cli.main import main\n"
        f"main(['evaluate', {str(release.path)!r}, {str(tmp_path / 'p.jsonl')!r}])\n"
        f"bad = [m for m in sys.modules if m.startswith({NEEDLESS!r})]\n"
        "assert not bad, bad"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
