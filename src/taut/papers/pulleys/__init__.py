"""The thesis on pulleys: involute joints, closed loops, and inverse dynamics by quadratic programs."""
