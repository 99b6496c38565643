package org.rulemine.amie.count;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Atoms;

/**
 * Counts the distinct (subject, object) pairs that satisfy a closed body, up to a limit. One per
 * thread.
 *
 * <p>The pairs are counted start value by start value of one of the head's variables, so that only one
 * value's partners need to be distinguished: a stamp per entity, never a set of pairs. The start is the
 * functional variable, of which only some values count; or the other one, where a long path has far
 * fewer ends there. When distinct variables must stand for distinct entities, nothing depends on one
 * variable alone, and nothing but the partners is cached.
 */
public final class PairCounter {
  /** The ends of a hub are cached after this many visits for one rule, */
  private static final int HUB_VISITS = 3;

  /** as long as no more ends than this are cached. */
  private static final int HUB_ENDS = 1 << 21;

  private final TripleIndex index;
  private final boolean injective;
  private final Stop stop;
  private final int hubEdges;
  private final JoinPlan plan = new JoinPlan();
  private final PathCost cost;
  private final int[] value = new int[Atoms.VARIABLES];

  /** By depth: entities already visited for this start, where a second visit can add nothing. */
  private int[][] visited = new int[Atoms.VARIABLES][];

  private final boolean[] once = new boolean[Atoms.VARIABLES];

  /** By depth: where the bits of the entities begin that have an edge the body goes on with; or -1. */
  private final int[] onward = new int[Atoms.VARIABLES];

  private final long[] bits;

  private int epoch;

  /** By depth: whether the ends reached depend on the entity bound there alone, not on the start. */
  private final boolean[] alone = new boolean[Atoms.VARIABLES];

  /** By depth and entity of a hub: its visits for this rule, and its ends when cached. */
  private final Map<Long, Integer> hubVisits = new HashMap<>();

  private final Map<Long, int[]> hubEnds = new HashMap<>();
  private int hubEndCount;

  /** The ends of the current hub while they are recorded, with stamps of their own. */
  private boolean recording;

  private int[] ends = new int[16];
  private int recorded;
  private int[][] spareVisited = new int[Atoms.VARIABLES][];
  private int spareEpoch;

  /** The only variable on which the variables after the end depend, or -1. */
  private int restVariable;

  /** By entity bound to it: {@code 2 * rule} if they cannot be bound, {@code 2 * rule + 1} if they can. */
  private final int[] restKnown;

  private int rule;

  private int headCode;
  private int start;

  /** Whether the start is not the functional variable: then all pairs are counted at once. */
  private boolean turned;

  private int endDepth;
  private int[] column;
  private int columnCode;
  private long count;
  private long rest;
  private long limit;

  public PairCounter(TripleIndex index, boolean injective, Tuning tuning, Stop stop) {
    this.injective = injective;
    this.hubEdges = tuning.hubEdges();
    this.index = index;
    this.stop = stop;
    this.bits = index.columnBits;
    this.cost = new PathCost(index);
    this.restKnown = new int[index.entities];
  }

