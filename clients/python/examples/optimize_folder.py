"""Optimises a task folder and writes the best kernel: optimize_folder.py FOLDER OUTPUT.cu"""

import sys

import warpmind

folder, output = sys.argv[1:]
with warpmind.connect() as client:
    job = client.submit(folder, evaluations=1)
    result = client.wait(job.job_id, on_progress=lambda p: print(p.line, file=sys.stderr))
    with open(output, "w", encoding="utf-8") as file:
        file.write(result.best_kernel)
    gain = f"{result.speedup:.2f} times faster" if result.speedup else "nothing better found"
    print(f"{result.outcome}: {gain} (provider {result.provider})")
    for step in result.steps[1:]:
        print(f"  step {step.index}: {step.technique} {step.parameters}: {step.outcome}")
