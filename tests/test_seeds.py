"""Streams depend on nothing but their seed and names."""

import os
import subprocess
import sys

import numpy as np

from rulemine.seeds import stream
from tests import each


def test_the_numbers_are_the_same_for_ever():
    # Were these to change, every release built before would have other bytes than one built now.
    numbers = [0.7481974026640352, 0.6426522469766233, 0.14320368551179719]
    assert stream(0, "x").uniform(3).tolist() == numbers
    assert stream(7, "split", 2).permutation(8).tolist() == [7, 2, 6, 0, 5, 1, 4, 3]
    assert [stream(1, "n").below(1000), stream(2, "n").below(1000)] == [715, 972]


def test_each_name_and_seed_has_a_stream_of_its_own():
    names = [(0, "a"), (0, "b"), (1, "a"), (0, "a", "b"), (0, "ab"), (0, "a", 1), (0, "a", 11)]
    drawn = {tuple(stream(seed, *rest).uniform(4).tolist()) for seed, *rest in names}
    assert len(drawn) == len(names)


def test_a_stream_goes_on_where_it_was():
    one, other = stream(3, "x"), stream(3, "x")
    assert np.concatenate([one.uniform(2), one.uniform(3)]).tolist() == other.uniform(5).tolist()


@each("n", [0, 1, 2, 2048, 2049])
def test_a_permutation_is_the_order_of_uniform_numbers(n):
    one, other = stream(9, "cards").permutation(n).tolist(), stream(9, "cards").uniform(n)
    assert one == np.argsort(other, kind="stable").tolist()
    assert sorted(one) == list(range(n))


def test_draws_keep_their_bounds_and_reach_them():
    source = stream(5, "die")
    drawn = [source.below(6) for _ in range(600)]
    assert set(drawn) == set(range(6))
    assert stream(0, "one").below(1) == 0
    one, other = stream(7, "die"), stream(7, "die").uniform(100).tolist()
    assert [one.below(10**15) for _ in other] == [int(x * 10**15) for x in other]
    values = stream(5, "u").uniform(10_000)
    assert 0 <= values.min() < 0.001
    assert 0.999 < values.max() < 1
    assert abs(values.mean() - 0.5) < 0.02


def test_the_hash_seed_of_python_does_not_matter():
    code = "from rulemine.seeds import stream; print(stream(9, 'a', 'b').below(10**9))"
    outputs = {
        subprocess.check_output(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_coins_are_fair_and_the_same_everywhere():
    tossed = stream(3, "coins").coins(200, 130)
    assert tossed.shape == (200, 130)
    assert set(tossed.ravel().tolist()) == {0, 1}
    assert abs(tossed.mean() - 0.5) < 0.02
    assert abs(tossed.mean(axis=0) - 0.5).max() < 0.2  # the last word is not used up
    assert "".join(map(str, stream(0, "x").coins(1, 12)[0])) == "101110100010"
