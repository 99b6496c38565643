package org.rulemine.amie.mine;

import org.rulemine.amie.kg.TripleIndex;

/** A head relation: its facts in the order in which they are walked, and what follows from them. */
final class Head {
  final int relation;

  /** Subjects and objects of the facts, ordered by the anchor's entity. */
  final int[] subject;

  final int[] object;

  /**
   * The head variable that stays while paths grow from the other one: that with the larger
   * neighbourhoods, 0 or 1. So a hub on one side is not walked around once for every fact it has.
   */
  final int anchor;

  /** The smallest support a rule of this head may have. */
  final int minSupport;

  /** 0 when the subject is the functional variable, 1 when the object is. */
  final int functional;

  Head(TripleIndex index, int relation, Thresholds thresholds) {
    this.relation = relation;
    int facts = facts(index, relation);
    this.subject = new int[facts];
    this.object = new int[facts];
    this.minSupport = thresholds.support(facts);
    // More distinct subjects than objects means a higher functionality; ties go to the subject.
    this.functional = index.columnSize(2 * relation) >= index.columnSize(2 * relation + 1) ? 0 : 1;
    long[] weight = new long[2];
    for (int side = 0; side < 2; side++) {
      int code = 2 * relation + side;
      for (int i = index.columnStart[code]; i < index.columnStart[code + 1]; i++) {
        int group = index.group(index.columnEntity[i], code);
        weight[side] += (long) index.degree(index.columnEntity[i])
            * (index.edgeStart[group + 1] - index.edgeStart[group]);
      }
    }
    this.anchor = weight[0] > weight[1] ? 0 : 1;
    int[] anchors = anchor == 0 ? subject : object;
    int[] others = anchor == 0 ? object : subject;
    int n = 0;
    int code = 2 * relation + anchor;
    for (int i = index.columnStart[code]; i < index.columnStart[code + 1]; i++) {
      int entity = index.columnEntity[i];
      int group = index.group(entity, code);
      for (int k = index.edgeStart[group]; k < index.edgeStart[group + 1]; k++) {
        anchors[n] = entity;
        others[n++] = index.neighbour[k];
      }
    }
  }

  /** Returns the number of facts of a relation. */
  static int facts(TripleIndex index, int relation) {
    int code = 2 * relation;
    int facts = 0;
    for (int i = index.columnStart[code]; i < index.columnStart[code + 1]; i++) {
      int group = index.group(index.columnEntity[i], code);
      facts += index.edgeStart[group + 1] - index.edgeStart[group];
    }
    return facts;
  }
}
