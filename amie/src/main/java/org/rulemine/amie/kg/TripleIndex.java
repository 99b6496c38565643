package org.rulemine.amie.kg;

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
   * @param rows triples, three ints each: subject, relation, object; read, not kept
   * @param entities the number of entities
   * @param relations the number of relations
   * @throws IllegalArgumentException when an id is out of its range, a triple occurs twice, or there
   *     are more triples than arrays can hold
   */
  public TripleIndex(int[] rows, int entities, int relations) {
    this(rows, entities, relations, CELL_LIMIT);
  }

  TripleIndex(int[] rows, int entities, int relations, long cellLimit) {
    if (rows.length % 3 != 0) {
      throw new IllegalArgumentException("rows hold " + rows.length + " ints, not a multiple of 3");
    }
    this.triples = rows.length / 3;
    this.entities = entities;
    this.relations = relations;
    this.codes = 2 * relations;
    if (triples > (1 << 30) - 8) {
      throw new IllegalArgumentException(triples + " triples; at most 2^30 fit the index");
    }
    for (int i = 0; i < rows.length; i += 3) {
      if (rows[i] < 0 || rows[i] >= entities || rows[i + 2] < 0 || rows[i + 2] >= entities
          || rows[i + 1] < 0 || rows[i + 1] >= relations) {
        throw new IllegalArgumentException("triple " + i / 3 + " (" + rows[i] + ", " + rows[i + 1]
            + ", " + rows[i + 2] + ") names an id outside " + entities + " entities and "
            + relations + " relations");
      }
    }
    int edges = 2 * triples;
    int[] order = AdjacencyLists.sorted(rows, entities, codes, AdjacencyLists.CODE);
    this.neighbor = new int[edges];
    this.groupStart = new int[entities + 1];
    int[] codeOf = new int[edges];
    int[] firstOf = new int[edges + 1];
    int groups = 0;
    int lastEntity = -1;
    int lastCode = -1;
    for (int i = 0; i < edges; i++) {
      int entity = AdjacencyLists.key(rows, order[i], AdjacencyLists.ENTITY);
      int code = AdjacencyLists.key(rows, order[i], AdjacencyLists.CODE);
      neighbor[i] = AdjacencyLists.key(rows, order[i], AdjacencyLists.NEIGHBOR);
      if (entity != lastEntity || code != lastCode) {
        codeOf[groups] = code;
        firstOf[groups++] = i;
        groupStart[entity + 1]++;
        lastEntity = entity;
        lastCode = code;
      } else if (neighbor[i] == neighbor[i - 1]) {
        throw new IllegalArgumentException("a triple of relation " + (code >> 1) + " occurs twice");
      }
    }
    for (int e = 0; e < entities; e++) {
      groupStart[e + 1] += groupStart[e];
    }
    firstOf[groups] = edges;
    this.groupCode = Arrays.copyOf(codeOf, groups);
    this.edgeStart = Arrays.copyOf(firstOf, groups + 1);
    this.nearStart = new int[entities + 1];
    this.columnStart = new int[codes + 1];
    this.columnEntity = new int[groups];
    fillColumns();
    order = AdjacencyLists.sorted(rows, entities, codes, AdjacencyLists.NEIGHBOR);
    this.nearNeighbor = new int[edges];
    this.nearCode = new int[edges];
    for (int i = 0; i < edges; i++) {
      nearNeighbor[i] = AdjacencyLists.key(rows, order[i], AdjacencyLists.NEIGHBOR);
      nearCode[i] = AdjacencyLists.key(rows, order[i], AdjacencyLists.CODE);
      nearStart[AdjacencyLists.key(rows, order[i], AdjacencyLists.ENTITY) + 1]++;
    }
    for (int e = 0; e < entities; e++) {
      nearStart[e + 1] += nearStart[e];
    }
    this.groupTable = (long) entities * codes <= cellLimit ? table() : null;
    this.columnWords = (entities + 63) >>> 6;
    this.columnBits = (long) columnWords * codes <= cellLimit / 4 ? bits() : null;
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
