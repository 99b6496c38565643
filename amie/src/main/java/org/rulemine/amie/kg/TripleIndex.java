package org.rulemine.amie.kg;

import java.nio.IntBuffer;
import java.util.Arrays;

/**
 * An immutable index over a set of integer triples, on which all counting rests.
 *
 * <p>Each triple {@code r(s, o)} is stored as two half-edges: at {@code s} with the <em>code</em>
 * {@code 2r} and neighbor {@code o}, at {@code o} with the code {@code 2r + 1} and neighbor
 * {@code s}. A code is thus a relation with the direction in which it leaves an entity;
 * {@code code ^ 1} is the same edge seen from its other end. A reflexive triple has both of its
 * half-edges at the one entity.
 *
 * <p>The half-edges lie in two orders, both O(triples): by (entity, code, neighbor), cut into
 * <em>groups</em> of equal entity and code; and by (entity, neighbor, code), the <em>near</em>
 * order, in which all relations between two entities stand side by side.
 */
public final class TripleIndex {
  /**
   * Above this many (entity, code) cells of 4 bytes the direct table is not made, and above a quarter
   * as many words the bit sets of the columns: they would cost more memory than they save time.
   */
  private static final long CELL_LIMIT = 1L << 23;

  /** Two half-edges a triple are counted in ints, and arrays are a little shorter than those reach. */
  private static final int MOST_TRIPLES = (1 << 30) - 8;

  /** The number of entities; ids are {@code 0 .. entities - 1}. */
  public final int entities;

  /** The number of relations; ids are {@code 0 .. relations - 1}. */
  public final int relations;

  /** The number of triples. */
  public final int triples;

  /** Groups of entity {@code e}: {@code groupStart[e] .. groupStart[e + 1] - 1}, codes ascending. */
  public final int[] groupStart;

  /** The code of each group. */
  public final int[] groupCode;

  /** Neighbors of group {@code g}: {@code neighbor[edgeStart[g] .. edgeStart[g + 1] - 1]}. */
  public final int[] edgeStart;

  /** Neighbors in group order, ascending and distinct within a group. */
  public final int[] neighbor;

  /** Half-edges of entity {@code e} in near order: {@code nearStart[e] .. nearStart[e + 1] - 1}. */
  public final int[] nearStart;

  /** Neighbors in near order: ascending within an entity. */
  public final int[] nearNeighbor;

  /** Codes in near order: ascending within an (entity, neighbor) run. */
  public final int[] nearCode;

  /** Entities with code {@code c}: {@code columnEntity[columnStart[c] .. columnStart[c + 1] - 1]}. */
  public final int[] columnStart;

  /** Entities by code, ascending within a code. */
  public final int[] columnEntity;

  /**
   * By code: which entities have it. Entity {@code e} is bit {@code e & 63} of word
   * {@code code * columnWords + (e >>> 6)}; null when that would be large.
   */
  public final long[] columnBits;

  /** Words per code in {@link #columnBits}. */
  public final int columnWords;

  /** Group by {@code entity * codes + code}, -1 where there is none; null when it would be large. */
  private final int[] groupTable;

  private final int codes;

  /**
   * Builds the index.
   *
   * @param entities the number of entities
   * @param relations the number of relations
   * @param rows triples in any number of parts, three ints each: subject, relation, object; read
   *     twice, not kept
   * @throws IllegalArgumentException when an id is out of its range, a triple occurs twice, or there
   *     are more triples or entities than arrays can hold
   */
  public TripleIndex(int entities, int relations, IntBuffer... rows) {
    this(entities, relations, CELL_LIMIT, rows);
  }

