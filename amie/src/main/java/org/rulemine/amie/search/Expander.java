package org.rulemine.amie.search;

import java.util.Arrays;
import org.rulemine.amie.count.BodyEnumerator;
import org.rulemine.amie.count.Joiner;
import org.rulemine.amie.count.Stop;
import org.rulemine.amie.count.Tuning;
import org.rulemine.amie.kg.TripleIndex;
import org.rulemine.amie.rule.Atoms;
import org.rulemine.amie.rule.Bias;
import org.rulemine.amie.rule.Bodies;
import org.rulemine.amie.rule.Candidates;
import org.rulemine.amie.rule.Head;

/**
 * Extends one rule of the search space by every frequent atom, all relations of a position at a
 * time. One per thread.
 *
 * <p>The operators of AMIE's search are <em>closing</em> (an atom between two variables of the rule)
 * and <em>dangling</em> (an atom with a fresh variable). An open rule can only come from dangling,
 * and what closes it again joins its fresh variable to another one; so the two steps are done as one,
 * the <em>joining</em> of two variables by two atoms with a fresh variable between them, and the open
 * rule between need not be visited. It is a rule of the search space whenever the joined one is
 * frequent, for support only falls with more atoms.
 *
 * <p>A rule with two open variables is a path from each head variable. Every such pair of paths joins
 * to a path between the head variables, which is also reached by growing only one of the two, from
 * the head variable that is not the anchor ({@link Head#anchor}). So only that one grows.
 */
final class Expander {
  private final TripleIndex index;
  private final Bias bias;
  private final int width;
  private final Stop stop;
  private final int codes;
  private final Joiner joiner;
  private final BodyEnumerator bindings;

  private final int[] child = new int[Bodies.MAX_ATOMS + 2];
  private final int[] pairFrom = new int[32];
  private final int[] pairTo = new int[32];
  private int pairs;
  private int variables;
  private int[] closingCount = new int[0];
  private int[] closingStamp = new int[0];
  private final int[] danglingCount;
  private final int[] danglingStamp;
  private final int[] lastSeen = new int[Atoms.VARIABLES];

  /** The entities bound at present, where distinct variables must stand for distinct ones. */
  private final int[] bound = new int[Atoms.VARIABLES];

  private int boundCount;

  Expander(TripleIndex index, Bias bias, Tuning tuning, Stop stop) {
    this.index = index;
    this.bias = bias;
    this.width = tuning.width();
    this.stop = stop;
    this.codes = 2 * index.relations;
    this.joiner = new Joiner(index, tuning);
    this.bindings = new BodyEnumerator(index, bias.injective());
    this.danglingCount = new int[Atoms.VARIABLES * codes];
    this.danglingStamp = new int[Atoms.VARIABLES * codes];
  }

  /**
   * Extends a rule.
   *
   * @param length the number of body atoms
   * @param pca the PCA confidence of a closed rule, which its closed children compare with
   * @param closed receives closed rules with one atom more
   * @param open receives open rules with one atom more; null when they would be too long to close
   * @param joined receives closed rules with two atoms more; null when they would be too long
   */
  void expand(
      Head head, int[] body, int offset, int length, double pca,
      Candidates closed, Candidates open, Candidates joined) {
    int openMask = Bodies.openVariables(body, offset, length);
    variables = Bodies.variables(body, offset, length) | 0b11;
    boolean closing = openMask == 0 || length == 0;
    bindings.prepare(body, offset, length);
    int dangling = 0;
    pairs = 0;
    if (closing) {
      allPairs(variables, false);
    }
    if (joined != null) {
      dangling = openMask == 0 || Integer.bitCount(openMask) == 1 ? variables : openMask;
    }
    count(head, dangling);
    forgetBarred(dangling);
    if (closing) {
      emitClosings(head, body, offset, length, length == 0 ? -1.0 : pca, closed);
    }
    if (open != null) {
      int grow = Integer.bitCount(openMask) == 2
          ? openMask & ~(1 << head.anchor)
          : openMask == 0 ? variables : openMask;
      emitDanglings(head, body, offset, length, grow, Integer.bitCount(variables), open);
    }
    if (joined != null) {
      joinPairs(openMask, variables, head.anchor);
      for (int p = 0; p < pairs && !stop.requested(); p++) {
        join(head, body, offset, length, pairFrom[p], pairTo[p], Integer.bitCount(variables), joined);
      }
    }
  }

