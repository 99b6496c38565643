package org.rulemine.amie.count;

import org.rulemine.amie.rule.Atoms;
import org.rulemine.amie.rule.Bodies;

/**
 * The order in which the variables of a body are bound, and for each the <em>links</em>: the atoms
 * that join it to variables bound before. Reused for body after body.
 */
final class JoinPlan {
  /** The number of variables bound so far by the plan. */
  int depth;

  /** The variable bound at each depth. */
  final int[] variable = new int[Atoms.VARIABLES];

  /** The number of links at each depth; at least one. */
  final int[] links = new int[Atoms.VARIABLES];

  /** The bound variable from which a link starts, by depth and link. */
  final int[][] linkFrom = new int[Atoms.VARIABLES][Bodies.MAX_ATOMS];

  /** The code along which a link leads from that variable, by depth and link. */
  final int[][] linkCode = new int[Atoms.VARIABLES][Bodies.MAX_ATOMS];

  private int[] body;
  private int offset;
  private int length;
  private int bound;

  /** Begins a plan for a body with some variables (a bit set) bound from outside. */
  void start(int[] body, int offset, int length, int bound) {
    this.body = body;
    this.offset = offset;
    this.length = length;
    this.bound = bound;
    this.depth = 0;
  }

  /** Binds one more variable, which must share an atom with a bound one. */
  void bind(int next) {
    int n = 0;
    for (int i = offset; i < offset + length; i++) {
      int atom = body[i];
      int mask = Atoms.mask(atom);
      int other = mask & ~(1 << next);
      if (mask != other && other != 0 && (other & ~bound) == 0) {
        int from = Integer.numberOfTrailingZeros(other);
        linkFrom[depth][n] = from;
        linkCode[depth][n++] = Atoms.code(atom, from);
      }
    }
    if (n == 0) {
      throw new IllegalStateException("variable " + next + " is not joined to a bound one");
    }
    variable[depth] = next;
    links[depth++] = n;
    bound |= 1 << next;
  }

  /** Binds all remaining variables of the body, each time one that is joined to a bound one. */
  void bindRest() {
    int left = Bodies.variables(body, offset, length) & ~bound;
    while (left != 0) {
      int next = -1;
      for (int i = offset; i < offset + length; i++) {
        int mask = Atoms.mask(body[i]);
        int unbound = mask & ~bound;
        if (Integer.bitCount(unbound) == 1 && mask != unbound) {
          next = Integer.numberOfTrailingZeros(unbound);
          break;
        }
      }
      if (next < 0) {
        throw new IllegalStateException("the body is not connected");
      }
      bind(next);
      left &= ~(1 << next);
    }
  }

  /** Binds the variables on a shortest path of atoms to {@code target}, which is bound last. */
  void bindPathTo(int target) {
    int[] previous = new int[Atoms.VARIABLES];
    int reached = bound;
    while ((reached >> target & 1) == 0) {
      int frontier = 0;
      for (int i = offset; i < offset + length; i++) {
        int mask = Atoms.mask(body[i]);
        int fresh = mask & ~reached & ~frontier;
        if (Integer.bitCount(fresh) == 1 && (mask & reached) != 0) {
          previous[Integer.numberOfTrailingZeros(fresh)] =
              Integer.numberOfTrailingZeros(mask & reached);
          frontier |= fresh;
        }
      }
      if (frontier == 0) {
        throw new IllegalStateException("the body does not join the head's variables");
      }
      reached |= frontier;
    }
    int[] path = new int[Atoms.VARIABLES];
    int n = 0;
    for (int v = target; (bound >> v & 1) == 0; v = previous[v]) {
      path[n++] = v;
    }
    while (n > 0) {
      bind(path[--n]);
    }
  }

  /** Returns the one variable on which all that is bound from a depth on depends, or -1. */
  int soleSource(int from) {
    int own = 0;
    int sources = 0;
    for (int d = from; d < depth; d++) {
      for (int k = 0; k < links[d]; k++) {
        sources |= 1 << linkFrom[d][k];
      }
      own |= 1 << variable[d];
    }
    sources &= ~own;
    return Integer.bitCount(sources) == 1 ? Integer.numberOfTrailingZeros(sources) : -1;
  }

  /** Returns the code of some link that starts from a variable bound at a depth, or -1. */
  int codeFrom(int at) {
    for (int d = at + 1; d < depth; d++) {
      for (int k = 0; k < links[d]; k++) {
        if (linkFrom[d][k] == variable[at]) {
          return linkCode[d][k];
        }
      }
    }
    return -1;
  }

  /**
   * Returns whether what can follow after a depth depends on no bound variable but the one bound
   * there: no atom joins an earlier variable to a later one.
   */
  boolean isolates(int at) {
    int earlier = bound;
    for (int d = at; d < depth; d++) {
      earlier &= ~(1 << variable[d]);
    }
    int later = bound & ~earlier & ~(1 << variable[at]);
    for (int i = offset; i < offset + length; i++) {
      int mask = Atoms.mask(body[i]);
      if ((mask & earlier) != 0 && (mask & later) != 0) {
        return false;
      }
    }
    return true;
  }
}
