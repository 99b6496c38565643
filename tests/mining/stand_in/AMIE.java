package amie.mining;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Stands in for AMIE 3.5.1 in tests: speaks its command line, prints what it prints, and counts by brute force the
 * rules of up to three atoms without constants. What a file {@code behavior} in its jar says goes before that.
 */
public final class AMIE {
  private static final Set<String> WITH_VALUE =
      Set.of("minc", "mins", "minis", "minhc", "pm", "bexr", "hexr", "iexr", "htr", "btr", "itr", "maxad", "minpca",
          "bias", "nc", "vo", "ef", "ofmt", "d");
  private static final Set<String> ALONE =
      Set.of("oute", "const", "fconst", "caos", "optimcb", "optimfh", "verbose", "rl", "auta", "deml", "dqrw", "dpr",
          "oout", "full", "noHeuristics", "noKbRewrite", "noKbExistsDetection", "noSkyline", "ostd", "optimai", "mlg",
          "datalog");
  private static final String HEADER =
      "Rule\tHead Coverage\tStd Confidence\tPCA Confidence\tPositive Examples\tBody size\tPCA Body size\t"
          + "Functional variable";

  private record Pair(String first, String second) {}

  private record Atom(String subject, String relation, String object) {
    boolean has(String variable) {
      return subject.equals(variable) || object.equals(variable);
    }
  }

  private record Counted(int support, int bodySize, int pcaBodySize) {
    double std() {
      return (double) support / bodySize;
    }

    double pca() {
      return (double) support / pcaBodySize;
    }
  }

  private final Map<String, String> options = new HashMap<>();
  private final Map<String, Set<Pair>> facts = new TreeMap<>();
  private final List<String> printed = new ArrayList<>();

  public static void main(String[] arguments) throws Exception {
    AMIE amie = new AMIE();
    List<String> files = amie.parse(arguments);
    System.err.println("Using the default schema relations");
    System.out.println("Assuming rdf:type as type relation");
    amie.load(Path.of(files.get(0)));
    System.out.println("Using HeadCoverage as pruning metric with minimum threshold " + amie.number("minhc", 0.01));
    System.out.print("Starting the mining phase... Using " + amie.options.getOrDefault("nc", "2") + " threads\n");
    List<String> behavior = behavior();
    switch (behavior.get(0)) {
      case "mine" -> amie.mine();
      case "print" -> amie.printed.addAll(behavior.subList(1, behavior.size()));
      case "fail" -> {
        System.err.println("amie.Problem: the disk is on fire");
        System.exit(7);
      }
      case "memory" -> {
        List<long[]> all = new ArrayList<>();
        while (true) {
          all.add(new long[1 << 20]);
        }
      }
      case "broken" -> {
        Thread other = new Thread(() -> { throw new IllegalStateException("A query cannot be added twice"); });
        other.start();
        other.join();
      }
      case "hang" -> Thread.sleep(600_000);
      default -> throw new IllegalArgumentException(behavior.get(0));
    }
    System.out.println(behavior.get(0).equals("print") ? "" : HEADER);
    amie.printed.forEach(System.out::println);
    if (behavior.get(0).equals("mine")) {
      System.out.println("Mining done in 0.010 s \nTotal time 0.020 s");
      System.out.println(amie.printed.size() + " rules mined.");
    }
    System.exit(0);
  }

  private static List<String> behavior() throws IOException {
    try (InputStream file = AMIE.class.getResourceAsStream("/behavior")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private List<String> parse(String[] arguments) {
    List<String> files = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      String word = arguments[i];
      if (!word.startsWith("-")) {
        files.add(word);
      } else if (WITH_VALUE.contains(word.substring(1)) && i + 1 < arguments.length) {
        options.put(word.substring(1), arguments[++i]);
      } else if (ALONE.contains(word.substring(1))) {
        options.put(word.substring(1), "");
      } else {
        System.out.println("Unexpected exception: Unrecognized option: " + word);
        System.exit(1);
      }
    }
    if (options.containsKey("rl")) {
      System.err.println("The argument for option -rl (recursivity limit) must be an integer");
      System.exit(1);
    }
    if (files.isEmpty()) {
      System.err.println("No input file has been provided");
      System.exit(1);
    }
    return files;
  }

  private double number(String option, double otherwise) {
    return Double.parseDouble(options.getOrDefault(option, String.valueOf(otherwise)));
  }

  private void load(Path file) throws IOException {
    int size = 0;
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split("\t");
      if (fields.length == 3
          && facts.computeIfAbsent(fields[1], r -> new HashSet<>()).add(new Pair(fields[0], fields[2]))) {
        size++;
      }
    }
    System.out.println("Loading files... \n  Starting kg.tsv\n  Finished kg.tsv, still running: 0");
    System.out.println("Loaded " + size + " facts in 0 s using 1 MB");
  }

  private void mine() {
    for (String head : facts.keySet()) {
      if (facts.get(head).size() >= number("minis", 100)) {
        mine(new Atom("?a", head, "?b"));
      }
    }
  }

