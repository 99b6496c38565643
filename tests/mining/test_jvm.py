"""The Java machine: found or explained, started late and once, interruptible, mortal in a good way.

A machine lives as long as its process, so most of these run in a process of their own.
"""

import os
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from rulemine.errors import HeapError
from rulemine.mining.jvm import heap_size
from rulemine.mining.options import parse_heap
from tests import ROOT, each

_MINE = """
from rulemine.errors import RulemineError
from rulemine.kg.graph import KnowledgeGraph
from rulemine.mining import MiningOptions, Resources, mine
kg = KnowledgeGraph.from_triples([(f"e{i}", r, f"e{i + 1}") for i in range(9) for r in "pq"])
def attempt(max_atoms=3, min_head_coverage=0.01, **resources):
    try:
        options = MiningOptions(max_atoms, min_head_coverage, min_initial_support=1)
        print(len(mine(kg, options, Resources(**resources))), "rules")
    except RulemineError as error:
        print(type(error).__name__, error)
"""

# A dense random graph: billions of paths of four atoms, and at coverage 0 all of them are wanted.
_DENSE = """
import random
rng = random.Random(7)
kg = KnowledgeGraph.from_triples(
    [(f"e{rng.randrange(150)}", f"r{rng.randrange(60)}", f"e{rng.randrange(150)}")
     for _ in range(30000)])
"""


def child(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", _MINE + textwrap.dedent(code)], cwd=ROOT, env={**os.environ, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip


def printed(code, **environment):
    process = child(code, **environment)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    return out.strip()


def java_home(folder, version, library=False):
    (folder / "lib" / "server").mkdir(parents=True)
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    if library:
        for name in ("libjvm.so", "libjvm.dylib"):
            (folder / "lib" / "server" / name).write_bytes(b"not a library")
    return str(folder)


def test_the_runtime_of_the_package_is_used_without_java_home():
    assert printed("attempt()", JAVA_HOME="").endswith("rules")


def test_a_java_home_that_does_not_serve_is_refused(tmp_path):
    for number, version in ((8, "1.8.0_392"), (11, "11.0.2"), (16, "16")):
        home = java_home(tmp_path / version, version)
        out = printed("attempt()", JAVA_HOME=home)
        assert out.startswith(f"JavaError JAVA_HOME={home}: this is Java {number}; Java 17")
        assert "or unset it" in out
    for home, problem in (
        (str(tmp_path / "none"), "no such folder"),
        (java_home(tmp_path / "bare", "17.0.1"), "has no Java virtual machine"),
        (java_home(tmp_path / "broken", "21.0.1", library=True), "does not start"),
    ):
        out = printed("attempt()", JAVA_HOME=home)
        assert (out.startswith("JavaError"), problem in out) == (True, True), out


def test_a_heap_above_the_memory_is_refused():
    out = printed("attempt(heap='99999g')")
    assert out.startswith("HeapError a heap of 99999g was requested")


def test_the_heap_fits_the_addresses_of_this_process(monkeypatch):
    def limited(megabytes):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limit = used + (2560 + megabytes << 20)
        monkeypatch.setattr(resource, "getrlimit", lambda _which: (limit, limit))

    limited(1000)
    assert parse_heap(heap_size(None)) <= 500 << 20
    with pytest.raises(HeapError, match=r"a heap of 2g does not fit: .* \(ulimit -v\), .*--heap"):
        heap_size("2g")
    limited(50)  # less than the least heap of larger machines
    assert 45 << 20 <= parse_heap(heap_size(None)) <= 50 << 20
    limited(-100)
    with pytest.raises(HeapError, match=r"and 0m are left .* Raise the limit\.$"):
        heap_size(None)


def test_another_heap_after_the_start_is_refused():
    out = printed("attempt(heap='64m'); attempt(heap='64M'); attempt(); attempt(heap='128m')")
    first, same, default, other = out.splitlines()
    assert first == same == default
    assert other.startswith("HeapError")
    assert "runs with a heap of 64m" in other


def test_a_heap_that_is_too_small_is_an_error_that_names_the_flag():
    code = (
        _DENSE + "attempt(max_atoms=4, min_head_coverage=0, threads=2, heap='16m'); print('alive')"
    )
    first, last = printed(code).splitlines()
    assert last == "alive"
    assert first.startswith("HeapError the miner ran out of memory with a Java heap of 16m")
    assert "--heap" in first


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@each("reports", [1, 10])
def test_ctrl_c_ends_mining_soon_and_cleanly(reports):
    """The signal comes after so many reports of progress; all of the mining would take hours."""
    process = child(
        _DENSE
        + textwrap.dedent("""
            def started(done, total):
                print("mining", flush=True)
            try:
                options = MiningOptions(5, 0.0, 0.0, 0.0, min_initial_support=1)
                mine(kg, options, progress=started)
            except KeyboardInterrupt:
                print("interrupted")
            finally:
                print("finally")
            """)
    )
    assert process.stdout is not None
    try:
        assert [process.stdout.readline() for _ in range(reports)] == ["mining\n"] * reports
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, err) == (0, "")
    assert out.split()[-2:] == ["interrupted", "finally"]


def test_python_keeps_its_whole_stack():
    code = """
    import json, sys
    attempt()
    sys.setrecursionlimit(50_000)
    print(len(json.loads("[" * 10_000 + "]" * 10_000)))
    """
    assert printed(code).splitlines()[-1] == "1"