  private void allPairs(int variables, boolean same) {
    pairs = 0;
    for (int s = 0; s < Atoms.VARIABLES; s++) {
      for (int t = same ? s : s + 1; t < Atoms.VARIABLES; t++) {
        if ((variables >> s & 1) != 0 && (variables >> t & 1) != 0) {
          pairFrom[pairs] = s;
          pairTo[pairs++] = t;
        }
      }
    }
  }

  /** Lists the pairs of variables that a fresh variable may join: as the operators allow. */
  private void joinPairs(int openMask, int variables, int anchor) {
    int opens = Integer.bitCount(openMask);
    if (opens == 0) {
      allPairs(variables, true);
    } else if (opens == 1) {
      pairs = 0;
      int v = Integer.numberOfTrailingZeros(openMask);
      for (int t = 0; t < Atoms.VARIABLES; t++) {
        if ((variables >> t & 1) != 0) {
          pairFrom[pairs] = v;
          pairTo[pairs++] = t;
        }
      }
    } else {
      pairs = 1;
      pairFrom[0] = Integer.numberOfTrailingZeros(openMask & ~(1 << anchor));
      pairTo[0] = anchor;
    }
    // The variable that changes least between bindings comes second, so that its marks are reused.
    for (int p = 0; p < pairs; p++) {
      int from = pairFrom[p];
      int to = pairTo[p];
      if (from == anchor || to != anchor && from < to) {
        pairFrom[p] = to;
        pairTo[p] = from;
      }
    }
  }

  /** Counts, for every position at once, the head triples under which each code can follow. */
  private void count(Head head, int dangling) {
    int cells = pairs * codes;
    if (closingCount.length < cells) {
      closingCount = new int[cells];
      closingStamp = new int[cells];
    } else {
      Arrays.fill(closingCount, 0, cells, 0);
      Arrays.fill(closingStamp, 0, cells, 0);
    }
    for (int v = 0; v < Atoms.VARIABLES; v++) {
      if ((dangling >> v & 1) != 0) {
        Arrays.fill(danglingCount, v * codes, (v + 1) * codes, 0);
        Arrays.fill(danglingStamp, v * codes, (v + 1) * codes, 0);
      }
    }
    for (int triple = 0; triple < head.subject.length; triple++) {
      if (stop.requested()) {
        return;
      }
      if (!bindings.start(head.subject[triple], head.object[triple])) {
        continue;
      }
      Arrays.fill(lastSeen, -1);
      boolean first = true;
      while (bindings.next()) {
        noteBound();
        for (int p = first || pairs == 0 || pairFrom[0] != 0 || pairTo[0] != 1 ? 0 : 1; p < pairs; p++) {
          countClosing(p, bindings.value[pairFrom[p]], bindings.value[pairTo[p]], triple + 1);
        }
        for (int left = dangling; left != 0; left &= left - 1) {
          int v = Integer.numberOfTrailingZeros(left);
          if (lastSeen[v] != bindings.value[v] || boundCount > 0) {
            lastSeen[v] = bindings.value[v];
            countDangling(v, bindings.value[v], triple + 1);
          }
        }
        first = false;
      }
    }
  }

  /** Clears the counts of relations that must not occur in bodies, so that they are not joined in vain. */
  private void forgetBarred(int dangling) {
    if (bias.bodies() == null) {
      return;
    }
    for (int left = dangling; left != 0; left &= left - 1) {
      int base = Integer.numberOfTrailingZeros(left) * codes;
      for (int code = 0; code < codes; code++) {
        if (!bias.allowsBody(code >> 1)) {
          danglingCount[base + code] = 0;
        }
      }
    }
  }

  private void countClosing(int pair, int from, int to, int stamp) {
    int base = pair * codes;
    // Search in the shorter list; seen from the other end a code is code ^ 1.
    boolean turned = index.degree(to) < index.degree(from);
    int near = turned ? to : from;
    int far = turned ? from : to;
    int flip = turned ? 1 : 0;
    int i = index.near(near, far);
    if (i < 0) {
      return;
    }
    for (int end = index.nearStart[near + 1]; i < end && index.nearNeighbor[i] == far; i++) {
      int cell = base + (index.nearCode[i] ^ flip);
      if (closingStamp[cell] != stamp) {
        closingStamp[cell] = stamp;
        closingCount[cell]++;
      }
    }
  }

  private void countDangling(int variable, int entity, int stamp) {
    int base = variable * codes;
    for (int g = index.groupStart[entity]; g < index.groupStart[entity + 1]; g++) {
      int cell = base + index.groupCode[g];
      if (danglingStamp[cell] != stamp && (boundCount == 0 || leadsOn(g))) {
        danglingStamp[cell] = stamp;
        danglingCount[cell]++;
      }
    }
  }

