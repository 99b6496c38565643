package org.rulemine.amie.count;

import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Atoms;
import org.rulemine.amie.rule.Bodies;

/**
 * Enumerates the bindings of a body's variables, one head triple at a time.
 *
 * <pre>
 * bindings.prepare(body, 0, n);
 * if (bindings.start(a, b)) {
 *   while (bindings.next()) { … bindings.value[v] … }
 * }
 * </pre>
 */
public final class BodyEnumerator {
  private final TripleIndex index;
  private final boolean injective;
  private final JoinPlan plan = new JoinPlan();
  private final int[] directCode = new int[Bodies.MAX_ATOMS];
  private int direct;

  /** The entity bound to each variable. */
  public final int[] value = new int[Atoms.VARIABLES];

  private final int[] at = new int[Atoms.VARIABLES];
  private final int[] end = new int[Atoms.VARIABLES];
  private final int[] driver = new int[Atoms.VARIABLES];
  private int depth;

  public BodyEnumerator(TripleIndex index, boolean injective) {
    this.index = index;
    this.injective = injective;
  }

  /** Prepares a body, which must be connected to the head's variables. */
  public void prepare(int[] body, int offset, int length) {
    direct = 0;
    for (int i = offset; i < offset + length; i++) {
      if (Atoms.mask(body[i]) == 0b11) {
        directCode[direct++] = Atoms.code(body[i], 0);
      }
    }
    plan.start(body, offset, length, 0b11);
    plan.bindRest();
  }

  /** Binds the head's variables; false when an atom between them fails. */
  public boolean start(int subject, int object) {
    value[0] = subject;
    value[1] = object;
    if (injective && subject == object) {
      return false;
    }
    for (int i = 0; i < direct; i++) {
      if (!index.contains(subject, directCode[i], object)) {
        return false;
      }
    }
    depth = 0;
    if (plan.depth == 0) {
      return true;
    }
    return open(0);
  }

  /** Moves to the next binding; false at the end. */
  public boolean next() {
    int last = plan.depth - 1;
    if (last < 0) {
      // A body over the head's variables alone holds once.
      return depth++ == 0;
    }
    while (depth >= 0) {
      if (!advance(depth)) {
        depth--;
      } else if (depth == last) {
        return true;
      } else if (open(depth + 1)) {
        depth++;
      }
    }
    return false;
  }

  private boolean open(int d) {
    int group = -1;
    int size = Integer.MAX_VALUE;
    for (int k = 0; k < plan.links[d]; k++) {
      int g = index.group(value[plan.linkFrom[d][k]], plan.linkCode[d][k]);
      if (g < 0) {
        return false;
      }
      int edges = index.edgeStart[g + 1] - index.edgeStart[g];
      if (edges < size) {
        size = edges;
        group = g;
        driver[d] = k;
      }
    }
    at[d] = index.edgeStart[group];
    end[d] = index.edgeStart[group + 1];
    return true;
  }

  /** Returns whether an entity is bound to none of the variables before a depth. */
  private boolean isFresh(int entity, int d) {
    boolean fresh = entity != value[0] && entity != value[1];
    for (int k = 0; k < d; k++) {
      fresh &= entity != value[plan.variable[k]];
    }
    return fresh;
  }

  private boolean advance(int d) {
    int n = plan.links[d];
    while (at[d] < end[d]) {
      int entity = index.neighbor[at[d]++];
      boolean holds = !injective || isFresh(entity, d);
      for (int k = 0; k < n && holds; k++) {
        holds = k == driver[d]
            || index.contains(value[plan.linkFrom[d][k]], plan.linkCode[d][k], entity);
      }
      if (holds) {
        value[plan.variable[d]] = entity;
        return true;
      }
    }
    return false;
  }
}
