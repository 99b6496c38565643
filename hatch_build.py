"""Builds the Java part: the jar that lies in the wheel as `rulemine/mining/amie.jar`.

Used in two ways: as hatchling's build hook, and as ``python hatch_build.py`` in a checkout, which
needs nothing but the standard library and a JDK. The jar is reproducible: the same sources and the
same compiler give the same bytes (sorted entries, fixed times and modes).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
SOURCES = Path("amie/src/main/java")
JAR = Path("rulemine/mining/amie.jar")
RELEASE = 17
"""The Java version that the class files are for; the compiler must be at least this."""

MANIFEST = "Manifest-Version: 1.0\r\nAutomatic-Module-Name: org.rulemine.amie\r\n\r\n"
TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip entry can carry."""


class BuildError(Exception):
    """The jar cannot be built; the message says what to install."""


def find_compiler() -> str:
    """The `javac` of JAVA_HOME, or else of PATH.

    Raises:
        BuildError: There is none, or it is older than `RELEASE`.
    """
    home = os.environ.get("JAVA_HOME")
    tried = [str(Path(home, "bin", "javac"))] if home else []
    tried.append("javac")
    found = []
    for name in tried:
        path = shutil.which(name)
        if path is None:
            continue
        done = subprocess.run([path, "-version"], capture_output=True, text=True, check=False)
        match = re.search(r"javac (\d+)", done.stdout + done.stderr)
        version = int(match.group(1)) if match else 0
        if version >= RELEASE:
            return path
        found.append(f"{path} is version {version or 'unknown'}")
    raise BuildError(
        f"{'; '.join(found) or 'no javac in JAVA_HOME or on PATH'}; "
        f"building the Java part needs a JDK {RELEASE} or newer. "
        "Install one (Debian: apt install openjdk-17-jdk-headless, macOS: brew install openjdk) "
        "or set JAVA_HOME to it. Installing a built wheel needs no JDK."
    )


def write_jar(classes: Path, jar: Path) -> None:
    """Packs a folder of class files, entries sorted by name, into `jar`, replacing it at once."""
    files = sorted(p.relative_to(classes).as_posix() for p in classes.rglob("*.class"))
    jar.parent.mkdir(parents=True, exist_ok=True)
    part = jar.with_name(jar.name + ".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as out:
        for name in ["META-INF/MANIFEST.MF", *files]:
            data = (
                MANIFEST.encode() if name.startswith("META-INF") else (classes / name).read_bytes()
            )
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    part.replace(jar)


def build_jar(root: Path = ROOT) -> Path:
    """Compiles the Java sources and writes the jar.

    A source distribution may carry the jar without the sources, which then is used as it is.

    Returns:
        The jar.

    Raises:
        BuildError: No usable compiler, the compiler refuses the sources, or neither sources nor a
            jar are there.
    """
    jar = root / JAR
    sources = sorted((root / SOURCES).rglob("*.java"))
    if not sources:
        if jar.is_file():
            return jar
        raise BuildError(f"neither {SOURCES} nor {JAR} is in {root}. Use a complete checkout.")
    if jar.is_file() and not (root / ".git").exists() and not _has_compiler():
        return jar
    with tempfile.TemporaryDirectory() as folder:
        command = [find_compiler(), "--release", str(RELEASE), "-Xlint:all", "-Werror"]
        command += ["-encoding", "UTF-8", "-g:source,lines", "-d", folder, *map(str, sources)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BuildError(f"javac refused the sources:\n{done.stdout}{done.stderr}")
        write_jar(Path(folder), jar)
    return jar


def _has_compiler() -> bool:
    try:
        find_compiler()
    except BuildError:
        return False
    return True


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # run as a script
    pass
else:

    class JarBuildHook(BuildHookInterface[Any]):
        """Builds the jar before a wheel or a source distribution is packed."""

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Called by hatchling before packing."""
            build_jar(Path(self.root))


def main() -> int:
    """Builds the jar of this checkout; exit status 1 with one paragraph when it cannot be."""
    try:
        jar = build_jar()
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"built {jar.relative_to(ROOT)} ({jar.stat().st_size} bytes)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
