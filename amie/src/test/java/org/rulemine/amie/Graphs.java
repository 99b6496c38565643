package org.rulemine.amie;

import java.util.Random;
import java.util.TreeSet;

/**
 * Small random graphs with thresholds, each a function of its seed. Relations are noise, copies,
 * inverses or compositions of others, with reflexive triples, so that rules of every shape and perfect
 * rules occur.
 */
final class Graphs {
  private static final double[] SHARES = {0, 0.01, 0.1, 0.2, 0.3, 1.0 / 3, 0.5, 0.6, 2.0 / 3, 0.9, 1};

  private Graphs() {}

  record Case(
      int[] rows, int entities, int relations, int maxAtoms,
      double headCoverage, double stdConfidence, double pcaConfidence, int initialSupport) {}

  static Case random(long seed, int leastAtoms, int mostAtoms) {
    Random random = new Random(seed);
    int maxAtoms = leastAtoms + random.nextInt(mostAtoms - leastAtoms + 1);
    int entities = 2 + random.nextInt(maxAtoms > 4 ? 3 : 6);
    int relations = 1 + random.nextInt(maxAtoms > 3 ? 2 : 4);
    boolean[][][] triples = new boolean[relations][entities][entities];
    for (int r = 0; r < relations; r++) {
      int kind = r == 0 ? 0 : random.nextInt(5);
      int source = r == 0 ? 0 : random.nextInt(r);
      double density = 0.05 + random.nextDouble() * 0.4;
      for (int x = 0; x < entities; x++) {
        for (int y = 0; y < entities; y++) {
          boolean triple = switch (kind) {
            case 1 -> triples[source][x][y];
            case 2 -> triples[source][y][x];
            case 3 -> composed(triples[source], triples[random.nextInt(r)], x, y);
            default -> random.nextDouble() < density;
          };
          triples[r][x][y] = triple ^ (random.nextInt(20) == 0);
        }
      }
    }
    TreeSet<Integer> cells = new TreeSet<>();
    for (int cell = 0; cell < relations * entities * entities; cell++) {
      int r = cell / (entities * entities);
      if (triples[r][cell / entities % entities][cell % entities]) {
        cells.add(cell);
      }
    }
    int[] rows = new int[3 * cells.size()];
    int n = 0;
    for (int cell : cells) {
      rows[n++] = cell / entities % entities;
      rows[n++] = cell / (entities * entities);
      rows[n++] = cell % entities;
    }
    return new Case(
        rows, entities, relations, maxAtoms, share(random), share(random), share(random),
        1 + random.nextInt(5));
  }

  private static boolean composed(boolean[][] first, boolean[][] second, int x, int y) {
    for (int z = 0; z < first.length; z++) {
      if (first[x][z] && second[z][y]) {
        return true;
      }
    }
    return false;
  }

  private static double share(Random random) {
    return SHARES[random.nextInt(SHARES.length)];
  }
}