  TripleIndex(int entities, int relations, long cellLimit, IntBuffer... rows) {
    this.triples = check(rows, entities);
    this.entities = entities;
    this.relations = relations;
    this.codes = 2 * relations;
    this.nearStart = new int[entities + 1];
    countDegrees(rows);
    int edges = 2 * triples;
    this.nearNeighbor = new int[edges];
    this.nearCode = new int[edges];
    // First the place for the next half-edge of each entity, then what its name says.
    this.groupStart = Arrays.copyOf(nearStart, entities + 1);
    scatter(rows);
    Arrays.fill(groupStart, 0);
    int largest = 0;
    for (int e = 0; e < entities; e++) {
      largest = Math.max(largest, degree(e));
    }
    long[] run = new long[largest];
    sortNear(run);
    countGroups();
    this.neighbor = new int[edges];
    this.groupCode = new int[groupStart[entities]];
    this.edgeStart = new int[groupStart[entities] + 1];
    fillGroups(run);
    this.columnStart = new int[codes + 1];
    this.columnEntity = new int[groupCode.length];
    fillColumns();
    this.groupTable = (long) entities * codes <= cellLimit ? table() : null;
    this.columnWords = (entities + 63) >>> 6;
    this.columnBits = (long) columnWords * codes <= cellLimit / 4 ? bits() : null;
  }

  private static int check(IntBuffer[] rows, int entities) {
    long ints = 0;
    for (IntBuffer part : rows) {
      if (part.remaining() % 3 != 0) {
        throw new IllegalArgumentException(
            "a part of the rows holds " + part.remaining() + " ints, not a multiple of 3");
      }
      ints += part.remaining();
    }
    if (ints / 3 > MOST_TRIPLES || entities > 2 * MOST_TRIPLES) {
      throw new IllegalArgumentException(ints / 3 + " triples of " + entities + " entities; at most "
          + MOST_TRIPLES + " triples of " + 2 * MOST_TRIPLES + " entities fit the index");
    }
    return (int) (ints / 3);
  }

  private void countDegrees(IntBuffer[] rows) {
    long row = 0;
    int[] some = new int[3 << 12];
    for (IntBuffer part : rows) {
      for (IntBuffer left = part.duplicate(); left.hasRemaining(); ) {
        int n = Math.min(left.remaining(), some.length);
        left.get(some, 0, n);
        for (int i = 0; i < n; i += 3, row++) {
          if (some[i] < 0 || some[i] >= entities || some[i + 2] < 0 || some[i + 2] >= entities
              || some[i + 1] < 0 || some[i + 1] >= relations) {
            throw new IllegalArgumentException("triple " + row + " (" + some[i] + ", "
                + some[i + 1] + ", " + some[i + 2] + ") names an id outside " + entities
                + " entities and " + relations + " relations");
          }
          nearStart[some[i] + 1]++;
          nearStart[some[i + 2] + 1]++;
        }
      }
    }
    for (int e = 0; e < entities; e++) {
      nearStart[e + 1] += nearStart[e];
    }
  }

  /** Puts the half-edges of each entity side by side, in the order of the rows. */
  private void scatter(IntBuffer[] rows) {
    int[] next = groupStart;
    int[] some = new int[3 << 12];
    for (IntBuffer part : rows) {
      for (IntBuffer left = part.duplicate(); left.hasRemaining(); ) {
        int n = Math.min(left.remaining(), some.length);
        left.get(some, 0, n);
        for (int i = 0; i < n; i += 3) {
          int at = next[some[i]]++;
          nearNeighbor[at] = some[i + 2];
          nearCode[at] = 2 * some[i + 1];
          at = next[some[i + 2]]++;
          nearNeighbor[at] = some[i];
          nearCode[at] = 2 * some[i + 1] + 1;
        }
      }
    }
  }

  private void sortNear(long[] run) {
    for (int e = 0; e < entities; e++) {
      int first = nearStart[e];
      int n = degree(e);
      for (int i = 0; i < n; i++) {
        run[i] = (long) nearNeighbor[first + i] << 32 | nearCode[first + i];
      }
      Arrays.sort(run, 0, n);
      for (int i = 0; i < n; i++) {
        nearNeighbor[first + i] = (int) (run[i] >>> 32);
        nearCode[first + i] = (int) run[i];
        if (i > 0 && run[i] == run[i - 1]) {
          throw new IllegalArgumentException(
              "a triple of relation " + ((int) run[i] >> 1) + " occurs twice");
        }
      }
    }
  }