  /**
   * Prepares a rule.
   *
   * @param head the head relation
   * @param functional 0 when the head's subject is the functional variable, 1 when its object is
   */
  public void prepare(int head, int functional, int[] body, int offset, int length) {
    this.headCode = 2 * head + functional;
    this.turned = false;
    follow(functional, body, offset, length);
    if (endDepth > 1) {
      double share = (double) index.columnSize(headCode) / index.columnSize(plan.linkCode[0][0]);
      double ahead = Math.min(1, share) * cost.of(plan, endDepth);
      follow(1 - functional, body, offset, length);
      this.turned = cost.of(plan, endDepth) < ahead;
      if (!turned) {
        follow(functional, body, offset, length);
      }
    }
    for (int d = 0; d <= endDepth; d++) {
      // One visit is enough; at the first step the candidates are distinct anyway.
      alone[d] = !injective && d < endDepth && plan.isolates(d);
      once[d] = d > 0 && alone[d];
      int code = plan.codeFrom(d);
      onward[d] = code < 0 || bits == null ? -1 : code * index.columnWords;
      if ((once[d] || d == endDepth) && visited[d] == null) {
        visited[d] = new int[index.entities];
      }
    }
    restVariable = injective ? -1 : plan.soleSource(endDepth + 1);
    if (++rule == Integer.MAX_VALUE >> 1) {
      Arrays.fill(restKnown, 0);
      rule = 1;
    }
    if (!hubVisits.isEmpty()) {
      hubVisits.clear();
      hubEnds.clear();
      hubEndCount = 0;
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

  private void follow(int from, int[] body, int offset, int length) {
    this.start = from;
    plan.start(body, offset, length, 1 << from);
    plan.bindPathTo(1 - from);
    this.endDepth = plan.depth - 1;
    plan.bindRest();
  }

  /**
   * Counts the pairs whose functional value has a triple of the head relation in the same place.
   *
   * @param limit counting stops as soon as the count is above it
   * @return the count, or {@code limit + 1}
   */
  public long countPca(long limit) {
    this.count = 0;
    this.rest = 0;
    this.limit = limit;
    if (turned) {
      for (int i = index.columnStart[columnCode]; i < index.columnStart[columnCode + 1]; i++) {
        if (!from(column[i])) {
          break;
        }
      }
      return count;
    }
    int code = index.columnSize(headCode) < index.columnSize(columnCode) ? headCode : columnCode;
    int other = code == headCode ? columnCode : headCode;
    for (int i = index.columnStart[code]; i < index.columnStart[code + 1]; i++) {
      if (index.group(column[i], other) >= 0 && !from(column[i])) {
        break;
      }
    }
    return count;
  }

  /**
   * Counts the pairs which {@link #countPca} leaves out, after it has been called.
   *
   * @param limit counting may stop as soon as the count is above it
   * @return the count, or some number above the limit
   */
  public long countRest(long limit) {
    if (turned) {
      return rest;
    }
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
    nextEpoch();
    value[start] = entity;
    step(0);
    return count <= limit;
  }

  private void nextEpoch() {
    if (++epoch == Integer.MAX_VALUE) {
      for (int[] stamps : visited) {
        if (stamps != null) {
          Arrays.fill(stamps, 0);
        }
      }
      epoch = 1;
    }
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
    if (size >= hubEdges && depth > 0 && alone[depth - 1] && !recording) {
      return fromHub(depth, group, least);
    }
    return through(depth, group, least);
  }

  /** Binds the variable at a depth to the members of a group which the other links allow. */
  private boolean through(int depth, int group, int least) {
    int n = plan.links[depth];
    int[] froms = plan.linkFrom[depth];
    int[] codes = plan.linkCode[depth];
    int[] stamps = visited[depth];
    int fit = onward[depth];
    boolean end = depth == endDepth;
    boolean single = once[depth];
    int to = index.edgeStart[group + 1];
    for (int i = index.edgeStart[group]; i < to; i++) {
      int entity = index.neighbor[i];
      if (fit >= 0 && (bits[fit + (entity >>> 6)] >>> entity & 1) == 0) {
        // Most entities on the way lead nowhere; a bit says so without reading their edges.
        continue;
      }
      if ((end || single) && stamps[entity] == epoch) {
        continue;
      }
      if (n > 1 && !linked(entity, n, froms, codes, least) || injective && isBound(entity, depth)) {
        continue;
      }
      value[plan.variable[depth]] = entity;
      if (end) {
        if (depth + 1 == plan.depth || restExists(depth + 1)) {
          stamps[entity] = epoch;
          if (recording) {
            ends = recorded == ends.length ? Arrays.copyOf(ends, 2 * recorded) : ends;
            ends[recorded++] = entity;
          } else if (!add(entity)) {
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

  /**
   * Continues from a hub. Every start that passes it finds the same ends: after a few visits they
   * are cached, so that the work is bounded by the pairs counted.
   */
  private boolean fromHub(int depth, int group, int least) {
    long key = (long) depth << 32 | value[plan.variable[depth - 1]];
    int[] known = hubEnds.get(key);
    if (known == null) {
      boolean often = hubVisits.merge(key, 1, Integer::sum) >= HUB_VISITS;
      if (!often || hubEndCount > HUB_ENDS) {
        return through(depth, group, least);
      }
      known = record(depth, group, least);
      hubEnds.put(key, known);
      hubEndCount += known.length + 16;
    }
    int[] stamps = visited[endDepth];
    for (int entity : known) {
      if (stamps[entity] != epoch) {
        stamps[entity] = epoch;
        if (!add(entity)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Counts a pair; false when the limit is passed. */
  private boolean add(int end) {
    if (turned && index.group(end, headCode) < 0) {
      rest++;
      return true;
    }
    return ++count <= limit;
  }

  private int[] record(int depth, int group, int least) {
    swapStamps();
    for (int d = 0; d <= endDepth; d++) {
      if (spareVisited[d] != null && visited[d] == null) {
        visited[d] = new int[index.entities];
      }
    }
    nextEpoch();
    recording = true;
    recorded = 0;
    through(depth, group, least);
    recording = false;
    swapStamps();
    return Arrays.copyOf(ends, recorded);
  }

  private void swapStamps() {
    int[][] stamps = visited;
    visited = spareVisited;
    spareVisited = stamps;
    int number = epoch;
    epoch = spareEpoch;
    spareEpoch = number;
  }

  /** Returns whether an entity is the start or bound to a variable before a depth. */
  private boolean isBound(int entity, int depth) {
    boolean bound = entity == value[start];
    for (int d = 0; d < depth; d++) {
      bound |= entity == value[plan.variable[d]];
    }
    return bound;
  }

  private boolean linked(int entity, int n, int[] froms, int[] codes, int except) {
    for (int k = 0; k < n; k++) {
      if (k != except && !index.contains(value[froms[k]], codes[k], entity)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the variables after the end can be bound; remembers it where one entity decides. */
  private boolean restExists(int depth) {
    if (restVariable < 0) {
      return exists(depth);
    }
    int entity = value[restVariable];
    if (restKnown[entity] >> 1 != rule) {
      restKnown[entity] = 2 * rule + (exists(depth) ? 1 : 0);
    }
    return (restKnown[entity] & 1) != 0;
  }

  /** Returns whether the variables from a depth on can be bound. */
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
      int entity = index.neighbor[i];
      if (n > 1 && !linked(entity, n, froms, codes, least) || injective && isBound(entity, depth)) {
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
