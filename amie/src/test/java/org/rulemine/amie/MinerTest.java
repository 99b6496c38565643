package org.rulemine.amie;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rulemine.amie.count.Tuning;
import org.rulemine.amie.rule.Bias;

final class MinerTest {
  /** On a small graph, what is meant for hubs and for many relations happens only with this. */
  private static final Tuning EVERY_WAY = new Tuning(1, 1, 3);

  /** Blocks of random graphs; the seeds of a block follow from its number. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void findsWhatTheOracleFinds(int block) throws InterruptedException {
    for (long seed = block * 200L; seed < (block + 1) * 200L; seed++) {
      agree(seed, Graphs.random(seed, 2, 4));
    }
  }

  @Test
  void findsRulesOfFiveAtoms() throws InterruptedException {
    for (long seed = 0; seed < 60; seed++) {
      agree(seed, Graphs.random(seed, 5, 5));
    }
  }

  private static void agree(long seed, Graphs.Case given) throws InterruptedException {
    Oracle oracle =
        new Oracle(given.rows(), given.entities(), given.relations(), given.maxAtoms());
    Map<Integer, Map<List<Oracle.Atom>, Oracle.Counts>> expected = new LinkedHashMap<>();
    for (int head = 0; head < given.relations(); head++) {
      Map<List<Oracle.Atom>, Oracle.Counts> rules = oracle.rules(
          head, given.headCoverage(), given.stdConfidence(), given.pcaConfidence(),
          given.initialSupport());
      if (!rules.isEmpty()) {
        expected.put(head, rules);
      }
    }
    int threads = 1 + (int) (seed % 3);
    Tuning tuning = seed % 2 == 0 ? Tuning.DEFAULT : EVERY_WAY;
    var found = Mined.rules(Mined.rows(given, threads, tuning), given.maxAtoms());
    assertEquals(expected, found, () -> "seed " + seed + ": " + given);
    for (int head : found.keySet()) {
      // Maps compare without order; the order is part of the contract.
      assertEquals(
          new ArrayList<>(expected.get(head).keySet()), new ArrayList<>(found.get(head).keySet()));
    }
    assertEquals(List.copyOf(expected.keySet()), List.copyOf(found.keySet()));
  }

  @Test
  void givesTheSameRowsForAnyNumberOfThreads() throws InterruptedException {
    for (long seed = 1000; seed < 1030; seed++) {
      Graphs.Case random = Graphs.random(seed, 4, 4);
      Graphs.Case loose = new Graphs.Case(
          random.rows(), random.entities(), random.relations(), 4, 0.1, 0.1, 0.1, 1);
      long[] one = Mined.rows(loose, 1, Tuning.DEFAULT);
      assertArrayEquals(one, Mined.rows(loose, 2, EVERY_WAY));
      assertArrayEquals(one, Mined.rows(loose, 4, Tuning.DEFAULT));
    }
  }

  /** A hub on both sides of several relations: pairs of triples would be 10^8, and more with paths. */
  @Test
  void aHubDoesNotBlowUp() throws InterruptedException {
    int n = 10_000;
    int[] rows = new int[3 * 3 * n];
    for (int i = 0; i < n; i++) {
      int[] triples = {i, 0, n, n, 1, i, i, 2, (int) (i * 7919L % n)};
      System.arraycopy(triples, 0, rows, 9 * i, 9);
    }
    var given = new Graphs.Case(rows, n + 1, 3, 4, 0.1, 0.1, 0.1, 1);
    long[] found = assertTimeoutPreemptively(
        Duration.ofSeconds(60), () -> Mined.rows(given, 2, Tuning.DEFAULT));
    assertTrue(found.length > 0);
  }

  @Test
  void stopsSoonWhenCancelled() throws InterruptedException {
    int entities = 60;
    int relations = 40;
    List<Integer> cells = new ArrayList<>();
    for (int cell = 0; cell < entities * entities * relations; cell++) {
      if (Math.floorMod(cell * 0x9E3779B1, 5) == 0) {
        cells.add(cell);
      }
    }
    int[] rows = new int[3 * cells.size()];
    for (int i = 0; i < cells.size(); i++) {
      rows[3 * i] = cells.get(i) % entities;
      rows[3 * i + 1] = cells.get(i) / entities / entities;
      rows[3 * i + 2] = cells.get(i) / entities % entities;
    }
    MiningJob job = Miner.job(Mined.direct(rows), entities, relations, 5, 0, 0, 0, 1, Bias.DEFAULT, 2);
    job.start();
    assertEquals(MiningJob.RUNNING, job.awaitEnd(300));
    job.cancel();
    long before = System.nanoTime();
    while (job.awaitEnd(50) == MiningJob.RUNNING) {
      assertTrue(System.nanoTime() - before < 5_000_000_000L, "did not stop within 5 s");
    }
    assertEquals(MiningJob.CANCELLED, job.awaitEnd(1));
  }

  @Test
  void reportsRowsThatAreNoGraph() throws InterruptedException {
    MiningJob job = Miner.job(Mined.direct(new int[] {0, 0, 9}), 2, 1, 3, 0, 0, 0, 1, Bias.DEFAULT, 1);
    job.start();
    int state;
    do {
      state = job.awaitEnd(1000);
    } while (state == MiningJob.RUNNING);
    assertEquals(MiningJob.FAILED, state);
    assertTrue(job.message().contains("names an id outside 2 entities and 1 relations"));
  }

  @Test
  void refusesArgumentsOutOfRange() {
    var none = Mined.direct(new int[0]);
    assertThrows(
        IllegalArgumentException.class, () -> Miner.job(none, 0, 0, 1, 0, 0, 0, 1, Bias.DEFAULT, 1));
    assertThrows(
        IllegalArgumentException.class, () -> Miner.job(none, 0, 0, 3, Double.NaN, 0, 0, 1, Bias.DEFAULT, 1));
    assertThrows(
        IllegalArgumentException.class, () -> Miner.job(none, 0, 0, 3, 0, 1.5, 0, 1, Bias.DEFAULT, 1));
    assertThrows(
        IllegalArgumentException.class, () -> Miner.job(none, 0, 0, 3, 0, 0, 0, 0, Bias.DEFAULT, 1));
    assertThrows(
        IllegalArgumentException.class, () -> Miner.job(none, 0, 0, 3, 0, 0, 0, 1, Bias.DEFAULT, 0));
  }
}
