"""Questions in time: steppers, corrections, the time loop, trajectories."""
