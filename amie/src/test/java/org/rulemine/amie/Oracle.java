package org.rulemine.amie;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.rulemine.amie.rule.Atoms;

/**
 * What the miner must find, by following the definitions literally on small graphs: breadth-first
 * search with every operator, counting by trying every assignment. Shares no code with the miner.
 */
final class Oracle {
  /** relation(subject, object) over variables; 0 and 1 are the head's. */
  record Atom(int relation, int subject, int object) implements Comparable<Atom> {
    @Override
    public int compareTo(Atom other) {
      int byRelation = Integer.compare(relation, other.relation);
      int bySubject = Integer.compare(subject, other.subject);
      return byRelation != 0
          ? byRelation
          : bySubject != 0 ? bySubject : Integer.compare(object, other.object);
    }
  }

  /** What is counted for an output rule. */
  record Counts(int functional, long support, long bodySize, long pcaSize) {}

  private static final class Node {
    final List<Atom> body;
    long support;
    long bodySize;
    long pcaSize;
    boolean closed;
    boolean output;
    final List<Node> parents = new ArrayList<>();

    Node(List<Atom> body) {
      this.body = body;
    }

    double pca() {
      return (double) support / pcaSize;
    }
  }

  private final boolean[][][] triples;
  private final int entities;
  private final int relations;
  private final int maxAtoms;
  private int head;
  private int functional;
  private final boolean[] inDomain;

  Oracle(int[] rows, int entities, int relations, int maxAtoms) {
    this.entities = entities;
    this.relations = relations;
    this.maxAtoms = maxAtoms;
    this.triples = new boolean[relations][entities][entities];
    this.inDomain = new boolean[entities];
    for (int i = 0; i < rows.length; i += 3) {
      triples[rows[i + 1]][rows[i]][rows[i + 2]] = true;
    }
  }

  /** Returns the output rules of one head, by canonical body. */
  Map<List<Atom>, Counts> rules(int head, double hc, double std, double pca, int initial) {
    this.head = head;
    Map<List<Atom>, Counts> result = new LinkedHashMap<>();
    int size = 0;
    Set<Integer> subjects = new LinkedHashSet<>();
    Set<Integer> objects = new LinkedHashSet<>();
    for (int a = 0; a < entities; a++) {
      for (int b = 0; b < entities; b++) {
        if (triples[head][a][b]) {
          size++;
          subjects.add(a);
          objects.add(b);
        }
      }
    }
    if (size < initial || size == 0) {
      return result;
    }
    functional = subjects.size() >= objects.size() ? 0 : 1;
    for (int e = 0; e < entities; e++) {
      inDomain[e] = (functional == 0 ? subjects : objects).contains(e);
    }
    long least = Math.max(1, (long) Math.ceil(hc * size));
    List<Map<List<Atom>, Node>> generations = search(least);
    Map<List<Atom>, Node> output = new LinkedHashMap<>();
    for (Map<List<Atom>, Node> generation : generations.subList(1, generations.size())) {
      for (Node node : generation.values()) {
        node.output = node.closed
            && node.pca() >= pca
            && (double) node.support / node.bodySize >= std
            && !everyRelationTwice(node.body)
            && node.parents.stream().anyMatch(p -> !p.closed || p.pca() < node.pca())
            && partsOf(node.body).stream()
                .noneMatch(part -> output.containsKey(part) && output.get(part).pca() >= node.pca());
      }
      for (Node node : generation.values()) {
        if (node.output) {
          output.put(node.body, node);
          result.put(node.body,
              new Counts(functional, node.support, node.bodySize, node.pcaSize));
        }
      }
    }
    return result;
  }

  private List<Map<List<Atom>, Node>> search(long least) {
    List<Map<List<Atom>, Node>> generations = new ArrayList<>();
    generations.add(new TreeMap<>(Oracle::compare));
    generations.get(0).put(List.of(), new Node(List.of()));
    for (int length = 1; length < maxAtoms; length++) {
      Map<List<Atom>, Node> next = new TreeMap<>(Oracle::compare);
      for (Node node : generations.get(length - 1).values()) {
        if (node.closed && node.pcaSize == node.support) {
          continue;
        }
        for (List<Atom> child : closings(node)) {
          reach(child, next, least, node);
        }
        if (length < maxAtoms - 1) {
          for (List<Atom> child : danglings(node)) {
            reach(child, next, least, null);
          }
        }
      }
      generations.add(next);
    }
    return generations;
  }

  private void reach(List<Atom> body, Map<List<Atom>, Node> next, long least, Node closingParent) {
    for (Atom atom : body) {
      long times = body.stream().filter(a -> a.relation == atom.relation).count();
      if (times + (atom.relation == head ? 1 : 0) > 3) {
        return;
      }
    }
    List<Atom> canonical = canonical(body);
    Node node = next.get(canonical);
    if (node == null) {
      node = new Node(canonical);
      node.closed = open(canonical).isEmpty();
      count(node);
      next.put(canonical, node);
    }
    if (node.support < least) {
      next.remove(canonical);
    } else if (closingParent != null) {
      node.parents.add(closingParent);
    }
  }

