"""A. Yeshmukhametov, K. Koganezawa: kinematics and kinetics of prismatic tensegrity robots, Robotics 12 (2023) 56."""
