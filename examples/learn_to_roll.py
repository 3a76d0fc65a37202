"""Learn to roll: an evolution strategy (cma) over a small policy with a clock, and the face below it, as what it sees.

Needs the extra "learn": pip install "taut[learn]".
"""

import time

import numpy as np

from taut.learning import Randomisation, RobotVectorEnv, Task

COPIES = 4
"""Trials of one policy in a generation, each with a start, a friction and masses of its own."""


def task(duration: float = 5.0) -> Task:
    """As far along x as it gets."""
    return Task(
        observations=("clock", "face"),
        rewards={"forward": 1.0},
        randomisation=Randomisation(friction=(0.4, 0.8), tilt=0.02, phase=0.1),
        duration=duration,
        speed=1.5,
    )


def shares(policies: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Actions of N copies: tanh of a matrix of each, times what it sees."""
    weights = policies.reshape(len(policies), 6, -1)
    return np.tanh(np.einsum("kij,kj->ki", weights, seen))


def returns(env: RobotVectorEnv, policies: np.ndarray, seed: int) -> np.ndarray:
    """(N,) what each copy got in one trial, with a policy of its own."""
    seen, _ = env.reset(seed=seed)
    total = np.zeros(env.num_envs)
    for _ in range(env.task.steps):
        seen, rewards, *_ = env.step(shares(policies, seen))
        total += rewards
    return total


def tested(env: RobotVectorEnv, policy: np.ndarray, seed: int) -> tuple[float, float]:
    """Mean displacement along x [m] of one policy over fresh seeds, and its standard error."""
    found = returns(env, np.tile(policy, (env.num_envs, 1)), seed)
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(found.size))


def main(generations: int = 30, population: int = 12, seed: int = 1, duration: float = 5.0) -> dict[str, float]:
    """Learn, and print displacements before and after."""
    import cma

    begun, worked = time.perf_counter(), time.process_time()
    env = RobotVectorEnv(task(duration), population * COPIES)
    size = 6 * env.single_observation_space.shape[0]
    first = 0.5 * np.random.default_rng(seed).normal(size=size)
    options = {"popsize": population, "seed": seed, "verbose": -9, "CMA_diagonal": True}
    search = cma.CMAEvolutionStrategy(first, 0.3, options)
    for generation in range(generations):
        asked = np.array(search.ask())
        got = returns(env, np.repeat(asked, COPIES, axis=0), 1000 * (generation + 1))
        scores = got.reshape(population, COPIES).mean(axis=1)
        search.tell(list(asked), list(-scores))
        if generation % 5 == 4:
            print(f"generation {generation + 1}: mean {scores.mean():.2f} m, best {scores.max():.2f} m", flush=True)
    fresh = 10**6 + seed
    (before, error_before), (after, error_after) = (
        tested(env, policy, fresh) for policy in (first, np.asarray(search.result.xfavorite))
    )
    print(f"before: {before:.2f} +- {error_before:.2f} m along x in {duration:g} s, {env.num_envs} fresh seeds")
    print(f"after:  {after:.2f} +- {error_after:.2f} m")
    took, used = time.perf_counter() - begun, time.process_time() - worked
    steps = (generations + 2) * env.num_envs * env.task.steps
    print(f"{steps} steps of the robot in {took:.0f} s, {used:.0f} s of CPU")
    return {"before": before, "after": after, "error_before": error_before, "error_after": error_after}


if __name__ == "__main__":
    main()
