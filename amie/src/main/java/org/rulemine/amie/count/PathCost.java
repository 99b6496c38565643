package org.rulemine.amie.count;

import java.util.HashMap;
import java.util.Map;
import org.rulemine.amie.kg.TripleIndex;

/** Estimates how many edges counting reads when it follows a path from one of its two ends. */
final class PathCost {
  /** When this many pairs of codes are cached, the cache is cleared. */
  private static final int KNOWN_LIMIT = 1 << 16;

  private final TripleIndex index;

  /** Triples by code. */
  private final int[] edges;

  private final Map<Long, Double> known = new HashMap<>();

  PathCost(TripleIndex index) {
    this.index = index;
    this.edges = new int[2 * index.relations];
    for (int g = 0; g < index.groupCode.length; g++) {
      edges[index.groupCode[g]] += index.edgeStart[g + 1] - index.edgeStart[g];
    }
  }

  /**
   * Estimates the edges read from all starts of a plan's path.
   *
   * @param end the depth of the plan at which the path ends
   */
  double of(JoinPlan plan, int end) {
    int code = plan.linkCode[0][0];
    double starts = index.columnSize(code);
    double pairs = edges[code];
    double cost = pairs;
    for (int d = 1; d <= end; d++) {
      int next = codeOnward(plan, d);
      double read = pairs * following(code, next);
      cost += read;
      // An entity is visited once for each start, however many paths lead there.
      pairs = Math.min(read, starts * index.columnSize(next ^ 1));
      code = next;
    }
    return cost;
  }

  private static int codeOnward(JoinPlan plan, int depth) {
    int k = 0;
    while (plan.linkFrom[depth][k] != plan.variable[depth - 1]) {
      k++;
    }
    return plan.linkCode[depth][k];
  }

  /** Returns how many edges of one code follow an edge of another on average. */
  private double following(int code, int next) {
    if (known.size() > KNOWN_LIMIT) {
      known.clear();
    }
    return known.computeIfAbsent(
        (long) code << 32 | next,
        key -> (double) paths(code ^ 1, next) / edges[code]);
  }

  /** Counts the pairs of edges of two codes that leave one entity. */
  private long paths(int one, int other) {
    boolean swap = index.columnSize(other) < index.columnSize(one);
    int rare = swap ? other : one;
    int frequent = swap ? one : other;
    long paths = 0;
    for (int i = index.columnStart[rare]; i < index.columnStart[rare + 1]; i++) {
      int entity = index.columnEntity[i];
      int g = index.group(entity, frequent);
      if (g >= 0) {
        paths += (long) size(g) * size(index.group(entity, rare));
      }
    }
    return paths;
  }

  private int size(int group) {
    return index.edgeStart[group + 1] - index.edgeStart[group];
  }
}
