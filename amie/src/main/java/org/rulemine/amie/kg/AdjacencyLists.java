package org.rulemine.amie.kg;

/**
 * Orders the half-edges of a list of triples by stable counting sorts.
 *
 * <p>Half-edge {@code 2t} is triple {@code t} seen from its subject, {@code 2t + 1} from its object;
 * the keys are computed from the triples, so that only permutations take memory.
 */
final class AdjacencyLists {
  static final int ENTITY = 0;
  static final int CODE = 1;
  static final int NEIGHBOR = 2;

  private AdjacencyLists() {}

  /** Returns one key of a half-edge. */
  static int key(int[] rows, int edge, int kind) {
    int row = (edge >> 1) * 3;
    int side = edge & 1;
    if (kind == CODE) {
      return 2 * rows[row + 1] + side;
    }
    return (kind == ENTITY) == (side == 0) ? rows[row] : rows[row + 2];
  }

  /**
   * Returns the half-edges ordered by entity, then {@code second}, then the remaining key.
   *
   * @param second {@link #CODE} or {@link #NEIGHBOR}
   */
  static int[] sorted(int[] rows, int entities, int codes, int second) {
    int[] order = new int[rows.length / 3 * 2];
    for (int i = 0; i < order.length; i++) {
      order[i] = i;
    }
    int[] spare = new int[order.length];
    int third = second == CODE ? NEIGHBOR : CODE;
    sort(rows, order, spare, third, third == CODE ? codes : entities);
    sort(rows, spare, order, second, second == CODE ? codes : entities);
    sort(rows, order, spare, ENTITY, entities);
    return spare;
  }

  private static void sort(int[] rows, int[] from, int[] to, int kind, int range) {
    int[] next = new int[range + 1];
    for (int edge : from) {
      next[key(rows, edge, kind) + 1]++;
    }
    for (int i = 0; i < range; i++) {
      next[i + 1] += next[i];
    }
    for (int edge : from) {
      to[next[key(rows, edge, kind)]++] = edge;
    }
  }
}
