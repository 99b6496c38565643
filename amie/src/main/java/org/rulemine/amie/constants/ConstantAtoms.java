package org.rulemine.amie.constants;

import java.util.Arrays;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Bias;

/**
 * The atoms that join one variable of a head to a constant and hold under enough head triples.
 *
 * <p>An atom {@code r(v, C)} is a group of the index, that of {@code C} and the reversed code: its
 * neighbors are the entities for which the atom holds.
 */
final class ConstantAtoms {
  /** A variable that takes one value only is as good as a constant; such atoms are dropped. */
  static final int LEAST_VALUES = 2;

  int size;

  /** By number of the atom: its group, its constant, its code as seen from the variable. */
  int[] group = new int[16];

  int[] entity = new int[16];
  int[] code = new int[16];

  /** The number of head triples under which it holds. */
  int[] support = new int[16];

  /** By position among the variable's entities: the numbers of the atoms that hold there. */
  final int[][] of;

  /**
   * Finds the atoms.
   *
   * @param values the entities that the variable takes
   * @param from where they begin
   * @param triples how many head triples each of them has
   * @param barred a relation that must not occur, or -1
   * @param barredGroup a group that is no atom, or -1
   */
  ConstantAtoms(
      TripleIndex index, Bias bias, int[] values, int from, int[] triples, int least, int barred,
      int barredGroup, Scratch scratch) {
    int[] count = scratch.count;
    int[] seen = scratch.seen;
    for (int i = 0; i < triples.length; i++) {
      int v = values[from + i];
      for (int g = index.groupStart[v]; g < index.groupStart[v + 1]; g++) {
        int along = index.groupCode[g];
        if (along >> 1 == barred || !bias.allowsBody(along >> 1)) {
          continue;
        }
        for (int k = index.edgeStart[g]; k < index.edgeStart[g + 1]; k++) {
          int back = index.group(index.neighbor[k], along ^ 1);
          if (count[back] == 0) {
            add(back, index.neighbor[k], along);
          }
          count[back] += triples[i];
          seen[back]++;
        }
      }
    }
    keep(least, barredGroup, scratch);
    of = new int[triples.length][];
    int[] found = new int[size];
    for (int i = 0; i < triples.length; i++) {
      int v = values[from + i];
      int n = 0;
      for (int g = index.groupStart[v]; g < index.groupStart[v + 1] && size > 0; g++) {
        for (int k = index.edgeStart[g]; k < index.edgeStart[g + 1]; k++) {
          int number = scratch.place[index.group(index.neighbor[k], index.groupCode[g] ^ 1)];
          if (number > 0) {
            found[n++] = number - 1;
          }
        }
      }
      of[i] = Arrays.copyOf(found, n);
    }
    for (int i = 0; i < size; i++) {
      scratch.place[group[i]] = 0;
    }
  }

  private void add(int back, int constant, int along) {
    if (size == group.length) {
      group = Arrays.copyOf(group, 2 * size);
      entity = Arrays.copyOf(entity, 2 * size);
      code = Arrays.copyOf(code, 2 * size);
    }
    group[size] = back;
    entity[size] = constant;
    code[size++] = along;
  }

  private void keep(int least, int barredGroup, Scratch scratch) {
    support = new int[size];
    int kept = 0;
    for (int i = 0; i < size; i++) {
      int g = group[i];
      if (scratch.count[g] >= least && scratch.seen[g] >= LEAST_VALUES && g != barredGroup) {
        support[kept] = scratch.count[g];
        group[kept] = g;
        entity[kept] = entity[i];
        code[kept++] = code[i];
        scratch.place[g] = kept;
      }
      scratch.count[g] = 0;
      scratch.seen[g] = 0;
    }
    size = kept;
  }

  /** Arrays over all groups, zero between uses. */
  static final class Scratch {
    final int[] count;
    final int[] seen;

    /** The number of an atom plus one. */
    final int[] place;

    Scratch(TripleIndex index) {
      this.count = new int[index.groupCode.length];
      this.seen = new int[index.groupCode.length];
      this.place = new int[index.groupCode.length];
    }
  }
}
