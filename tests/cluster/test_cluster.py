"""Work on the workers of a scheduler gives what it gives here, whatever happens to them."""

import os
import re
import subprocess
import sys
import threading
from functools import partial
from hashlib import sha256
from types import SimpleNamespace

import pytest

from rulemine import KnowledgeGraph, mine
from rulemine.cluster import cluster as of_worker
from rulemine.cluster import opened, opening
from rulemine.cluster.cluster import AwayError, Cluster, Packer, Unpacker
from rulemine.cluster.opening import Here
from rulemine.errors import ClusterError, ConfigError
from tests import each
from tests.chat_server import until
from tests.cluster.work import always_die, die_once, interrupt, out_of_heap, square
from tests.mining.test_time_limit import KG, LOOSE

pytestmark = pytest.mark.slow


def quiet(_):
    """For notes: after a test that kills workers, the next one may find none yet."""


def test_without_a_cluster_it_is_map():
    with opened(None, quiet) as cluster:
        assert list(cluster.map(square, [3, 1])) == [9, 1]
        assert list(cluster.unordered(square, [3, 1])) == [9, 1]


def test_results_that_come_early_wait_for_their_turn(monkeypatch):
    coming = [(2, "c"), (0, "a"), (1, "b")]
    monkeypatch.setattr(Cluster, "_finished", lambda *_: iter(coming))
    assert list(Cluster.__new__(Cluster).map(str, "abc")) == ["a", "b", "c"]


def test_results_come_in_the_order_of_the_items_though_a_worker_is_killed(two_workers, tmp_path):
    with opened(two_workers.scheduler_address, quiet) as cluster:
        function = partial(die_once, tmp_path)
        assert list(cluster.map(function, range(20))) == [n * n for n in range(20)]
        assert (tmp_path / "died").exists()
        assert sorted(cluster.unordered(square, range(9))) == [n * n for n in range(9)]
        assert list(cluster.map(square, [])) == []


@pytest.mark.parametrize("shared", [False, True])  # once read, files are kept
def test_rules_are_those_of_one_process(two_workers, tmp_path, shared):
    """Workers that do not see the folder of the client are sent its files."""
    alone = list(mine(KG, LOOSE).text("jsonl"))
    with opened(two_workers.scheduler_address, quiet) as cluster:
        assert not isinstance(cluster, Here)
        if not shared:
            cluster._seen = str(tmp_path / "of another machine")
        rules = mine(KG, LOOSE, run=cluster.unordered)
        assert list(rules.text("jsonl")) == alone
    assert list((tmp_path / "cache/rulemine/cluster").iterdir()) == []


def test_the_command_mines_on_workers_with_their_resources(two_workers, here, command):
    words = ("mine", "kg.tsv", "--min-initial-support", "1", "-o")
    address = ("--cluster", two_workers.scheduler_address)
    assert command(*words, "alone").status == 0
    assert command(*words, "out", *address).status == 0
    assert (here / "out").read_bytes() == (here / "alone").read_bytes()
    ended = command(*words, "out", *address, "--threads", "2")
    assert ended.status == 2
    assert "--threads: is for mining in this process" in ended.err


def test_the_scheduler_is_gone_in_the_middle(tmp_path):
    file = tmp_path / "scheduler.json"
    code = (
        "import asyncio, sys\nfrom distributed import Scheduler\n" "async def run():\n"
        "    async with Scheduler(host='127.0.0.1', port=0, scheduler_file=sys.argv[1]) as s:\n"
        "        await s.finished()\n" "asyncio.run(run())"
    )  # fmt: skip
    process = subprocess.Popen([sys.executable, "-c", code, file])
    try:
        until(lambda: file.is_file() and file.stat().st_size)  # it is made before it is filled
        notes: list[str] = []
        with opened(str(file), notes.append) as cluster:
            results = iter(cluster.map(square, [1]))
            threading.Timer(0.2, process.kill).start()
            with pytest.raises(
                ClusterError, match=r"the scheduler is gone\. Give the same command again"
            ):
                next(results)
        assert notes == [f"{file}: there are no workers yet; the work waits for them."]
    finally:
        process.kill()
        process.wait()


def test_a_task_that_ends_every_worker_is_one_sentence(two_workers, monkeypatch):
    monkeypatch.setattr("rulemine.cluster.cluster.TRIES", 1)
    with (
        opened(two_workers.scheduler_address, quiet) as cluster,
        pytest.raises(ClusterError, match=r"every worker that began .* needs more memory"),
    ):
        list(cluster.map(always_die, [1]))


def test_workers_of_this_machine_outlive_an_interrupt(two_workers):
    with opened(two_workers.scheduler_address, quiet) as cluster:
        assert list(cluster.map(interrupt, range(4))) == [0, 1, 2, 3]


