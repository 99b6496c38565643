package org.rulemine.amie.search;

import org.rulemine.amie.count.PairCounter;
import org.rulemine.amie.count.Stop;
import org.rulemine.amie.count.Tuning;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Bodies;
import org.rulemine.amie.rule.Head;
import org.rulemine.amie.rule.Level;
import org.rulemine.amie.rule.Thresholds;

/**
 * Measures closed rules and decides which are output. One per thread.
 *
 * <p>A rule is output when it reaches the confidence thresholds, not every relation occurs in it
 * exactly twice, and its PCA confidence is above that of every shorter output rule contained in it
 * and above that of at least one closed parent, unless a parent is open (the skyline). All of these
 * bound the size from above before anything is counted, and a count ends when it passes the bound.
 */
final class RuleEvaluator {
  private final Thresholds thresholds;
  private final boolean skyline;
  private final PairCounter counter;
  private final int[] part = new int[Bodies.MAX_ATOMS];

  RuleEvaluator(TripleIndex index, Thresholds thresholds, Bias bias, Tuning tuning, Stop stop) {
    this.skyline = bias.skyline();
    this.thresholds = thresholds;
    this.counter = new PairCounter(index, bias.injective(), tuning, stop);
  }

  /**
   * Measures one rule.
   *
   * @param levels all levels of the head by number of body atoms; the shorter ones are complete
   * @param level the level of the rule
   * @param number the rule
   * @param last whether rules of this length are not extended, so that only output counts
   */
  void measure(Head head, Level[] levels, Level level, int number, boolean last) {
    int length = level.map.length;
    int[] body = level.map.atoms();
    int offset = number * length;
    boolean redundant = Bodies.everyRelationTwice(head.relation, body, offset, length);
    if (last && redundant) {
      return;
    }
    int support = level.support[number];
    double pcaToBeat = skyline ? level.parentPca[number] : -1;
    if (skyline && !redundant) {
      pcaToBeat = Math.max(pcaToBeat, bestPart(levels, body, offset, length));
    }
    long limit = Thresholds.largestSize(support, thresholds.pcaConfidence());
    if (last) {
      limit = Math.min(limit, Thresholds.largestSizeAbove(support, pcaToBeat));
    }
    if (limit < support) {
      return;
    }
    counter.prepare(head.relation, head.functional, body, offset, length);
    long pcaSize = counter.countPca(limit);
    if (pcaSize > limit) {
      return;
    }
    double pca = (double) support / pcaSize;
    level.pca[number] = pca;
    long whole = Thresholds.largestSize(support, thresholds.stdConfidence());
    if (redundant || pca <= pcaToBeat || pcaSize > whole) {
      return;
    }
    long rest = counter.countRest(whole - pcaSize);
    if (rest <= whole - pcaSize) {
      level.pcaSize[number] = pcaSize;
      level.bodySize[number] = pcaSize + rest;
    }
  }

  /** Returns the best PCA confidence of the output rules contained in a body; -1 without any. */
  private double bestPart(Level[] levels, int[] body, int offset, int length) {
    double best = -1;
    for (int mask = 1; mask < (1 << length) - 1; mask++) {
      int n = 0;
      for (int i = 0; i < length; i++) {
        if ((mask >> i & 1) != 0) {
          part[n++] = body[offset + i];
        }
      }
      if (Bodies.openVariables(part, 0, n) != 0) {
        continue;
      }
      Bodies.canonicalize(part, n);
      int found = levels[n].map.find(part, 0);
      if (found >= 0 && levels[n].bodySize[found] > 0) {
        best = Math.max(best, levels[n].pca[found]);
      }
    }
    return best;
  }
}