  private List<List<Atom>> closings(Node node) {
    List<Integer> variables = variables(node.body);
    List<Integer> open = open(node.body);
    List<List<Atom>> children = new ArrayList<>();
    for (int s : variables) {
      for (int t : variables) {
        boolean position = open.isEmpty()
            || (open.size() == 1 ? open.contains(s) || open.contains(t)
                : open.contains(s) && open.contains(t));
        for (int r = 0; r < relations && position && s != t; r++) {
          Atom atom = new Atom(r, s, t);
          if (!node.body.contains(atom) && !atom.equals(new Atom(head, 0, 1))) {
            children.add(with(node.body, atom));
          }
        }
      }
    }
    return children;
  }

  private List<List<Atom>> danglings(Node node) {
    List<Integer> variables = variables(node.body);
    List<Integer> open = open(node.body);
    int fresh = Collections.max(variables) + 1;
    List<List<Atom>> children = new ArrayList<>();
    for (int v : open.isEmpty() ? variables : open) {
      for (int r = 0; r < relations; r++) {
        children.add(with(node.body, new Atom(r, v, fresh)));
        children.add(with(node.body, new Atom(r, fresh, v)));
      }
    }
    return children;
  }

  private void count(Node node) {
    int[] value = new int[Collections.max(variables(node.body)) + 1];
    for (int a = 0; a < entities; a++) {
      for (int b = 0; b < entities; b++) {
        value[0] = a;
        value[1] = b;
        if (holds(node.body, value, 2)) {
          node.bodySize++;
          node.pcaSize += inDomain[functional == 0 ? a : b] ? 1 : 0;
          node.support += triples[head][a][b] ? 1 : 0;
        }
      }
    }
  }

  private boolean holds(List<Atom> body, int[] value, int next) {
    for (Atom atom : body) {
      // Atoms with a variable that is not bound yet wait for it.
      if (atom.subject < next && atom.object < next
          && !triples[atom.relation][value[atom.subject]][value[atom.object]]) {
        return false;
      }
    }
    if (next >= value.length) {
      return true;
    }
    for (value[next] = 0; value[next] < entities; value[next]++) {
      if (holds(body, value, next + 1)) {
        return true;
      }
    }
    return false;
  }

  private boolean everyRelationTwice(List<Atom> body) {
    int[] times = new int[relations];
    times[head]++;
    body.forEach(atom -> times[atom.relation]++);
    for (int n : times) {
      if (n != 0 && n != 2) {
        return false;
      }
    }
    return body.size() >= 3;
  }

  private static List<List<Atom>> partsOf(List<Atom> body) {
    List<List<Atom>> parts = new ArrayList<>();
    for (int mask = 1; mask < (1 << body.size()) - 1; mask++) {
      List<Atom> part = new ArrayList<>();
      for (int i = 0; i < body.size(); i++) {
        if ((mask & 1 << i) != 0) {
          part.add(body.get(i));
        }
      }
      parts.add(canonical(part));
    }
    return parts;
  }

  private static List<Integer> variables(List<Atom> body) {
    Set<Integer> found = new LinkedHashSet<>(List.of(0, 1));
    body.forEach(atom -> found.addAll(List.of(atom.subject, atom.object)));
    return found.stream().sorted().toList();
  }

  private static List<Integer> open(List<Atom> body) {
    return variables(body).stream()
        .filter(v -> (v < 2 ? 1 : 0)
            + body.stream().filter(a -> a.subject == v || a.object == v).count() == 1)
        .toList();
  }

  private static List<Atom> with(List<Atom> body, Atom atom) {
    List<Atom> longer = new ArrayList<>(body);
    longer.add(atom);
    return longer;
  }

  /** The least sorted list of atoms over all namings of the body variables by 2, 3, …. */
  static List<Atom> canonical(List<Atom> body) {
    List<Integer> fresh = variables(body).stream().filter(v -> v > 1).toList();
    List<List<Integer>> orders = new ArrayList<>();
    permute(new ArrayList<>(), fresh, orders);
    List<Atom> best = null;
    for (List<Integer> order : orders) {
      List<Atom> renamed = new ArrayList<>();
      for (Atom atom : body) {
        int s = atom.subject < 2 ? atom.subject : 2 + order.indexOf(atom.subject);
        int o = atom.object < 2 ? atom.object : 2 + order.indexOf(atom.object);
        renamed.add(new Atom(atom.relation, s, o));
      }
      Collections.sort(renamed);
      if (best == null || compare(renamed, best) < 0) {
        best = renamed;
      }
    }
    return List.copyOf(best);
  }

  private static void permute(List<Integer> chosen, List<Integer> from, List<List<Integer>> out) {
    if (chosen.size() == from.size()) {
      out.add(List.copyOf(chosen));
    }
    for (int item : from) {
      if (!chosen.contains(item)) {
        chosen.add(item);
        permute(chosen, from, out);
        chosen.remove(chosen.size() - 1);
      }
    }
  }

  /** Canonical order of bodies: shorter first, then atom by atom. */
  static int compare(List<Atom> x, List<Atom> y) {
    for (int i = 0; i < Math.min(x.size(), y.size()) && x.size() == y.size(); i++) {
      int order = x.get(i).compareTo(y.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(x.size(), y.size());
  }
}
