"""From the entries in LLVM's language to an object file of WebAssembly, by llvmlite alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import llvmlite.binding as llvm

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals"

TYPES = {"int32": "i32", "float64": "double"}
RESULTS = {"int": "i64", "float": "double", "": "i64"}

ROOT = "@llvm.sqrt.f64"
"""An instruction there; rounded as everywhere."""

UNUSABLE = """
define internal double @{name}(double %x) {{
  ret double 0x7FF8000000000000
}}
"""
"""In the place of a library's sine and cosine, which kernels call for more than a million radians: not a number, so
that the motion stops there."""


def neutral(text: str, layout: str) -> str:
    """The same text for another machine: numba's has this one's layout and features."""
    text = re.sub(r"^target datalayout = .*$", f'target datalayout = "{layout}"', text, flags=re.MULTILINE)
    text = re.sub(r"^target triple = .*$", f'target triple = "{TRIPLE}"', text, flags=re.MULTILINE)
    return re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)


def wrapper(name: str, called: str, returns: str, more: list[str]) -> str:
    """An entry as a page calls it: numba's own returns whether it failed, and the result by a pointer.

    Kernels raise nothing, so that there is nothing to be told of failures."""
    kinds = [*["ptr", "i32", "ptr", "i32"] * 2, *(TYPES[one] for one in more)]
    given = ", ".join(f"{kind} %a{k}" for k, kind in enumerate(kinds))
    inner = RESULTS[returns]
    outer = {"int": "i32", "float": "double", "": "void"}[returns]
    last = {
        "int": "  %v = load i64, ptr %r\n  %w = trunc i64 %v to i32\n  ret i32 %w\n",
        "float": "  %v = load double, ptr %r\n  ret double %v\n",
        "": "  ret void\n",
    }[returns]
    return (
        f'declare i32 @"{called}"(ptr, ptr, {", ".join(kinds)})\n'
        f"define {outer} @{name}({given}) {{\n  %r = alloca {inner}\n  %e = alloca ptr\n"
        f'  %s = call i32 @"{called}"(ptr %r, ptr %e, {given})\n{last}}}\n'
    )


def linked(entries: Mapping[str, Mapping[str, Any]], texts: Mapping[str, str], layout: str) -> Any:
    """All entries with what they call, once, as one module in which only they can be seen."""
    head = f'target datalayout = "{layout}"\ntarget triple = "{TRIPLE}"\n'
    whole = llvm.parse_assembly(head + "".join(wrapper(name, **told) for name, told in entries.items()))
    for name, told in entries.items():
        one = llvm.parse_assembly(neutral(texts[name], layout))
        for function in one.functions:
            if not function.is_declaration and function.name != told["called"]:
                function.linkage = "linkonce_odr"
        whole.link_in(one)
    text = str(whole)
    for name in ("sin", "cos"):
        if f"@llvm.{name}.f64(" in text:
            text = re.sub(rf"^declare double @llvm\.{name}\.f64\([^\n]*$", "", text, flags=re.MULTILINE)
            text = text.replace(f"@llvm.{name}.f64(", f"@{name}(")
        text = re.sub(rf"^declare double @{name}\(double[^\n]*$", "", text, flags=re.MULTILINE)
        text += UNUSABLE.format(name=name) if f"@{name}(" in text else ""
    text = re.sub(r"^declare double @sqrt\(double[^\n]*$", "", text, flags=re.MULTILINE).replace("@sqrt(", f"{ROOT}(")
    text += "" if f"declare double {ROOT}(" in text else f"\ndeclare double {ROOT}(double)\n"
    text = re.sub(r"= common (\w+ )?global", "= internal global", text)
    whole = llvm.parse_assembly(text)
    for one in (*whole.functions, *whole.global_variables):
        if not one.is_declaration and one.name not in entries:
            one.linkage = "internal"
    return whole


def object_file(entries: Mapping[str, Mapping[str, Any]], texts: Mapping[str, str]) -> bytes:
    """Optimised for this target; raises where something would have to be imported."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES, reloc="static")
    whole = linked(entries, texts, str(machine.target_data))
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, tuning)
    _without_dead_code(whole, builder)
    builder.getModulePassManager().run(whole, builder)
    _without_dead_code(whole, builder)
    whole.verify()
    missing = sorted(f.name for f in whole.functions if f.is_declaration and not f.name.startswith("llvm."))
    if missing:
        raise ValueError(f"kernels call what no module has: {', '.join(missing)}")
    made: bytes = machine.emit_object(whole)
    return made


def _without_dead_code(whole: Any, builder: Any) -> None:
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(whole, builder)
