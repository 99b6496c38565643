package org.rulemine.amie.rule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BodiesTest {
  @Test
  void anAtomKeepsItsParts() {
    int atom = Atoms.of(Atoms.RELATIONS - 1, 6, 1);
    assertEquals(Atoms.RELATIONS - 1, Atoms.relation(atom));
    assertEquals(6, Atoms.subject(atom));
    assertEquals(1, Atoms.object(atom));
    assertTrue(atom > Atoms.of(3, 7, 7), "atoms order by relation first");
    assertEquals(Atoms.of(5, 2, 0), Atoms.along(11, 0, 2));
    assertEquals(11, Atoms.code(Atoms.of(5, 2, 0), 0));
    assertEquals(10, Atoms.code(Atoms.of(5, 2, 0), 2));
  }

  @Test
  void theCanonicalFormForgetsNamesAndOrder() {
    Random random = new Random(5);
    for (int round = 0; round < 2000; round++) {
      int length = 1 + random.nextInt(5);
      int variables = 2 + random.nextInt(4);
      int[] body = new int[length];
      for (int i = 0; i < length; i++) {
        int s = random.nextInt(variables);
        int o = (s + 1 + random.nextInt(variables - 1)) % variables;
        body[i] = Atoms.of(random.nextInt(3), s, o);
      }
      int[] names = {0, 1, 2, 3, 4, 5, 6, 7};
      for (int i = 7; i > 2; i--) {
        int j = 2 + random.nextInt(i - 1);
        int swap = names[i];
        names[i] = names[j];
        names[j] = swap;
      }
      int[] other = new int[length];
      int shift = random.nextInt(length);
      for (int i = 0; i < length; i++) {
        int atom = body[(i + shift) % length];
        other[i] =
            Atoms.of(Atoms.relation(atom), names[Atoms.subject(atom)], names[Atoms.object(atom)]);
      }
      Bodies.canonicalize(body, length);
      Bodies.canonicalize(other, length);
      assertArrayEquals(body, other);
      int[] again = body.clone();
      Bodies.canonicalize(again, length);
      assertArrayEquals(body, again);
      int used = Bodies.variables(body, 0, length) >> 2;
      assertEquals(0, used & used + 1, "body variables are numbered without gaps");
    }
  }

  @Test
  void headVariablesStay() {
    int[] body = {Atoms.of(0, 1, 0), Atoms.of(0, 0, 1)};
    Bodies.canonicalize(body, 2);
    assertArrayEquals(new int[] {Atoms.of(0, 0, 1), Atoms.of(0, 1, 0)}, body);
  }

  @Test
  void aVariableIsOpenWhenItStandsInOneAtom() {
    int[] path = {Atoms.of(0, 0, 2), Atoms.of(1, 2, 1)};
    assertEquals(0b11, Bodies.openVariables(path, 0, 0));
    assertEquals(0b110, Bodies.openVariables(path, 0, 1));
    assertEquals(0, Bodies.openVariables(path, 0, 2));
  }

  @Test
  void everyRelationTwiceNeedsFourAtomsOrMore() {
    int[] body = {Atoms.of(1, 0, 2), Atoms.of(2, 2, 1), Atoms.of(2, 1, 2)};
    assertTrue(Bodies.everyRelationTwice(1, body, 0, 3));
    assertFalse(Bodies.everyRelationTwice(2, body, 0, 3));
    assertFalse(Bodies.everyRelationTwice(1, body, 0, 1));
    assertFalse(Bodies.everyRelationTwice(0, body, 0, 3));
  }

  @Test
  void aMapNumbersBodiesAsTheyCome() {
    RuleMap map = new RuleMap(2);
    Random random = new Random(1);
    int[][] bodies = new int[3000][];
    for (int i = 0; i < bodies.length; i++) {
      bodies[i] = new int[] {i, random.nextInt()};
      assertEquals(-1, map.find(bodies[i], 0));
      assertEquals(i, map.add(bodies[i], 0));
    }
    for (int i = 0; i < bodies.length; i++) {
      assertEquals(i, map.find(bodies[i], 0));
      assertEquals(i, map.add(bodies[i], 0));
      assertArrayEquals(bodies[i], Arrays.copyOfRange(map.atoms(), 2 * i, 2 * i + 2));
    }
    assertEquals(bodies.length, map.size());
  }
}
