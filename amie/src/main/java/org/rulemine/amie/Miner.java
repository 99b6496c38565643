package org.rulemine.amie;

import java.nio.ByteBuffer;
import org.rulemine.amie.count.Tuning;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Thresholds;

/** The entry to the miner for other languages: primitive arguments and direct buffers only. */
public final class Miner {
  private Miner() {}

  /**
   * Prepares a mining run; {@link MiningJob#start} starts it.
   *
   * @param triples ints in native order, three per triple: subject, relation, object; in parts of
   *     whole triples, read where they lie, which must stay as they are until the job has ended
   * @param entities the number of entities
   * @param relations the number of relations, at most 2^25
   * @param maxAtoms the largest number of atoms, head included
   * @param headCoverage smallest head coverage
   * @param stdConfidence smallest standard confidence
   * @param pcaConfidence smallest PCA confidence
   * @param initialSupport smallest number of triples of a head relation
   * @param bias which rules are searched and output
   * @param threads the number of threads
   */
  public static MiningJob job(
      ByteBuffer[] triples,
      int entities,
      int relations,
      int maxAtoms,
      double headCoverage,
      double stdConfidence,
      double pcaConfidence,
      int initialSupport,
      Bias bias,
      int threads) {
    Thresholds thresholds =
        new Thresholds(maxAtoms, headCoverage, stdConfidence, pcaConfidence, initialSupport);
    return new MiningJob(triples, entities, relations, thresholds, bias, threads, Tuning.DEFAULT);
  }
}