  /** All rules of a head: those of two atoms first, because the skyline compares with them. */
  private void mine(Atom head) {
    double least = Math.ceil(number("minhc", 0.01) * facts.get(head.relation).size());
    List<Atom> direct = new ArrayList<>();
    List<Atom> left = new ArrayList<>();
    List<Atom> right = new ArrayList<>();
    for (String relation : facts.keySet()) {
      direct.addAll(List.of(new Atom("?a", relation, "?b"), new Atom("?b", relation, "?a")));
      left.addAll(List.of(new Atom("?a", relation, "?f"), new Atom("?f", relation, "?a")));
      right.addAll(List.of(new Atom("?b", relation, "?f"), new Atom("?f", relation, "?b")));
    }
    direct.remove(head);
    Map<Atom, Counted> short_ = new HashMap<>();
    for (Atom atom : direct) {
      Counted counted = count(head, List.of(atom));
      if (counted.support >= Math.max(1, least)) {
        short_.put(atom, counted);
        print(head, List.of(atom), counted, true);
      }
    }
    if (number("maxad", 3) < 3) {
      return;
    }
    for (Atom one : left) {
      for (Atom other : right) {
        print(head, List.of(one, other), count(head, List.of(one, other)), true);
      }
    }
    for (int i = 0; i < direct.size(); i++) {
      for (Atom other : direct.subList(i + 1, direct.size())) {
        List<Atom> body = List.of(direct.get(i), other);
        Counted counted = count(head, body);
        boolean dominated = false;
        boolean made = false;
        for (Atom atom : body) {
          Counted parent = short_.get(atom);
          boolean output = parent != null && passes(parent);
          boolean better = parent != null && parent.pca() < counted.pca();
          made |= better && parent.pca() < 1;
          dominated |= output && !better;
        }
        print(head, body, counted, made && !dominated);
      }
    }
  }

  private boolean passes(Counted counted) {
    return counted.std() >= number("minc", 0.1) && counted.pca() >= number("minpca", 0.1);
  }

  private Set<String> ends(String relation, boolean subjects) {
    Set<String> found = new HashSet<>();
    facts.get(relation).forEach(pair -> found.add(subjects ? pair.first : pair.second));
    return found;
  }

  private Counted count(Atom head, List<Atom> body) {
    Set<Pair> heads = facts.get(head.relation);
    Set<String> subjects = ends(head.relation, true);
    Set<String> objects = ends(head.relation, false);
    boolean onSubject = subjects.size() >= objects.size();
    Set<Pair> pairs = pairs(body);
    int support = 0;
    int pca = 0;
    for (Pair pair : pairs) {
      support += heads.contains(pair) ? 1 : 0;
      pca += (onSubject ? subjects.contains(pair.first) : objects.contains(pair.second)) ? 1 : 0;
    }
    return new Counted(support, pairs.size(), pca);
  }

  /** The pairs (?a, ?b) for which a body of one or two atoms holds. */
  private Set<Pair> pairs(List<Atom> body) {
    Set<Pair> found = oriented(body.get(0), "?a", body.get(0).has("?f") ? "?f" : "?b");
    if (body.size() == 1) {
      return found;
    }
    if (!body.get(1).has("?f")) {
      Set<Pair> both = new HashSet<>(found);
      both.retainAll(oriented(body.get(1), "?a", "?b"));
      return both;
    }
    Map<String, List<String>> after = new HashMap<>();
    for (Pair pair : oriented(body.get(1), "?f", "?b")) {
      after.computeIfAbsent(pair.first, f -> new ArrayList<>()).add(pair.second);
    }
    Set<Pair> joined = new HashSet<>();
    for (Pair pair : found) {
      for (String end : after.getOrDefault(pair.second, List.of())) {
        joined.add(new Pair(pair.first, end));
      }
    }
    return joined;
  }

  private Set<Pair> oriented(Atom atom, String from, String to) {
    if (atom.subject.equals(from) && atom.object.equals(to)) {
      return facts.get(atom.relation);
    }
    Set<Pair> turned = new HashSet<>();
    facts.get(atom.relation).forEach(pair -> turned.add(new Pair(pair.second, pair.first)));
    return turned;
  }

  private void print(Atom head, List<Atom> body, Counted counted, boolean kept) {
    int size = facts.get(head.relation).size();
    if (!kept || counted.support < Math.max(1, Math.ceil(number("minhc", 0.01) * size)) || !passes(counted)) {
      return;
    }
    StringBuilder text = new StringBuilder();
    for (Atom atom : body) {
      text.append(atom.subject + "  " + atom.relation + "  " + atom.object + "  ");
    }
    text.append(" => " + head.subject + "  " + head.relation + "  " + head.object);
    DecimalFormat nine = new DecimalFormat("#.#########");
    for (double share : new double[] {(double) counted.support / size, counted.std(), counted.pca()}) {
      text.append("\t" + nine.format(share));
    }
    text.append("\t" + counted.support + "\t" + counted.bodySize + "\t" + counted.pcaBodySize);
    printed.add(text + "\t" + (ends(head.relation, true).size() >= ends(head.relation, false).size() ? "?a" : "?b"));
  }
}
