"""Builds the packages and uses the wheel as a stranger would: a new environment, an empty folder, no JDK.

Run as a script (``make wheel``). Guarantees by asserting: the wheel, which is made from the source
distribution, holds the jar and the data files, its metadata name no development tool; the demo is built,
verified, scored, studied and audited by the installed command, without any extra; questions by a language
model are estimated and replayed, and asking a model says what to install.
"""

import filecmp
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

NEEDED = (
    "rulemine/mining/amie.jar",
    "rulemine/datasets/demo/glosses.toml",
    "rulemine/datasets/demo/templates.toml",
    "rulemine/verbalizer/prompts.toml",
    "rulemine/verbalizer/book.toml",
    "rulemine/kinds/cypher/words/prompts.toml",
    "rulemine/py.typed",
    "rulemine/datasets/demo/recipe.toml",
    "rulemine/datasets/sources.toml",
    "rulemine/evaluation/reporting/templates/page.css",
    "rulemine/evaluation/reporting/templates/page.html.j2",
    "rulemine/evaluation/reporting/templates/page.js",
)

HEAVY = ("asyncio", "jpype", "numpy", "openai", "pydantic", "tqdm")
"""What importing the package and reading a command line do not load."""

LIGHT = (
    "import sys, rulemine, rulemine.cli.main; rulemine.cli.main.make_parser(); "
    f"loaded = sorted(set({HEAVY!r}) & set(sys.modules)); "
    "sys.exit(f'importing loads {loaded}' if loaded else 0)"
)

BUILDING = (
    "import sys, rulemine.cli.main; status = rulemine.cli.main.main(['build', 'demo', '-o', 'out/demo']); "
    "loaded = sorted({'aiolimiter', 'asyncio', 'openai', 'pydantic'} & set(sys.modules)); "
    "sys.exit(f'templates load {loaded}' if loaded else status)"
)


def run(*command: str | Path, cwd: Path, env: dict[str, str], status: int = 0) -> str:
    """Runs a command; its output is shown when it does not end as expected."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(
            f"{' '.join(map(str, command))}: exit {done.returncode}, {status} was expected\n"
            f"{done.stdout}{done.stderr}"
        )
    return done.stdout + done.stderr


def build_wheel(folder: Path, env: dict[str, str]) -> Path:
    """Builds the source distribution, and from it the wheel."""
    run(sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT, cwd=folder, env=env)
    (wheel,) = (folder / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for needed in NEEDED:
        assert needed in names, f"{wheel.name} lacks {needed}"
    assert not [
        n for n in names if n.startswith(("builder", "evaluation", "tests", "checks", "amie/"))
    ]
    return wheel


def build_worded(folder: Path, env: dict[str, str]) -> None:
    """Builds the demo in the words of the fake endpoint, with the environment of the checkout."""
    fake = [sys.executable, str(ROOT / "examples" / "fake_endpoint.py"), "--port", "0"]
    with subprocess.Popen(fake, stdout=subprocess.PIPE, text=True, env=env) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[0]
        try:
            run(
                sys.executable, "-m", "rulemine", "build", "demo", "--model",
                "fake", "--set", f"endpoint.base_url={url}", "-o", folder / "worded",
                cwd=ROOT, env=env,
            )  # fmt: skip
        finally:
            server.terminate()


def compare(one: Path, other: Path) -> None:
    """Asserts that two folders have the same files with the same bytes."""
    names = [
        sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
        for folder in (one, other)
    ]
    assert names[0] == names[1], f"{one} and {other} have other files"
    _, unlike, lacking = filecmp.cmpfiles(one, other, names[0], shallow=False)
    assert not unlike + lacking, f"{one} and {other} differ in {unlike + lacking}"


def main() -> None:
    """Builds, installs, runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "RULEMINE_DATA")}
        wheel = build_wheel(folder, env)
        build_worded(folder, env)
        venv.create(folder / "env", with_pip=True)
        bin_folder = folder / "env" / "bin"
        run(
            bin_folder / "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel,
            cwd=folder, env=env,
        )  # fmt: skip
        # Nothing of Java in the environment: the runtime is the one that came with the wheel. No key.
        bare = {"PATH": str(bin_folder), "HOME": str(folder), "LANG": "C.UTF-8"}
        for code in (LIGHT, BUILDING):
            run(bin_folder / "python", "-c", code, cwd=folder, env=bare)
        for command in (
            ["verify", "out/demo"],
            ["answer", "out/demo", "--with", "reasoner", "-o", "reasoner.jsonl"],
            ["evaluate", "out/demo", "reasoner.jsonl"],
            ["study", "out/demo", "--with", "lookup", "-o", "out/study"],
            ["tables", "brink", "out/demo", "out/study", "-o", "out/tables"],
            ["audit", "out/demo", "-o", "out/audit"],
            ["build", "demo", "--replay", "worded", "-o", "out/replayed"],
            ["verify", "out/replayed"],
        ):
            run(bin_folder / "rulemine", *command, cwd=folder, env=bare)
        compare(folder / "worded", folder / "out" / "replayed")
        # Nobody listens there, and nobody is asked: the package openai is not installed.
        model = ["--model", "x", "--set", "endpoint.base_url=http://127.0.0.1:9/v1"]
        build = [bin_folder / "rulemine", "build", "demo", *model, "-o", "out/asked"]
        assert "tokens sent" in run(*build, "--dry-run", cwd=folder, env=bare)
        said = run(*build, cwd=folder, env=bare, status=2)
        assert "pip install 'rulemine[llm]'" in said, said
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, built, installed and used")


if __name__ == "__main__":
    main()
