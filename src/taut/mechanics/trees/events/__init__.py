"""What happens at an instant in a run of a tree: cables that go slack and taut, what is watched."""
