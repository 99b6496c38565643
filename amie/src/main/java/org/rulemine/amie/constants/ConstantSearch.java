package org.rulemine.amie.constants;

import java.util.Arrays;
import org.rulemine.amie.count.Stop;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Atoms;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Head;
import org.rulemine.amie.rule.Level;
import org.rulemine.amie.rule.Thresholds;

/**
 * The rules of up to three atoms with constants under one head; one per thread.
 *
 * <p>A fresh variable may be bound to a constant instead of being closed. With both head variables in
 * the head, that leaves two shapes: an atom with a constant on each head variable, and an atom with a
 * constant beside an atom between the head variables. Heads with a constant are those of {@link
 * ConstantHeadSearch}. An atom with a constant is dropped when it unifies with another one: when it
 * has the relation of the head, or both have the same relation, direction and constant.
 */
public final class ConstantSearch {
  private final TripleIndex index;
  private final Thresholds thresholds;
  private final Bias bias;
  private final Stop stop;
  private final ConstantAtoms.Scratch scratch;
  private final ConstantHeadSearch heads;
  private final int[] position;
  private final int[] codeCount;
  private int[] pairCount = new int[0];
  private int[] touched = new int[0];

  private Head head;
  private ConstantRules rules;

  public ConstantSearch(TripleIndex index, Thresholds thresholds, Bias bias, Stop stop) {
    this.index = index;
    this.thresholds = thresholds;
    this.bias = bias;
    this.stop = stop;
    this.scratch = new ConstantAtoms.Scratch(index);
    this.heads = new ConstantHeadSearch(index, thresholds, bias, scratch, stop);
    this.position = new int[index.entities];
    this.codeCount = new int[2 * index.relations];
  }

  /**
   * Finds the rules of a head.
   *
   * @param closed the rules without constants by number of body atoms, measured
   * @param plain their rows
   * @return all rows in canonical order
   */
  public long[] rows(Head head, Level[] closed, long[] plain, int stride) {
    this.head = head;
    this.rules = new ConstantRules(head, thresholds, bias, stride);
    if (thresholds.maxAtoms() > 2) {
      ConstantAtoms[] atoms = {atoms(0), atoms(1)};
      pairs(atoms[0], atoms[1]);
      for (int side = 0; side < 2; side++) {
        besideAtoms(atoms[side], side, closed[1]);
      }
    }
    heads.search(head, rules);
    return rules.with(plain);
  }

  private ConstantAtoms atoms(int side) {
    int code = 2 * head.relation + side;
    int from = index.columnStart[code];
    int[] triples = new int[index.columnStart[code + 1] - from];
    for (int i = 0; i < triples.length; i++) {
      int g = index.group(index.columnEntity[from + i], code);
      triples[i] = index.edgeStart[g + 1] - index.edgeStart[g];
      position[index.columnEntity[from + i]] = i;
    }
    return new ConstantAtoms(
        index, bias, index.columnEntity, from, triples, head.minSupport, head.relation, -1, scratch);
  }

  private boolean known(int entity) {
    return index.group(entity, 2 * head.relation + head.functional) >= 0;
  }

  private long members(int group) {
    return index.edgeStart[group + 1] - index.edgeStart[group];
  }

  private long knownMembers(int group) {
    long known = 0;
    for (int k = index.edgeStart[group]; k < index.edgeStart[group + 1]; k++) {
      known += known(index.neighbor[k]) ? 1 : 0;
    }
    return known;
  }

