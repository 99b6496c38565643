package org.rulemine.amie.kg;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class TripleIndexTest {
  private static int[] rows(Random random, int entities, int relations, int wanted) {
    TreeSet<String> seen = new TreeSet<>();
    int[] rows = new int[3 * wanted];
    int n = 0;
    while (n < rows.length) {
      int[] row = {random.nextInt(entities), random.nextInt(relations), random.nextInt(entities)};
      if (seen.add(Arrays.toString(row))) {
        System.arraycopy(row, 0, rows, n, 3);
        n += 3;
      }
    }
    return rows;
  }

  private static TripleIndex index(int[] rows, int entities, int relations) {
    return new TripleIndex(entities, relations, IntBuffer.wrap(rows));
  }

  /** The rows in parts of so many triples. */
  private static IntBuffer[] parts(int[] rows, int triples) {
    IntBuffer[] parts = new IntBuffer[(rows.length + 3 * triples - 1) / (3 * triples)];
    for (int i = 0; i < parts.length; i++) {
      int start = 3 * triples * i;
      parts[i] = IntBuffer.wrap(rows, start, Math.min(3 * triples, rows.length - start));
    }
    return parts;
  }

  @Test
  void everyLookupTellsTheFacts() {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      int entities = 1 + random.nextInt(8);
      int relations = 1 + random.nextInt(4);
      int[] rows = rows(random, entities, relations, random.nextInt(entities * entities + 1));
      check(index(rows, entities, relations), rows, entities, relations);
      // As a large graph has it: no table and no bits, so that lookups search.
      TripleIndex lean = new TripleIndex(entities, relations, 0, parts(rows, 1 + random.nextInt(4)));
      assertNull(lean.columnBits);
      check(lean, rows, entities, relations);
    }
  }

  private static void check(TripleIndex index, int[] rows, int entities, int relations) {
    boolean[][][] triples = new boolean[relations][entities][entities];
    for (int i = 0; i < rows.length; i += 3) {
      triples[rows[i + 1]][rows[i]][rows[i + 2]] = true;
    }
    assertEquals(rows.length / 3, index.triples);
    for (int x = 0; x < entities; x++) {
      int degree = 0;
      for (int y = 0; y < entities; y++) {
        int near = index.near(x, y);
        int end = index.nearStart[x + 1];
        for (int code = 0; code < 2 * relations; code++) {
          boolean triple = (code & 1) == 0 ? triples[code >> 1][x][y] : triples[code >> 1][y][x];
          assertEquals(triple, index.contains(x, code, y));
          boolean listed =
              near >= 0 && near < end && index.nearNeighbor[near] == y && index.nearCode[near] == code;
          assertEquals(triple, listed);
          near += listed ? 1 : 0;
          degree += triple ? 1 : 0;
        }
      }
      assertEquals(degree, index.degree(x));
    }
    for (int code = 0; code < 2 * relations; code++) {
      int columns = 0;
      for (int e = 0; e < entities; e++) {
        columns += index.group(e, code) >= 0 ? 1 : 0;
      }
      assertEquals(columns, index.columnSize(code));
      for (int i = index.columnStart[code]; i < index.columnStart[code + 1]; i++) {
        assertTrue(index.group(index.columnEntity[i], code) >= 0);
      }
      for (int e = 0; e < entities && index.columnBits != null; e++) {
        long word = index.columnBits[code * index.columnWords + (e >>> 6)];
        assertEquals(index.group(e, code) >= 0, (word >>> e & 1) != 0);
      }
    }
  }

  @Test
  void theOrderOfTheRowsDoesNotMatter() {
    int[] one = {0, 0, 1, 2, 1, 0, 1, 0, 1};
    int[] other = {1, 0, 1, 0, 0, 1, 2, 1, 0};
    assertArrayEquals(
        index(one, 3, 2).neighbor, index(other, 3, 2).neighbor);
    assertArrayEquals(index(one, 3, 2).nearCode, index(other, 3, 2).nearCode);
  }

  @Test
  void anEmptyGraphHasNothing() {
    TripleIndex index = index(new int[0], 2, 1);
    assertFalse(index.contains(0, 0, 1));
    assertEquals(-1, index.near(0, 1));
  }

  @Test
  void rowsThatAreNoSetOfTriplesAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> index(new int[] {0, 0}, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> index(new int[] {0, 1, 0}, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> index(new int[] {-1, 0, 0}, 1, 1));
    int[] twice = {0, 0, 1, 1, 0, 0, 0, 0, 1};
    assertThrows(IllegalArgumentException.class, () -> index(twice, 2, 1));
  }
}