@pytest.mark.skipif(os.name != "posix", reason="nothing is locked there")
def test_what_a_killed_command_left_is_removed_by_the_next(tmp_path):
    place = tmp_path / "cache/rulemine/cluster"
    for folder, name in (("left", opening._HELD), ("elsewhere", "held by another")):
        (place / folder / "files").mkdir(parents=True)
        (place / folder / name).touch()
    with opening._folder() as first, opening._folder():
        assert first.is_dir()
        assert not (place / "left").exists()
    assert [path.name for path in place.iterdir()] == ["elsewhere"]


def test_an_error_of_the_work_is_raised_as_it_is(two_workers):
    with opened(two_workers.scheduler_address, quiet) as cluster, pytest.raises(ZeroDivisionError):
        list(cluster.map(partial(divmod, 1), [0]))


def test_a_heap_that_is_too_small_is_about_the_worker(two_workers):
    said = r"the worker tcp://\S+: the miner ran out of memory with a Java heap of 64m\. The Java heap of a"
    with (
        opened(two_workers.scheduler_address, quiet) as cluster,
        pytest.raises(ClusterError, match=said + r" worker is half of its memory limit, 3814 MiB\.")
    ):  # fmt: skip
        list(cluster.map(out_of_heap, [1]))


@each("name", [*of_worker.versions()])
def test_a_worker_with_other_versions_does_nothing(name, two_workers, monkeypatch):
    from rulemine.cluster import cluster as of_client

    here = of_worker.versions()
    monkeypatch.setattr(of_client, "versions", lambda: {**here, name: "1.0"})
    said = re.escape(f"has {name} {here[name]}, and the client {name} 1.0;")
    with (
        opened(two_workers.scheduler_address, quiet) as cluster, pytest.raises(ClusterError, match=said)
    ):  # fmt: skip
        list(cluster.map(square, [1]))


@each("address", ["local:0", "host", "http://h:1", "tcp://h"])
def test_an_address_that_is_none(address):
    with pytest.raises(ConfigError, match="expected tcp://HOST:PORT"), opened(address, quiet):
        pass


@each("text", ["", "{}", "[]", '{"address": null}'])
def test_a_file_that_is_no_scheduler_file(tmp_path, text):
    file = tmp_path / "scheduler.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match="no scheduler file"), opened(str(file), quiet):
        pass


def test_no_scheduler_answers(monkeypatch):
    monkeypatch.setattr("rulemine.cluster.opening.SECONDS_TO_CONNECT", 0.1)
    with (
        pytest.raises(ClusterError, match="no scheduler answers"), opened("tcp://127.0.0.1:1", quiet)
    ):  # fmt: skip
        pass


def test_a_worker_that_ends_while_it_starts_is_one_sentence(monkeypatch):
    def fails(**_):
        raise RuntimeError("Nanny failed to start")

    monkeypatch.setattr("distributed.LocalCluster", fails)
    with pytest.raises(ClusterError, match="Give the same command again"), opened("local:2", quiet):
        pass


def test_files_come_in_pieces_and_a_damaged_one_is_lacking(tmp_path):
    worker = SimpleNamespace(local_directory=str(tmp_path / "worker-1"))
    name = sha256(b"abc").hexdigest()
    of_worker.receive(name, 0, b"ab", last=False, dask_worker=worker)
    assert of_worker.lacking((name,), dask_worker=worker) == (name,)
    of_worker.receive(name, 2, b"c", last=True, dask_worker=worker)
    assert of_worker.lacking((name,), dask_worker=worker) == ()
    (tmp_path / "rulemine" / name).write_bytes(b"abd")
    assert of_worker.lacking((name,), dask_worker=worker) == (name,)


def test_a_parcel_has_each_graph_once_and_is_checked(tmp_path):
    ids = [(f"e{n}", "r", f"e{n + 1}") for n in range(9000)]
    kg = KnowledgeGraph.from_triples(ids)
    assert len(kg.entity_ids) == 9001
    packer, unpacker = Packer(tmp_path), Unpacker()
    first = packer.pack(partial(max, kg, 1))
    second = packer.pack(partial(max, kg, 2))
    assert len(set(first) ^ set(second)) == 2, "only the functions differ"
    made = unpacker.function(first, (tmp_path,), "w").args[0]
    again = unpacker.function(second, (tmp_path / "no", tmp_path), "w").args[0]
    assert made is again
    assert "entity_ids" not in vars(made)
    assert (made.entities, made.triples.tolist()) == (kg.entities, kg.triples.tolist())
    assert not made.triples.flags.writeable
    damaged = tmp_path / first[-1]
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(AwayError) as away:
        Unpacker().function(first, (tmp_path,), "w")
    assert away.value.names == (damaged.name,)