  private void countGroups() {
    int[] last = new int[codes];
    for (int e = 0; e < entities; e++) {
      groupStart[e + 1] = groupStart[e];
      for (int i = nearStart[e]; i < nearStart[e + 1]; i++) {
        if (last[nearCode[i]] != e + 1) {
          last[nearCode[i]] = e + 1;
          groupStart[e + 1]++;
        }
      }
    }
  }

  private void fillGroups(long[] run) {
    int group = -1;
    for (int e = 0; e < entities; e++) {
      int first = nearStart[e];
      int n = degree(e);
      for (int i = 0; i < n; i++) {
        run[i] = (long) nearCode[first + i] << 32 | nearNeighbor[first + i];
      }
      Arrays.sort(run, 0, n);
      for (int i = 0; i < n; i++) {
        int code = (int) (run[i] >>> 32);
        if (i == 0 || code != groupCode[group]) {
          groupCode[++group] = code;
          edgeStart[group] = first + i;
        }
        neighbor[first + i] = (int) run[i];
      }
    }
    edgeStart[groupCode.length] = neighbor.length;
  }

  private void fillColumns() {
    for (int code : groupCode) {
      columnStart[code + 1]++;
    }
    for (int c = 0; c < codes; c++) {
      columnStart[c + 1] += columnStart[c];
    }
    int[] next = Arrays.copyOf(columnStart, codes);
    for (int e = 0; e < entities; e++) {
      for (int g = groupStart[e]; g < groupStart[e + 1]; g++) {
        columnEntity[next[groupCode[g]]++] = e;
      }
    }
  }

  private long[] bits() {
    long[] words = new long[columnWords * codes];
    for (int c = 0; c < codes; c++) {
      for (int i = columnStart[c]; i < columnStart[c + 1]; i++) {
        words[c * columnWords + (columnEntity[i] >>> 6)] |= 1L << columnEntity[i];
      }
    }
    return words;
  }

  private int[] table() {
    int[] cells = new int[entities * codes];
    Arrays.fill(cells, -1);
    for (int e = 0; e < entities; e++) {
      for (int g = groupStart[e]; g < groupStart[e + 1]; g++) {
        cells[e * codes + groupCode[g]] = g;
      }
    }
    return cells;
  }

  /** Returns the group of an entity and a code, or -1 when the entity has no such edge. */
  public int group(int entity, int code) {
    if (groupTable != null) {
      return groupTable[entity * codes + code];
    }
    int low = groupStart[entity];
    int high = groupStart[entity + 1] - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int found = groupCode[middle];
      if (found < code) {
        low = middle + 1;
      } else if (found > code) {
        high = middle - 1;
      } else {
        return middle;
      }
    }
    return -1;
  }

  /** Returns whether the edge {@code code} leads from an entity to {@code other}. */
  public boolean contains(int entity, int code, int other) {
    int group = group(entity, code);
    return group >= 0 && groupContains(group, other);
  }

  /** Returns whether {@code other} is among the neighbors of a group. */
  public boolean groupContains(int group, int other) {
    int low = edgeStart[group];
    int high = edgeStart[group + 1] - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int found = neighbor[middle];
      if (found < other) {
        low = middle + 1;
      } else if (found > other) {
        high = middle - 1;
      } else {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns where the run of edges between two entities starts in near order, or -1. The run ends
   * where the neighbor changes or the entity's half-edges end.
   */
  public int near(int entity, int other) {
    int low = nearStart[entity];
    int high = nearStart[entity + 1];
    int end = high;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (nearNeighbor[middle] < other) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < end && nearNeighbor[low] == other ? low : -1;
  }

  /** Returns the number of half-edges at an entity. */
  public int degree(int entity) {
    return nearStart[entity + 1] - nearStart[entity];
  }

  /** Returns the number of entities that have a code. */
  public int columnSize(int code) {
    return columnStart[code + 1] - columnStart[code];
  }
}
