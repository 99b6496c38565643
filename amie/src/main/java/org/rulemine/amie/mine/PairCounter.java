package org.rulemine.amie.mine;

import java.util.Arrays;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Atoms;

/**
 * Counts the distinct (subject, object) pairs that satisfy a closed body, up to a limit. One per
 * thread.
 *
 * <p>The pairs are counted start value by start value of the functional variable, so that only one
 * value's partners need be told apart: a stamp per entity, never a set of pairs.
 */
final class PairCounter {
  private final TripleIndex index;
  private final Stop stop;
  private final JoinPlan plan = new JoinPlan();
  private final int[] value = new int[Atoms.VARIABLES];

  /** By depth: entities already visited for this start, where a second visit can add nothing. */
  private final int[][] visited = new int[Atoms.VARIABLES][];

  private final boolean[] once = new boolean[Atoms.VARIABLES];

  /** By depth: where the bits of the entities begin that have an edge the body goes on with; or -1. */
  private final int[] onward = new int[Atoms.VARIABLES];

  private final long[] bits;

  private int epoch;

  private int headCode;
  private int start;
  private int endDepth;
  private int[] column;
  private int columnCode;
  private long count;
  private long limit;

  PairCounter(TripleIndex index, Stop stop) {
    this.index = index;
    this.stop = stop;
    this.bits = index.columnBits;
  }

  /**
   * Takes up a rule.
   *
   * @param head the head relation
   * @param functional 0 when the head's subject is the functional variable, 1 when its object is
   */
  void take(int head, int functional, int[] body, int offset, int length) {
    this.headCode = 2 * head + functional;
    this.start = functional;
    plan.start(body, offset, length, 1 << functional);
    plan.bindPathTo(1 - functional);
    this.endDepth = plan.depth - 1;
    plan.bindRest();
    for (int d = 0; d <= endDepth; d++) {
      // The first step's candidates are distinct anyway, unless they are the ends themselves.
      once[d] = d > 0 && d < endDepth && plan.isolates(d);
      int code = plan.codeFrom(d);
      onward[d] = code < 0 || bits == null ? -1 : code * index.columnWords;
      if ((once[d] || d == endDepth) && visited[d] == null) {
        visited[d] = new int[index.entities];
      }
    }
    columnCode = -1;
    for (int i = offset; i < offset + length; i++) {
      if ((Atoms.mask(body[i]) >> start & 1) != 0) {
        int code = Atoms.code(body[i], start);
        if (columnCode < 0 || index.columnSize(code) < index.columnSize(columnCode)) {
          columnCode = code;
        }
      }
    }
    this.column = index.columnEntity;
  }

  /**
   * Counts the pairs whose functional value has a fact of the head relation in the same place.
   *
   * @param limit counting stops as soon as the count is above it
   * @return the count, or {@code limit + 1}
   */
  long countPca(long limit) {
    this.count = 0;
    this.limit = limit;
    int code = index.columnSize(headCode) < index.columnSize(columnCode) ? headCode : columnCode;
    int other = code == headCode ? columnCode : headCode;
    for (int i = index.columnStart[code]; i < index.columnStart[code + 1]; i++) {
      if (index.group(column[i], other) >= 0 && !from(column[i])) {
        break;
      }
    }
    return count;
  }

  /** Counts the pairs which {@link #countPca} leaves out, up to a limit likewise. */
  long countRest(long limit) {
    this.count = 0;
    this.limit = limit;
    for (int i = index.columnStart[columnCode]; i < index.columnStart[columnCode + 1]; i++) {
      if (index.group(column[i], headCode) < 0 && !from(column[i])) {
        break;
      }
    }
    return count;
  }

  /** Counts the partners of one start value; false when the limit is passed or work must stop. */
  private boolean from(int entity) {
    if (stop.requested()) {
      return false;
    }
    if (++epoch == Integer.MAX_VALUE) {
      for (int[] stamps : visited) {
        if (stamps != null) {
          Arrays.fill(stamps, 0);
        }
      }
      epoch = 1;
    }
    value[start] = entity;
    step(0);
    return count <= limit;
  }

  /** Binds the variable at a depth up to the end variable; false when the limit is passed. */
  private boolean step(int depth) {
    int n = plan.links[depth];
    int[] froms = plan.linkFrom[depth];
    int[] codes = plan.linkCode[depth];
    int least = -1;
    int group = -1;
    int size = Integer.MAX_VALUE;
    for (int k = 0; k < n; k++) {
      int g = index.group(value[froms[k]], codes[k]);
      if (g < 0) {
        return true;
      }
      int edges = index.edgeStart[g + 1] - index.edgeStart[g];
      if (edges < size) {
        size = edges;
        group = g;
        least = k;
      }
    }
    int[] stamps = visited[depth];
    int fit = onward[depth];
    boolean end = depth == endDepth;
    boolean single = once[depth];
    int to = index.edgeStart[group + 1];
    for (int i = index.edgeStart[group]; i < to; i++) {
      int entity = index.neighbour[i];
      if (fit >= 0 && (bits[fit + (entity >>> 6)] >>> entity & 1) == 0) {
        // Most entities on the way lead nowhere; a bit tells without a look at their edges.
        continue;
      }
      if ((end || single) && stamps[entity] == epoch) {
        continue;
      }
      if (n > 1 && !linked(entity, n, froms, codes, least)) {
        continue;
      }
      value[plan.variable[depth]] = entity;
      if (end) {
        if (depth + 1 == plan.depth || exists(depth + 1)) {
          stamps[entity] = epoch;
          if (++count > limit) {
            return false;
          }
        }
      } else {
        if (single) {
          stamps[entity] = epoch;
        }
        if (!step(depth + 1)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean linked(int entity, int n, int[] froms, int[] codes, int except) {
    for (int k = 0; k < n; k++) {
      if (k != except && !index.contains(value[froms[k]], codes[k], entity)) {
        return false;
      }
    }
    return true;
  }

  /** Tells whether the variables from a depth on can be bound. */
  private boolean exists(int depth) {
    int n = plan.links[depth];
    int[] froms = plan.linkFrom[depth];
    int[] codes = plan.linkCode[depth];
    int least = -1;
    int group = -1;
    int size = Integer.MAX_VALUE;
    for (int k = 0; k < n; k++) {
      int g = index.group(value[froms[k]], codes[k]);
      if (g < 0) {
        return false;
      }
      int edges = index.edgeStart[g + 1] - index.edgeStart[g];
      if (edges < size) {
        size = edges;
        group = g;
        least = k;
      }
    }
    for (int i = index.edgeStart[group]; i < index.edgeStart[group + 1]; i++) {
      int entity = index.neighbour[i];
      if (n > 1 && !linked(entity, n, froms, codes, least)) {
        continue;
      }
      value[plan.variable[depth]] = entity;
      if (depth + 1 == plan.depth || exists(depth + 1)) {
        return true;
      }
    }
    return false;
  }
}