  /** An atom with a constant on each head variable. */
  private void pairs(ConstantAtoms subjects, ConstantAtoms objects) {
    pairCount = new int[objects.size];
    touched = new int[objects.size];
    // The positions are those of the objects, which were listed last.
    long[] knownObjects = new long[objects.size];
    for (int q = 0; q < objects.size && head.functional == 1; q++) {
      knownObjects[q] = knownMembers(objects.group[q]);
    }
    for (int p = 0; p < subjects.size && !stop.requested(); p++) {
      int found = countObjects(subjects.group[p], objects);
      long size = members(subjects.group[p]);
      long known = head.functional == 0 ? knownMembers(subjects.group[p]) : size;
      for (int i = 0; i < found; i++) {
        int q = touched[i];
        int support = pairCount[q];
        pairCount[q] = 0;
        boolean same = subjects.code[p] == objects.code[q] && subjects.entity[p] == objects.entity[q];
        if (support < Math.max(head.minSupport, ConstantAtoms.LEAST_VALUES) || same
            || !rules.mayOccur(subjects.code[p] >> 1, objects.code[q] >> 1)) {
          continue;
        }
        long other = members(objects.group[q]);
        long pcaSize = known * (head.functional == 0 ? other : knownObjects[q]);
        if (rules.pass(support, pcaSize, size * other, -1)) {
          rules.add(-1, support, size * other, pcaSize,
              ConstantRules.atom(subjects.code[p], 0, subjects.entity[p]),
              ConstantRules.atom(objects.code[q], 1, objects.entity[q]));
        }
      }
    }
  }

  /** Counts, by atom on the object, the head triples under which it and an atom on the subject hold. */
  private int countObjects(int group, ConstantAtoms objects) {
    int found = 0;
    for (int k = index.edgeStart[group]; k < index.edgeStart[group + 1]; k++) {
      int triples = index.group(index.neighbor[k], 2 * head.relation);
      for (int j = triples < 0 ? 0 : index.edgeStart[triples];
          triples >= 0 && j < index.edgeStart[triples + 1]; j++) {
        for (int q : objects.of[position[index.neighbor[j]]]) {
          if (pairCount[q]++ == 0) {
            touched[found++] = q;
          }
        }
      }
    }
    return found;
  }

  /** An atom with a constant on one head variable, and an atom between both. */
  private void besideAtoms(ConstantAtoms atoms, int side, Level single) {
    int[] body = new int[1];
    for (int p = 0; p < atoms.size && !stop.requested(); p++) {
      int group = atoms.group[p];
      Arrays.fill(codeCount, 0);
      countBetween(group, side);
      for (int code = 0; code < codeCount.length; code++) {
        if (codeCount[code] < head.minSupport || code == 2 * head.relation
            || !bias.allowsBody(code >> 1) || !rules.mayOccur(atoms.code[p] >> 1, code >> 1)) {
          continue;
        }
        body[0] = Atoms.along(code, 0, 1);
        int number = single.map.find(body, 0);
        double pcaToBeat = number >= 0 && single.bodySize[number] > 0 ? single.pca[number] : -1;
        measureBeside(atoms, p, side, code, pcaToBeat);
      }
    }
  }

  private void countBetween(int group, int side) {
    for (int k = index.edgeStart[group]; k < index.edgeStart[group + 1]; k++) {
      int v = index.neighbor[k];
      int triples = index.group(v, 2 * head.relation + side);
      for (int j = triples < 0 ? 0 : index.edgeStart[triples];
          triples >= 0 && j < index.edgeStart[triples + 1]; j++) {
        int w = index.neighbor[j];
        int end = index.nearStart[v + 1];
        for (int i = index.near(v, w); i >= 0 && i < end && index.nearNeighbor[i] == w; i++) {
          // Codes as seen from the subject.
          codeCount[index.nearCode[i] ^ side]++;
        }
      }
    }
  }

  private void measureBeside(ConstantAtoms atoms, int p, int side, int code, double pcaToBeat) {
    long size = 0;
    long pcaSize = 0;
    int group = atoms.group[p];
    for (int k = index.edgeStart[group]; k < index.edgeStart[group + 1]; k++) {
      int v = index.neighbor[k];
      int others = index.group(v, code ^ side);
      if (others >= 0) {
        size += members(others);
        pcaSize += head.functional != side
            ? knownMembers(others)
            : known(v) ? members(others) : 0;
      }
    }
    if (rules.pass(codeCount[code], pcaSize, size, pcaToBeat)) {
      rules.add(-1, codeCount[code], size, pcaSize,
          ConstantRules.atom(atoms.code[p], side, atoms.entity[p]), Atoms.along(code, 0, 1));
    }
  }
}
