"""Other people's programs read our exports: each in an environment of its own, with its real code.

Run by ``make clients``, or as a module with the names of some clients. For each
``checks/isolated/clients/NAME.txt`` (requirements, all pinned) an environment is made in ``out/clients``,
kept until its requirements change, and shared by those whose requirements are equal. Its Python runs
``checks/isolated/clients/NAME.py FOLDER``, without the checkout on its path; a name like ``hf-old`` whose
script is missing runs that of ``hf``, and ``frameworks`` names every ``frameworks-…``. The script asserts,
and prints a line of what it saw; ``$RULEMINE`` is our command. The comments at the head of a ``.txt``:

- the first says what the client is;
- ``exports:`` the exports that it reads; one of the authors' own may read other files of ours;
- ``checkout:`` a name of `checks.isolated.checkouts.CHECKOUTS`: the script runs in a copy of it;
- ``stands in:`` packages that are imported and not used, which are not installed;
- ``installs: rulemine``: this checkout is installed too, for snippets that import it;
- ``section:`` a heading of a page, the second argument of the script.

FOLDER has the exports of the small releases of `RELEASES`: ``demo/rog``, … from the incomplete graph and
``demo-complete/rog``, … from the complete one, and the releases themselves in ``releases``. What cannot be
installed or is not there is skipped, with the reason; that is a failure if the client was named, or if
``$CI`` is set. Nothing has a limit of time: what runs on a busy machine is the same as on an idle one.
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
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from checks.isolated.checkouts import CHECKOUTS, commit_of, copied, stand_in
from rulemine.cli.main import main as rulemine
from rulemine.errors import did_you_mean

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = Path(__file__).with_name("clients")
HOME = ROOT / "out" / "clients"

RELEASES = ("demo", "structures-demo")
"""Recipes of releases that are built in a second or two."""

LINES = 40
"""Of what a failed script printed, at most."""

FINISHED = "installed"
"""The file that is written last into an environment."""


class Client(NamedTuple):
    """What a file of requirements says.

    Attributes:
        name: Its name.
        what: What it is.
        requirements: The lines for pip.
        exports: Formats with their options.
        checkout: A name of `CHECKOUTS`, or "".
        stands_in: Packages that are not installed.
        ours: Whether this checkout is installed too.
        section: A second argument for the script, or "".
    """

    name: str
    what: str
    requirements: tuple[str, ...]
    exports: tuple[str, ...]
    checkout: str
    stands_in: tuple[str, ...]
    ours: bool
    section: str

    @property
    def installed(self) -> tuple[str, ...]:
        """What pip is told to install."""
        return (*self.requirements, *([f"--editable={ROOT}"] if self.ours else []))

    @property
    def place(self) -> Path:
        """The folder of the environment with these requirements; equal ones share it."""
        key = hashlib.sha256("\n".join([sys.version, *sorted(self.installed)]).encode())
        return HOME / "environments" / key.hexdigest()[:10]


def client_of(file: Path) -> Client:
    lines = file.read_text("utf-8").splitlines()
    head = [line.lstrip("# ") for line in lines if line.startswith("#")]
    said = dict(line.split(": ", 1) for line in head[1:])
    return Client(
        file.stem,
        head[0],
        tuple(line for line in lines if line and not line.startswith("#")),
        tuple(said.pop("exports", "").split()),
        said.pop("checkout", ""),
        tuple(said.pop("stands in", "").split()),
        said.pop("installs", "") == "rulemine",
        said.pop("section", ""),
    )


def main() -> int:
    clients = {file.stem: client_of(file) for file in sorted(CLIENTS.glob("*.txt"))}
    chosen = [clients[name] for name in named(sys.argv[1:], clients) or clients]
    for old in {*(HOME / "environments").glob("*")} - {one.place for one in clients.values()}:
        shutil.rmtree(old)
    started = time.monotonic()
    # Environments are made in a thread, one after the other, while exports are written and scripts run.
    installer = ThreadPoolExecutor(1)
    ended: dict[str, str] = {}
    try:
        made: dict[Path, Future[str]] = {}
        for one in chosen:
            if one.place not in made and not lacking(one):
                made[one.place] = installer.submit(environment, one)
        exports = make_exports(HOME / "exports", {e for one in chosen for e in one.exports})
        print(f"exported {', '.join(RELEASES)} in {since(started)}")
        for one in chosen:
            print(f"{one.name} ({one.what})", flush=True)
            ended[one.name] = tried(one, made.get(one.place), exports)
    finally:
        installer.shutdown(cancel_futures=True)
    size = sum(f.lstat().st_size for f in HOME.rglob("*") if f.is_file() and not f.is_symlink())
    print(f"{since(started)}, {size / 1e9:.2f} GB in {HOME.relative_to(ROOT)}")
    return report(ended, no_skips=bool(sys.argv[1:] or os.environ.get("CI")))


def named(words: Sequence[str], clients: Collection[str]) -> list[str]:
    """The clients that were named: each itself, or all whose names begin with a word and a dash.

    Raises:
        SystemExit: There is no such client.
    """
    names: list[str] = []
    for word in words:
        found = [word] if word in clients else [n for n in clients if n.startswith(f"{word}-")]
        if not found:
            sys.exit(f"no {CLIENTS / word}.txt; {did_you_mean(word, clients)}")
        names += found
    return names


def report(ended: dict[str, str], *, no_skips: bool) -> int:
    """Says in a line how it went, and returns the exit status.

    Args:
        ended: Name of a client → "passed", "skipped" or "failed".
        no_skips: Whether a skip is a failure.
    """
    of = {how: [n for n, h in ended.items() if h == how] for how in ("passed", "failed", "skipped")}
    failed = of["failed"] + (of["skipped"] if no_skips else [])
    if failed:
        print(f"failed: {', '.join(failed)}")
    names = [name for name, how in ended.items() if how != "skipped"]
    last = f"{len(names)} tried, {len(of['skipped'])} skipped; tried: {', '.join(names) or 'none'}"
    print(last + (f"; skipped: {', '.join(of['skipped'])}" if of["skipped"] else ""))
    return int(bool(failed) or not names)


def make_exports(folder: Path, formats: set[str]) -> Path:
    """Builds the releases and exports them anew, with the command line of this checkout."""
    shutil.rmtree(folder, ignore_errors=True)
    for recipe in RELEASES:
        release = folder / "releases" / recipe
        call("build", recipe, "-o", release)
        shutil.rmtree(release.with_name(f"{recipe}.stages"), ignore_errors=True)
        for to in sorted(formats):
            name = to.partition(":")[0]
            call("export", release, "--to", to, "-o", folder / recipe / name)
            complete = folder / f"{recipe}-complete" / name
            call("export", release, "--to", to, "--kg", "complete", "-o", complete)
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


def lacking(client: Client) -> str:
    """Why there is no checkout for a client, or ""; else it is copied."""
    home = os.environ.get("CLIENTS_HOME", "")
    return client.checkout and copied(client.checkout, home, checkout_of(client))


def checkout_of(client: Client) -> Path:
    # In lower case: Plan-on-Graph's own paths go through the folder "pog".
    return HOME / "checkouts" / client.checkout.lower()


def tried(client: Client, made: Future[str] | None, exports: Path) -> str:
    """Tries a client and says how that went: "passed", "skipped" or "failed"."""
    started = time.monotonic()
    if problem := lacking(client) or (made.result() if made else ""):
        print(f"  skipped: {problem}")
        return "skipped"
    # With bytecode: nothing is compiled while it is installed, and several processes load the same.
    without = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "RULEMINE_DATA")
    env = {k: v for k, v in os.environ.items() if k not in without}
    env["RULEMINE"] = str(Path(sys.executable).with_name("rulemine"))
    env |= {"HF_HOME": str(HOME / "cache"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    where = HOME
    if client.checkout:
        where = checkout_of(client)
        stand_in(list(client.stands_in), HOME / "stand-ins")
        env["PYTHONPATH"] = os.pathsep.join(map(str, (HOME / "stand-ins", CLIENTS / "shared")))
        known = CHECKOUTS[client.checkout]
        at = commit_of(client.checkout, os.environ["CLIENTS_HOME"])
        lines = len(known.changed)
        print(f"  {known.repository} at {at} (known: {known.commit}), {lines} changed lines")
    try:
        # -P: a script called like the library that it tries is not imported in its place.
        said = run(
            [
                client.place / "bin" / "python",
                "-P",
                script_of(client),
                exports,
                *filter(None, [client.section]),
            ],
            where,
            env,
        )
    except SystemExit as ended:
        lines_said = str(ended).splitlines()
        print("  failed:", *lines_said[:1], *lines_said[1:][-LINES:], sep="\n  ")
        return "failed"
    print("".join(f"  {line}\n" for line in said.splitlines()) + f"  passed in {since(started)}")
    return "passed"


def script_of(client: Client) -> Path:
    """Its script; that of ``hf`` for ``hf-old``."""
    own = CLIENTS / f"{client.name}.py"
    return own if own.exists() else CLIENTS / f"{client.name.partition('-')[0]}.py"


def environment(client: Client) -> str:
    """Makes the environment of a client; returns why there is none, or ""."""
    folder = client.place
    if (folder / FINISHED).exists():
        return ""
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    try:
        if client.installed:
            run([*pip, "install", "--quiet", "--no-compile", *client.installed], HOME)
    except SystemExit as ended:
        shutil.rmtree(folder)
        lines = [line for line in str(ended).splitlines() if line.strip()]
        return next((line for line in lines if line.startswith("ERROR")), lines[-1])
    (folder / FINISHED).touch()
    return ""


def run(command: list[str | Path], where: Path, env: dict[str, str] | None = None) -> str:
    """Runs a command and returns what it printed.

    Raises:
        SystemExit: It failed; with what it printed.
    """
    words = list(map(str, command))
    done = subprocess.run(words, cwd=where, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def since(started: float) -> str:
    """The time that has passed."""
    return f"{time.monotonic() - started:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
