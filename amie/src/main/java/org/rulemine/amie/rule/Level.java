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
      add(found.atoms, i * found.length, found.support[i], found.parent[i]);
    }
  }

  /** Adds a canonical body at an offset of an array; one that is known keeps its lower parent. */
  public void add(int[] body, int offset, int count, double parent) {
    int before = map.size();
    int number = map.add(body, offset);
    if (number < before) {
      if (support[number] != count) {
        throw new IllegalStateException(
            "two derivations of a rule count " + support[number] + " and " + count);
      }
      parentPca[number] = Math.min(parentPca[number], parent);
      return;
    }
    if (number == support.length) {
      support = Arrays.copyOf(support, number * 2);
      parentPca = Arrays.copyOf(parentPca, number * 2);
    }
    support[number] = count;
    parentPca[number] = parent;
  }

  /** Allocates the measures, once all rules have been merged. */
  public void seal() {
    pca = new double[map.size()];
    pcaSize = new long[map.size()];
    bodySize = new long[map.size()];
  }
}
