package org.rulemine.amie.rule;

import java.util.Arrays;

/** The rules of one head and one length that the search has reached, with their measures. */
public final class Level {
  /** The bodies; the other arrays are indexed by their numbers. */
  public final RuleMap map;

  public int[] support = new int[16];

  /** The lowest PCA confidence among the parents that close into the rule; -1 if one is open. */
  public double[] parentPca = new double[16];

  /** PCA confidence; 0 when it is below the threshold and was not needed. */
  public double[] pca;

  /** Number of pairs under the partial completeness assumption, of output rules. */
  public long[] pcaSize;

  /** Number of pairs, of output rules; 0 marks a rule that is not output. */
  public long[] bodySize;

  public Level(int bodyLength) {
    this.map = new RuleMap(bodyLength);
  }

  /** Merges the candidates of one task. */
  public synchronized void merge(Candidates found) {
    for (int i = 0; i < found.size; i++) {
      int before = map.size();
      int number = map.add(found.atoms, i * found.length);
      if (number == before) {
        if (number == support.length) {
          support = Arrays.copyOf(support, number * 2);
          parentPca = Arrays.copyOf(parentPca, number * 2);
        }
        support[number] = found.support[i];
        parentPca[number] = found.parent[i];
      } else {
        if (support[number] != found.support[i]) {
          throw new IllegalStateException(
              "two derivations of a rule count " + support[number] + " and " + found.support[i]);
        }
        parentPca[number] = Math.min(parentPca[number], found.parent[i]);
      }
    }
  }

  /** Allocates the measures, once all rules have been merged. */
  public void seal() {
    pca = new double[map.size()];
    pcaSize = new long[map.size()];
    bodySize = new long[map.size()];
  }
}
