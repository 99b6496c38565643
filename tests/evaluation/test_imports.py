import subprocess
import sys

FORBIDDEN = (
    "jpype",
    "openai",
    "pandas",
    "rulemine.builder",
    "rulemine.mining",
    "rulemine.cli",
)


def test_scoring_needs_no_jvm_no_client_and_no_builder():
    program = (
        "import sys, rulemine.evaluation\n"
        f"bad = [m for m in sys.modules if m.startswith({FORBIDDEN!r})]\n"
        "assert not bad, bad"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
