package org.rulemine.amie;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.rulemine.amie.count.Tuning;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Thresholds;

/** Runs the miner through its facade, as Python does, and decodes what it hands over. */
final class Mined {
  private static final long ATOM_COLUMN = 5;

  private Mined() {}

  static ByteBuffer[] direct(int[] rows) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(rows.length * 4).order(ByteOrder.nativeOrder());
    buffer.asIntBuffer().put(rows);
    return new ByteBuffer[] {buffer};
  }

  /** Mines and returns the table; fails when the job does not end well. */
  static long[] rows(Graphs.Case given, int threads, Tuning tuning) throws InterruptedException {
    return rows(given, Bias.DEFAULT, threads, tuning);
  }

  /** Mines within a bias. */
  static long[] rows(Graphs.Case given, Bias bias, int threads, Tuning tuning)
      throws InterruptedException {
    Thresholds thresholds = new Thresholds(
        given.maxAtoms(), given.headCoverage(), given.stdConfidence(), given.pcaConfidence(),
        given.initialSupport());
    MiningJob job = new MiningJob(
        direct(given.rows()), given.entities(), given.relations(), thresholds, bias, threads,
        tuning);
    job.start();
    int state;
    do {
      state = job.awaitEnd(1000);
    } while (state == MiningJob.RUNNING);
    assertEquals(MiningJob.DONE, state, job::message);
    assertEquals(job.total(), job.done());
    TreeMap<Integer, long[]> parts = new TreeMap<>();
    for (int head = job.takeFinished(); head >= 0; head = job.takeFinished()) {
      parts.put(head, job.takeRows(head));
    }
    long[] rows = parts.values().stream().flatMapToLong(Arrays::stream).toArray();
    return rows;
  }

  /** Decodes a table: by head relation, the bodies in the order of the rows. */
  static Map<Integer, Map<List<Oracle.Atom>, Oracle.Counts>> rules(long[] rows, int maxAtoms) {
    int stride = (int) ATOM_COLUMN + maxAtoms - 1;
    Map<Integer, Map<List<Oracle.Atom>, Oracle.Counts>> byHead = new LinkedHashMap<>();
    for (int at = 0; at < rows.length; at += stride) {
      List<Oracle.Atom> body = new ArrayList<>();
      for (int i = at + (int) ATOM_COLUMN; i < at + stride && rows[i] >= 0; i++) {
        int atom = (int) rows[i];
        body.add(new Oracle.Atom(atom >> 6, atom >> 3 & 7, atom & 7));
      }
      Oracle.Counts counts =
          new Oracle.Counts((int) rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4]);
      byHead.computeIfAbsent((int) rows[at], h -> new LinkedHashMap<>()).put(body, counts);
    }
    return byHead;
  }
}
