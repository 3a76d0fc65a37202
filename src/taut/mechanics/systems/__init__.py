"""The linear system behind accelerations and corrections, [W G^T; G 0]: explicit, factored or by iteration."""
