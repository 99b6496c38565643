"""Makes jars that stand in for AMIE 3.5.1 (`stand_in/AMIE.java`)."""

import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

__all__ = ["MakeJar", "jar_maker"]

MakeJar = Callable[..., Path]
"""Makes a jar that behaves as the given words say, ``mine`` by default."""

SOURCE = Path(__file__).parent / "stand_in" / "AMIE.java"


def jar_maker(folder):
    """Compiles the stand-in; skips where there is no compiler."""
    places = [Path(os.environ.get("JAVA_HOME", ""), "bin"), os.environ.get("PATH", "")]
    javac = shutil.which("javac", path=os.pathsep.join(map(str, places)))
    if javac is None:
        pytest.skip("no javac in JAVA_HOME or on PATH, which compiles the stand-in of AMIE")
    classes = folder / "classes"
    words = [javac, "--release", "17", "-d", str(classes), str(SOURCE)]
    subprocess.run(words, check=True, capture_output=True, timeout=120)

    def make(behavior="mine", name="amie3.5.1.jar"):
        path = folder / name
        with zipfile.ZipFile(path, "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Main-Class: amie.mining.AMIE\n")
            jar.writestr("behavior", behavior)
            for file in sorted(classes.rglob("*.class")):
                jar.write(file, file.relative_to(classes).as_posix())
        return path

    return make
