"""How relations are phrased: verbalization templates and relation descriptions."""
