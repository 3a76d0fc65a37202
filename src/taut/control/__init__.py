"""Linear models of plants, continuous and sampled: poles, norms, responses, regulators, estimators, reduction.

Names are loaded when they are first used; importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "Actuation",
    "Compensator",
    "Decision",
    "Estimator",
    "FeedForward",
    "FreeAccelerations",
    "InverseDynamics",
    "LeastInputs",
    "LinearLaw",
    "LinearModel",
    "LoopCovariance",
    "NearRigidControl",
    "Norm",
    "Prediction",
    "PredictiveControl",
    "Reduction",
    "Regulator",
    "Relaxed",
    "Response",
    "SampledModel",
    "Slackening",
    "Tracking",
    "actuation",
    "bounded_inverse_dynamics",
    "closed_loop",
    "computed_torque",
    "controllability_gramian",
    "doublet_response",
    "feed_forward",
    "frequency_response",
    "h2_norm",
    "harmonic_response",
    "hinf_norm",
    "impulse_response",
    "inverse_dynamics",
    "kalman",
    "least_inputs",
    "linearise",
    "loop_covariance",
    "lqg",
    "lqr",
    "near_rigid_control",
    "near_rigid_inputs",
    "observability_gramian",
    "pd",
    "pd_tracking",
    "predictive_control",
    "reduced",
    "sampled",
    "step_response",
]

_HOMES = {
    "taut.control.compensator": ("Compensator", "pd"),
    "taut.control.estimator": ("Estimator", "kalman", "lqg"),
    "taut.structure.controllers": ("LinearLaw",),
    "taut.control.bounded_motion_forces": ("bounded_inverse_dynamics",),
    "taut.control.input_counts": ("Actuation", "actuation"),
    "taut.control.over_actuation": ("FreeAccelerations", "LeastInputs", "Relaxed", "least_inputs", "near_rigid_inputs"),
    "taut.control.motion_forces": ("InverseDynamics", "inverse_dynamics"),
    "taut.control.tracking": ("Tracking", "computed_torque", "pd_tracking"),
    "taut.control.linear_model": ("LinearModel",),
    "taut.control.linearising": ("linearise",),
    "taut.control.loops": ("LoopCovariance", "closed_loop", "loop_covariance"),
    "taut.control.near_rigid": ("Decision", "NearRigidControl", "Slackening", "near_rigid_control"),
    "taut.control.norms": ("Norm", "controllability_gramian", "h2_norm", "hinf_norm", "observability_gramian"),
    "taut.control.path_following": ("FeedForward", "feed_forward"),
    "taut.control.predictive": ("Prediction", "PredictiveControl", "predictive_control"),
    "taut.control.reduction": ("Reduction", "reduced"),
    "taut.control.responses": (
        "Response",
        "doublet_response",
        "frequency_response",
        "harmonic_response",
        "impulse_response",
        "step_response",
    ),
    "taut.control.regulator": ("Regulator", "lqr"),
    "taut.control.sampled_model": ("SampledModel",),
    "taut.control.sampling": ("sampled",),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.control.bounded_motion_forces import bounded_inverse_dynamics
    from taut.control.compensator import Compensator, pd
    from taut.control.estimator import Estimator, kalman, lqg
    from taut.control.input_counts import Actuation, actuation
    from taut.control.linear_model import LinearModel
    from taut.control.linearising import linearise
    from taut.control.loops import LoopCovariance, closed_loop, loop_covariance
    from taut.control.motion_forces import InverseDynamics, inverse_dynamics
    from taut.control.near_rigid import Decision, NearRigidControl, Slackening, near_rigid_control
    from taut.control.norms import Norm, controllability_gramian, h2_norm, hinf_norm, observability_gramian
    from taut.control.over_actuation import FreeAccelerations, LeastInputs, Relaxed, least_inputs, near_rigid_inputs
    from taut.control.path_following import FeedForward, feed_forward
    from taut.control.predictive import Prediction, PredictiveControl, predictive_control
    from taut.control.reduction import Reduction, reduced
    from taut.control.regulator import Regulator, lqr
    from taut.control.responses import (
        Response,
        doublet_response,
        frequency_response,
        harmonic_response,
        impulse_response,
        step_response,
    )
    from taut.control.sampled_model import SampledModel
    from taut.control.sampling import sampled
    from taut.control.tracking import Tracking, computed_torque, pd_tracking
    from taut.structure.controllers import LinearLaw
