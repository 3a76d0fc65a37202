"""Speed and accuracy against peers, measured side by side in one process. `python -m benchmarks` prints the tables."""
