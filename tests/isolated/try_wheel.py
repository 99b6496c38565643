"""Builds the wheel and uses it as a stranger would: a new environment, an empty folder, no JDK.

Run as a script (``make wheel``). Guarantees by asserting: the wheel holds the jar, its metadata name
no development tool, and the demo is built, verified and scored by the installed command.
"""

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path, env: dict[str, str]) -> str:
    """Runs a command; its output is shown when it fails."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True, timeout=600
    )
    if done.returncode:
        sys.exit(
            f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def main() -> None:
    """Builds, installs, runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "RULEMINE_DATA")}
        run(
            sys.executable, "-m", "build", "--wheel", "--outdir", folder / "dist", ROOT,
            cwd=folder, env=env,
        )  # fmt: skip
        (wheel,) = (folder / "dist").glob("*.whl")
        names = zipfile.ZipFile(wheel).namelist()
        for needed in ("rulemine/mining/amie.jar", "rulemine/py.typed", "rulemine/sources.toml"):
            assert needed in names, f"{wheel.name} lacks {needed}"
        assert not [n for n in names if n.startswith(("builder", "evaluation", "tests", "amie/"))]
        venv.create(folder / "env", with_pip=True)
        bin_folder = folder / "env" / "bin"
        run(
            bin_folder / "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel,
            cwd=folder, env=env,
        )  # fmt: skip
        # Nothing of Java in the environment: the runtime is the one that came with the wheel.
        bare = {"PATH": str(bin_folder), "HOME": str(folder), "LANG": "C.UTF-8"}
        for command in (
            ["build", "demo", "-o", "out/demo"],
            ["verify", "out/demo"],
            ["answer", "out/demo", "--with", "reasoner", "-o", "reasoner.jsonl"],
            ["evaluate", "out/demo", "reasoner.jsonl"],
        ):
            run(bin_folder / "rulemine", *command, cwd=folder, env=bare)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, built, installed and used")


if __name__ == "__main__":
    main()
