package org.rulemine.amie.constants;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rulemine.amie.count.Stop;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Atoms;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Head;
import org.rulemine.amie.rule.Thresholds;

/**
 * The rules of up to three atoms whose head has a constant in the place of the variable that is not
 * functional. One variable v is left in the head; the bodies are r(v,C), r(v,C) s(v,D), two atoms
 * between v and a further variable z, and r(v,z) s(z,C).
 */
final class ConstantHeadSearch {
  private static final int FRESH = 2;

  private final TripleIndex index;
  private final Thresholds thresholds;
  private final Bias bias;
  private final ConstantAtoms.Scratch scratch;
  private final Stop stop;
  private final int[] lastFact;
  private final int[] firstMiddle;
  private final int[] stamp;
  private int epoch;

  /** By pair of codes: how many values of v two atoms between v and z have, and how many known ones. */
  private final Map<Long, long[]> loops = new HashMap<>();

  private Head head;
  private ConstantRules rules;
  private int constant;
  private int own;
  private int[] values;

  ConstantHeadSearch(
      TripleIndex index, Thresholds thresholds, Bias bias, ConstantAtoms.Scratch scratch,
      Stop stop) {
    this.index = index;
    this.thresholds = thresholds;
    this.bias = bias;
    this.scratch = scratch;
    this.stop = stop;
    this.lastFact = new int[index.groupCode.length];
    this.firstMiddle = new int[index.groupCode.length];
    this.stamp = new int[index.entities];
  }

  /** Finds the rules of all heads of a relation that have a constant with enough triples. */
  void search(Head head, ConstantRules rules) {
    this.head = head;
    this.rules = rules;
    loops.clear();
    int least = Math.max(thresholds.initialSupport(), ConstantAtoms.LEAST_VALUES);
    least = Math.max(least, head.minSupport);
    int back = 2 * head.relation + 1 - head.functional;
    for (int i = index.columnStart[back]; i < index.columnStart[back + 1]; i++) {
      constant = index.columnEntity[i];
      own = index.group(constant, back);
      values = Arrays.copyOfRange(index.neighbor, index.edgeStart[own], index.edgeStart[own + 1]);
      if (values.length >= least && !stop.requested()) {
        searchHead();
      }
    }
  }

  private boolean known(int entity) {
    return index.group(entity, 2 * head.relation + head.functional) >= 0;
  }

  private void searchHead() {
    int[] ones = new int[values.length];
    Arrays.fill(ones, 1);
    ConstantAtoms atoms =
        new ConstantAtoms(index, bias, values, 0, ones, head.minSupport, -1, own, scratch);
    double[] pca = new double[atoms.size];
    boolean[] output = new boolean[atoms.size];
    for (int p = 0; p < atoms.size; p++) {
      if (!rules.mayOccur(atoms.code[p] >> 1, -1)) {
        continue;
      }
      int[] members = members(atoms.group[p]);
      long known = knownAmong(members);
      pca[p] = (double) atoms.support[p] / known;
      output[p] = rules.pass(atoms.support[p], known, members.length, -1);
      if (output[p]) {
        rules.add(constant, atoms.support[p], members.length, known, atom(atoms, p), -1);
      }
    }
    if (thresholds.maxAtoms() > 2) {
      pairs(atoms, pca, output);
      twoAtomsToFresh();
      for (int code = 0; code < 2 * index.relations && !stop.requested(); code++) {
        if (code != 2 * head.relation + head.functional && bias.allowsBody(code >> 1)
            && rules.mayOccur(code >> 1, -1) && isFrequent(code)) {
          overFresh(code);
        }
      }
    }
  }

  private long atom(ConstantAtoms atoms, int p) {
    return ConstantRules.atom(atoms.code[p], head.functional, atoms.entity[p]);
  }

  private int[] members(int group) {
    return Arrays.copyOfRange(
        index.neighbor, index.edgeStart[group], index.edgeStart[group + 1]);
  }

  private long knownAmong(int[] entities) {
    long known = 0;
    for (int entity : entities) {
      known += known(entity) ? 1 : 0;
    }
    return known;
  }

  /** Two atoms with constants. They come from a rule with one of them, which must not be perfect. */
  private void pairs(ConstantAtoms atoms, double[] pca, boolean[] output) {
    int[] count = new int[atoms.size];
    int least = Math.max(head.minSupport, ConstantAtoms.LEAST_VALUES);
    for (int p = 0; p < atoms.size && !stop.requested(); p++) {
      Arrays.fill(count, 0);
      for (int i = 0; i < values.length; i++) {
        if (index.groupContains(atoms.group[p], values[i])) {
          for (int q : atoms.of[i]) {
            count[q]++;
          }
        }
      }
      for (int q = p + 1; q < atoms.size; q++) {
        boolean perfect = bias.perfectPruning() && pca[p] == 1.0 && pca[q] == 1.0;
        if (count[q] < least || perfect
            || !rules.mayOccur(atoms.code[p] >> 1, atoms.code[q] >> 1)) {
          continue;
        }
        double pcaToBeat = Math.max(output[p] ? pca[p] : -1, output[q] ? pca[q] : -1);
        int other = atoms.group[q];
        int[] both = Arrays.stream(members(atoms.group[p]))
            .filter(entity -> index.groupContains(other, entity))
            .toArray();
        long known = knownAmong(both);
        if (rules.pass(count[q], known, both.length, pcaToBeat)) {
          rules.add(constant, count[q], both.length, known, atom(atoms, p), atom(atoms, q));
        }
      }
    }
  }

