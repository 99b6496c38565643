package org.rulemine.amie.rule;

import org.rulemine.amie.kg.TripleIndex;

/** A head relation: its triples in the order of enumeration, and what is derived from them. */
public final class Head {
  public final int relation;

  /** Subjects and objects of the triples, ordered by the anchor's entity. */
  public final int[] subject;

  public final int[] object;

  /**
   * The head variable that stays while paths grow from the other one: that with the larger
   * neighborhoods, 0 or 1. So a hub on one side is not expanded once for each of its triples.
   */
  public final int anchor;

  /** The smallest support a rule of this head may have. */
  public final int minSupport;

  /** 0 when the subject is the functional variable, 1 when the object is. */
  public final int functional;

  public Head(TripleIndex index, int relation, Thresholds thresholds) {
    this.relation = relation;
    int triples = triples(index, relation);
    this.subject = new int[triples];
    this.object = new int[triples];
    this.minSupport = thresholds.support(triples);
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
        others[n++] = index.neighbor[k];
      }
    }
  }

  /** Returns the number of triples of a relation. */
  public static int triples(TripleIndex index, int relation) {
    int code = 2 * relation;
    int triples = 0;
    for (int i = index.columnStart[code]; i < index.columnStart[code + 1]; i++) {
      int group = index.group(index.columnEntity[i], code);
      triples += index.edgeStart[group + 1] - index.edgeStart[group];
    }
    return triples;
  }
}
