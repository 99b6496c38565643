"""Other people's programs read our exports: each in an environment of its own, with its real code.

Run by ``make clients``, or as a script with the names of some environments. For each
``tests/isolated/clients/NAME.txt`` (requirements, all pinned; its first line is a comment that says what it
is) an environment is made in ``out/clients``, kept until its requirements change, and shared by those whose
requirements are equal. Its Python runs ``tests/isolated/clients/NAME.py FOLDER``, without the checkout on its
path; a name like ``datasets-old`` whose script is missing runs that of ``datasets``. The script asserts, and
prints a line of what it saw; ``$RULEMINE`` is our command.

FOLDER has every export of the small releases of `RELEASES`: ``demo/rog``, … from the incomplete graph and
``demo-complete/rog``, … from the complete one, and the releases themselves in ``releases``. What cannot be
installed is skipped, with pip's reason.
"""

import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import time
import venv
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from rulemine.cli.main import main as rulemine
from rulemine.errors import did_you_mean
from rulemine.exports.registry import EXPORTS

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = Path(__file__).with_name("clients")
HOME = ROOT / "out" / "clients"

RELEASES = ("demo", "structures-demo")
"""Recipes of releases that are built in a second or two."""

TOTAL = 600
"""Seconds for everything; what is left then is skipped, and has its environment next time."""

SECONDS = 240
"""For an installation or a script at most."""

STARTED = time.monotonic()

LINES = 40
"""Of what a failed script printed, at most."""

FINISHED = "installed"
"""The file that is written last into an environment."""


def main() -> int:
    requirements = {file.stem: file for file in sorted(CLIENTS.glob("*.txt"))}
    for name in sys.argv[1:]:
        if name not in requirements:
            sys.exit(f"no {CLIENTS / name}.txt; {did_you_mean(name, requirements)}")
    known = {place(file) for file in requirements.values()}
    for old in set((HOME / "environments").glob("*")) - known:
        shutil.rmtree(old)
    names = sys.argv[1:] or list(requirements)
    # Environments are made in a thread, one after the other, while exports are written and scripts run.
    installer = ThreadPoolExecutor(1)
    try:
        made: dict[Path, Future[tuple[Path, str]]] = {}
        for name in names:
            folder = place(requirements[name])
            if folder not in made:
                made[folder] = installer.submit(environment, requirements[name])
        exports = make_exports(HOME / "exports")
        formats = len(EXPORTS) - len(OF_WRITTEN)
        print(f"exported {', '.join(RELEASES)} to {formats} formats in {since(STARTED)}")
        failed = [
            name
            for name in names
            if not tried(requirements[name], made[place(requirements[name])], exports)
        ]
    finally:
        installer.shutdown(cancel_futures=True)
    size = sum(f.lstat().st_size for f in HOME.rglob("*") if f.is_file() and not f.is_symlink())
    print(f"{since(STARTED)}, {size / 1e9:.2f} GB in {HOME.relative_to(ROOT)}")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return bool(failed)


OF_WRITTEN = {"gtsqa", "dynamic-kgqa"}
"""Formats for questions that are written for a subgraph, which these releases have none of."""


def make_exports(folder: Path) -> Path:
    """Builds the releases and exports them anew, with the command line of this checkout."""
    shutil.rmtree(folder, ignore_errors=True)
    for recipe in RELEASES:
        release = folder / "releases" / recipe
        call("build", recipe, "-o", release)
        shutil.rmtree(release.with_name(f"{recipe}.stages"), ignore_errors=True)
        for name in [name for name in EXPORTS if name not in OF_WRITTEN]:
            call("export", release, "--to", name, "-o", folder / recipe / name)
            complete = folder / f"{recipe}-complete" / name
            call("export", release, "--to", name, "--kg", "complete", "-o", complete)
    return folder


def call(*words: str | Path) -> None:
    """Runs a command of ours; it has to succeed."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()) as said,
    ):
        status = rulemine(list(map(str, words)))
    if status:
        sys.exit(f"rulemine {' '.join(map(str, words))}: {status}\n{said.getvalue()}")


def tried(requirements: Path, made: Future[tuple[Path, str]], exports: Path) -> bool:
    """Tries a client, and says how that went; False if it failed."""
    name, started = requirements.stem, time.monotonic()
    what = requirements.read_text("utf-8").partition("\n")[0].lstrip("# ")
    print(f"{name} ({what})", flush=True)
    if time.monotonic() > STARTED + TOTAL:
        print(f"  skipped: {TOTAL} s are over; try it alone: make clients CLIENTS={name}")
        return True
    script = CLIENTS / f"{name}.py"
    if not script.exists():
        script = CLIENTS / f"{name.partition('-')[0]}.py"
    # With bytecode: nothing is compiled while it is installed, and several processes load the same.
    without = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "RULEMINE_DATA")
    env = {k: v for k, v in os.environ.items() if k not in without}
    env["RULEMINE"] = str(Path(sys.executable).with_name("rulemine"))
    env |= {"HF_HOME": str(HOME / "cache"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    try:
        python, problem = made.result()
        if problem:
            print(f"  skipped: {problem}")
            return True
        # -P: a script called like the library that it tries is not imported in its place.
        said = run([python, "-P", script, exports], env=env)
    except subprocess.TimeoutExpired:
        print(
            f"  skipped: not done after {since(started)}, so this machine is too slow or too busy"
        )
        return True
    except SystemExit as ended:
        lines = str(ended).splitlines()
        print("  failed:", *lines[:1], *lines[1:][-LINES:], sep="\n  ")
        return False
    print("".join(f"  {line}\n" for line in said.splitlines()) + f"  passed in {since(started)}")
    return True


def place(requirements: Path) -> Path:
    """The folder of the environment with these requirements; equal ones share it."""
    lines = requirements.read_text("utf-8").splitlines()
    wanted = sorted(line for line in lines if line and not line.startswith("#"))
    key = hashlib.sha256("\n".join([sys.version, *wanted]).encode()).hexdigest()[:10]
    return HOME / "environments" / key


def environment(requirements: Path) -> tuple[Path, str]:
    """The Python of an environment with these requirements; why there is none, or ""."""
    folder = place(requirements)
    python = folder / "bin" / "python"
    if (folder / FINISHED).exists():
        return python, ""
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder)
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    try:
        run([*pip, "install", "--quiet", "--no-compile", "-r", requirements])
    except SystemExit as ended:
        shutil.rmtree(folder)
        lines = [line for line in str(ended).splitlines() if line.strip()]
        return python, next((line for line in lines if line.startswith("ERROR")), lines[-1])
    (folder / FINISHED).touch()
    return python, ""


def run(command: list[str | Path], env: dict[str, str] | None = None) -> str:
    """Runs a command and returns what it printed.

    Raises:
        subprocess.TimeoutExpired: It took too long.
        SystemExit: It failed; with what it printed.
    """
    words = list(map(str, command))
    seconds = min(SECONDS, max(1.0, STARTED + TOTAL - time.monotonic()))
    done = subprocess.run(words, cwd=HOME, env=env, capture_output=True, text=True, timeout=seconds)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def since(started: float) -> str:
    """The time that has passed."""
    return f"{time.monotonic() - started:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
