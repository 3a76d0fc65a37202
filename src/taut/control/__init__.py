"""Linear models of plants: poles, norms, responses, regulators."""
