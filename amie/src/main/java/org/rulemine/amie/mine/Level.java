package org.rulemine.amie.mine;

import java.util.Arrays;
import org.rulemine.amie.rule.RuleMap;

/** The rules of one head and one length that the search has reached, with what is known of each. */
final class Level {
  /** The bodies; the other arrays go by their numbers. */
  final RuleMap map;

  int[] support = new int[16];

  /** The least PCA confidence among the parents that close into the rule; -1 if one is open. */
  double[] parentPca = new double[16];

  /** PCA confidence; 0 when it is below the threshold and was not needed. */
  double[] pca;

  /** Number of pairs under the partial completeness assumption, of output rules. */
  long[] pcaSize;

  /** Number of pairs, of output rules; 0 marks a rule that is not output. */
  long[] bodySize;

  Level(int bodyLength) {
    this.map = new RuleMap(bodyLength);
  }

  /** Adds what a task has found. */
  synchronized void merge(Candidates found) {
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

  /** Makes room for the measures, once all rules are there. */
  void seal() {
    pca = new double[map.size()];
    pcaSize = new long[map.size()];
    bodySize = new long[map.size()];
  }
}