  /** Two atoms between the head's variable and a fresh one. */
  private void twoAtomsToFresh() {
    Map<Long, int[]> counts = new HashMap<>();
    for (int i = 0; i < values.length; i++) {
      int v = values[i];
      int end = index.nearStart[v + 1];
      for (int j = index.nearStart[v]; j < end; j++) {
        for (int k = j + 1; k < end && index.nearNeighbor[k] == index.nearNeighbor[j]; k++) {
          long pair = (long) index.nearCode[j] << 32 | index.nearCode[k];
          int[] entry = counts.computeIfAbsent(pair, unused -> new int[] {0, -1});
          if (entry[1] != i) {
            entry[0]++;
            entry[1] = i;
          }
        }
      }
    }
    List<Long> pairs = new ArrayList<>(counts.keySet());
    pairs.sort(null);
    for (long pair : pairs) {
      int first = (int) (pair >> 32);
      int second = (int) pair;
      int support = counts.get(pair)[0];
      if (support < head.minSupport || !bias.allowsBody(first >> 1)
          || !bias.allowsBody(second >> 1) || !rules.mayOccur(first >> 1, second >> 1)) {
        continue;
      }
      long[] sizes = loops.computeIfAbsent(pair, unused -> loopSizes(first, second));
      if (rules.pass(support, sizes[1], sizes[0], -1)) {
        rules.add(constant, support, sizes[0], sizes[1],
            Atoms.along(first, head.functional, FRESH), Atoms.along(second, head.functional, FRESH));
      }
    }
  }

  private long[] loopSizes(int first, int second) {
    long[] sizes = new long[2];
    for (int i = index.columnStart[first]; i < index.columnStart[first + 1]; i++) {
      int v = index.columnEntity[i];
      int other = index.group(v, second);
      boolean met = false;
      int g = index.group(v, first);
      for (int k = index.edgeStart[g]; k < index.edgeStart[g + 1] && other >= 0 && !met; k++) {
        met = index.groupContains(other, index.neighbor[k]);
      }
      sizes[0] += met ? 1 : 0;
      sizes[1] += met && known(v) ? 1 : 0;
    }
    return sizes;
  }

  private boolean isFrequent(int code) {
    int support = 0;
    for (int v : values) {
      support += index.group(v, code) >= 0 ? 1 : 0;
    }
    return support >= head.minSupport;
  }

  /** An atom from the head's variable to a fresh one, and one from there to a constant. */
  private void overFresh(int code) {
    List<int[]> found = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      int g = index.group(values[i], code);
      for (int k = g < 0 ? 0 : index.edgeStart[g]; g >= 0 && k < index.edgeStart[g + 1]; k++) {
        int middle = index.neighbor[k];
        for (int e = index.nearStart[middle]; e < index.nearStart[middle + 1]; e++) {
          int next = index.nearCode[e];
          if (next >> 1 == code >> 1 || !bias.allowsBody(next >> 1)) {
            continue;
          }
          int back = index.group(index.nearNeighbor[e], next ^ 1);
          if (scratch.count[back] == 0) {
            found.add(new int[] {back, index.nearNeighbor[e], next});
            firstMiddle[back] = middle;
            scratch.seen[back] = 1;
            lastFact[back] = -1;
          }
          if (firstMiddle[back] != middle) {
            scratch.seen[back] = ConstantAtoms.LEAST_VALUES;
          }
          if (lastFact[back] != i) {
            lastFact[back] = i;
            scratch.count[back]++;
          }
        }
      }
    }
    for (int[] atom : found) {
      int support = scratch.count[atom[0]];
      boolean varies = scratch.seen[atom[0]] >= ConstantAtoms.LEAST_VALUES;
      scratch.count[atom[0]] = 0;
      scratch.seen[atom[0]] = 0;
      if (support >= head.minSupport && varies && atom[0] != own
          && rules.mayOccur(code >> 1, atom[2] >> 1)) {
        measureOverFresh(code, atom, support);
      }
    }
  }

  private void measureOverFresh(int code, int[] atom, int support) {
    if (++epoch == Integer.MAX_VALUE) {
      Arrays.fill(stamp, 0);
      epoch = 1;
    }
    long size = 0;
    long known = 0;
    for (int middle : members(atom[0])) {
      int g = index.group(middle, code ^ 1);
      for (int k = g < 0 ? 0 : index.edgeStart[g]; g >= 0 && k < index.edgeStart[g + 1]; k++) {
        int v = index.neighbor[k];
        if (stamp[v] != epoch) {
          stamp[v] = epoch;
          size++;
          known += known(v) ? 1 : 0;
        }
      }
    }
    if (rules.pass(support, known, size, -1)) {
      rules.add(constant, support, size, known, Atoms.along(code, head.functional, FRESH),
          ConstantRules.atom(atom[2], FRESH, atom[1]));
    }
  }
}
