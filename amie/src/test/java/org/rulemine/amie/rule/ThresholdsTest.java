package org.rulemine.amie.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class ThresholdsTest {
  @Test
  void theSupportIsTheCeilingAndAtLeastOne() {
    assertEquals(1, new Thresholds(3, 0, 0, 0, 1).support(1000));
    assertEquals(10, new Thresholds(3, 0.1, 0, 0, 1).support(100));
    assertEquals(11, new Thresholds(3, 0.1, 0, 0, 1).support(101));
    assertEquals(7, new Thresholds(3, 1, 0, 0, 1).support(7));
  }

  @Test
  void theLargestSizeIsTheLastThatPasses() {
    Random random = new Random(3);
    for (int i = 0; i < 20000; i++) {
      int support = 1 + random.nextInt(5000);
      double confidence = i % 2 == 0 ? random.nextDouble() : (1 + random.nextInt(10)) / 10.0;
      long size = Thresholds.largestSize(support, confidence);
      assertTrue((double) support / size >= confidence);
      assertFalse((double) support / (size + 1) >= confidence);
      long above = Thresholds.largestSizeAbove(support, confidence);
      assertTrue(above == 0 || (double) support / above > confidence);
      assertFalse((double) support / (above + 1) > confidence);
    }
  }

  @Test
  void aConfidenceOfZeroBoundsNothing() {
    assertEquals(Long.MAX_VALUE, Thresholds.largestSize(3, 0));
    assertEquals(Long.MAX_VALUE, Thresholds.largestSizeAbove(3, 0));
    assertEquals(Long.MAX_VALUE, Thresholds.largestSizeAbove(3, -1));
    assertEquals(3, Thresholds.largestSize(3, 1));
    assertEquals(2, Thresholds.largestSizeAbove(3, 1));
  }
}