  /** Records the bound entities, when they restrict what can be bound next. */
  private void noteBound() {
    if (bias.injective()) {
      boundCount = 0;
      for (int left = variables; left != 0; left &= left - 1) {
        bound[boundCount++] = bindings.value[Integer.numberOfTrailingZeros(left)];
      }
    }
  }

  /** Returns whether a group has a neighbor that may still be bound. */
  private boolean leadsOn(int group) {
    int taken = 0;
    for (int i = 0; i < boundCount; i++) {
      taken += index.groupContains(group, bound[i]) ? 1 : 0;
    }
    return index.edgeStart[group + 1] - index.edgeStart[group] > taken;
  }

  private void emitClosings(
      Head head, int[] body, int offset, int length, double pca, Candidates out) {
    int headAtom = Atoms.of(head.relation, 0, 1);
    for (int p = 0; p < pairs; p++) {
      for (int code = 0; code < codes; code++) {
        int support = closingCount[p * codes + code];
        if (support < head.minSupport) {
          continue;
        }
        int atom = Atoms.along(code, pairFrom[p], pairTo[p]);
        boolean allowed = atom != headAtom && mayOccur(code >> 1, 1, head, body, offset, length);
        for (int i = 0; i < length; i++) {
          allowed &= body[offset + i] != atom;
        }
        if (allowed) {
          System.arraycopy(body, offset, child, 0, length);
          child[length] = atom;
          out.add(child, support, pca);
        }
      }
    }
  }

  private void emitDanglings(
      Head head, int[] body, int offset, int length, int grow, int fresh, Candidates out) {
    for (int left = grow; left != 0; left &= left - 1) {
      int v = Integer.numberOfTrailingZeros(left);
      for (int code = 0; code < codes; code++) {
        int support = danglingCount[v * codes + code];
        if (support >= head.minSupport && mayOccur(code >> 1, 1, head, body, offset, length)) {
          System.arraycopy(body, offset, child, 0, length);
          child[length] = Atoms.along(code, v, fresh);
          out.add(child, support, -1.0);
        }
      }
    }
  }

  private boolean mayOccur(
      int relation, int more, Head head, int[] body, int offset, int length) {
    return bias.allowsBody(relation)
        && Bodies.occurrences(relation, head.relation, body, offset, length) + more
            <= bias.maxOccurrences();
  }

  /** Counts and emits all pairs of atoms that join two variables by a fresh one. */
  private void join(
      Head head, int[] body, int offset, int length, int from, int to, int fresh, Candidates out) {
    int fromCodes = joiner.selectFrom(danglingCount, from * codes, head.minSupport);
    int toCodes = joiner.selectTo(danglingCount, to * codes, head.minSupport);
    if (fromCodes == 0 || toCodes == 0) {
      return;
    }
    for (int low = 0; low < toCodes && !stop.requested(); low += width) {
      int high = Math.min(toCodes, low + width);
      joiner.begin(low, high);
      countJoins(head, from, to);
      for (int p = 0; p < fromCodes; p++) {
        for (int q = from == to ? Math.max(low, p + 1) : low; q < high; q++) {
          int support = joiner.support(p, q);
          if (support < head.minSupport) {
            continue;
          }
          int first = joiner.fromCode(p);
          int second = joiner.toCode(q);
          boolean same = first >> 1 == second >> 1;
          if (mayOccur(first >> 1, same ? 2 : 1, head, body, offset, length)
              && (same || mayOccur(second >> 1, 1, head, body, offset, length))) {
            System.arraycopy(body, offset, child, 0, length);
            child[length] = Atoms.along(first, from, fresh);
            child[length + 1] = Atoms.along(second, to, fresh);
            out.add(child, support, -1.0);
          }
        }
      }
    }
  }

  private void countJoins(Head head, int from, int to) {
    boolean sole = from != to && variables == 0b11;
    for (int triple = 0; triple < head.subject.length; triple++) {
      if (stop.requested()) {
        return;
      }
      if (!bindings.start(head.subject[triple], head.object[triple])) {
        continue;
      }
      int lastFrom = -1;
      int lastTo = -1;
      while (bindings.next()) {
        int f = bindings.value[from];
        int t = bindings.value[to];
        if (f == lastFrom && t == lastTo && !bias.injective()) {
          continue;
        }
        if (bias.injective()) {
          noteBound();
          joiner.bar(bound, boundCount, sole);
        }
        lastFrom = f;
        lastTo = t;
        if (from == to) {
          joiner.loops(f);
        } else {
          joiner.connect(f, t);
        }
      }
      joiner.endTriple();
    }
  }
}
