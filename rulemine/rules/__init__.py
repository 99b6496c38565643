"""Horn rules: notation, types, bodies, groundings and proofs."""
