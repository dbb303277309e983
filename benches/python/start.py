"""Starts an interpreter for a line of code: start.py CODE"""

import subprocess
import sys
import time

# As benches/c/rounds.h says.
for line in sys.stdin:
    began = time.perf_counter_ns()
    for _ in range(int(line)):
        subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
    print(time.perf_counter_ns() - began, 0, 0, flush=True)
