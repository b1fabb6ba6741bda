#!/usr/bin/env python3
"""Times PyTorch eager on KernelBlaster's level-1 problems: their own drivers, built with libtorch.

    pytorch_drivers.py LEVEL1_DIR OUTPUT.tsv [--only REGEX] [--jobs N]
    pytorch_drivers.py LEVEL1_DIR OUTPUT_DIR --record libwarpmind_record.so [--only REGEX] [--jobs N]

Needs PyTorch with headers, g++, a GPU. The driver's statement that makes the reference is run again
and again: 5 times to warm up, then 20 times between two events, each time after 512 MiB were written,
so that inputs are not in the cache. What counts is the median in microseconds; gaps between kernels of
one operation are part of it, the launch from the host is not, since the device is still busy writing.
Where the reference takes several statements only the last one is timed (column "part"), which
flatters PyTorch. OUTPUT has a line a problem: name, microseconds, lowest, highest, part. The last line
printed is RESULT problems= timed= failed=.

With --record the drivers run as they are, with their init.cu, below the recorder of launches: the sizes
are those of the problem, and each tensor is an allocation of its own. OUTPUT_DIR then holds NAME.cu and
NAME.record, as builtin_speed --records takes them.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import statistics
import subprocess
import sys
import sysconfig
import tempfile

TIMER = r'''
#include <torch/torch.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
template <class Run> void wm_time(Run run) {
  torch::NoGradGuard no_grad;
  auto flush = torch::empty({std::int64_t{512} << 20}, torch::dtype(torch::kUInt8).device(torch::kCUDA));
  for (int i = 0; i < 5; ++i) run();
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  for (int i = 0; i < 20; ++i) {
    flush.fill_(i);
    cudaEventRecord(start);
    run();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    std::printf("WM_TIME %.4f\n", ms * 1000);
  }
  std::fflush(stdout);
  std::_Exit(cudaGetLastError() == cudaSuccess ? 0 : 1);
}
'''
STATEMENT = re.compile(
    r'^[ \t]*(?:(?:const\s+)?(?:auto|torch::Tensor|at::Tensor)&?\s+)?'
    r'(\w*(?:ref|expected|loss)\w*)\s*=\s*([^;=][^;]*);', re.M | re.I)
INPUTS = re.compile(r'\brand|\bclone\(|shared_ptr|::\w+Loss\(|Options\(\)\.\w+\(\w+\)\);$')


def timed_driver(text):
    """The driver with its reference timed, and whether it is only a part; None when there is none."""
    start = text.index('int main')
    end = text.find('launch_gpu_implementation', start)
    found = [m for m in STATEMENT.finditer(text, start, end if end > 0 else len(text))
             if not INPUTS.search(m.group(2))]
    if not found:
        return None
    last = found[-1]
    called = re.findall(r'\b([a-z]\w*)\b', last.group(2))
    before = text[start:last.start()]
    part = any(re.search(r'\b%s\s*=\s*(?!torch::(?:rand|nn|empty))(?:torch|at)::\w+\(' % re.escape(name), before)
               and not re.search(r'\b%s\s*=\s*torch::(rand|arange|full|ones|zeros|tri|softmax\(torch)' % re.escape(name), before)
               for name in called)
    run = '\n  wm_time([&] { auto wm_kept = %s; (void)wm_kept; });\n' % last.group(2)
    return text[:last.end()] + run + text[last.end():], part


def record(chosen, name, program):
    """Runs the driver below the recorder. Without torch's own allocator every tensor is an allocation."""
    chosen.output.mkdir(parents=True, exist_ok=True)
    (chosen.output / (name + '.cu')).write_text((chosen.level1 / name / 'init.cu').read_text())
    file = chosen.output / (name + '.record')
    environment = dict(os.environ, LD_PRELOAD=str(chosen.record.resolve()), CUDARECORD_FILE=str(file),
                       PYTORCH_NO_CUDA_MEMORY_CACHING='1')
    try:
        ran = subprocess.run([str(program)], capture_output=True, text=True, env=environment, timeout=60)
        if ran.returncode != 0:
            print('%s: the driver ended with %d: %s' % (name, ran.returncode, ran.stderr[:300]), file=sys.stderr)
    except subprocess.TimeoutExpired:
        pass  # launches are on record all the same
    return file.exists() and '"launch"' in file.read_text()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('level1', type=pathlib.Path)
    options.add_argument('output', type=pathlib.Path)
    options.add_argument('--only', default='')
    options.add_argument('--record', type=pathlib.Path)
    options.add_argument('--jobs', type=int, default=os.cpu_count() or 2)
    chosen = options.parse_args()
    import torch
    from torch.utils import cpp_extension
    scratch = pathlib.Path(tempfile.mkdtemp(prefix='pytorch_drivers.'))
    includes = [flag for path in cpp_extension.include_paths('cuda') + [sysconfig.get_paths()['include']]
                for flag in ('-isystem', path)]
    folder = pathlib.Path(torch.__file__).parent / 'lib'
    flags = ['-std=c++17', '-O1', '-w', '-D_GLIBCXX_USE_CXX11_ABI=%d' % torch.compiled_with_cxx11_abi()]
    header = scratch / 'timer.h'
    header.write_text(TIMER)
    (scratch / 'cuda_model.cuh').write_text('')
    subprocess.run(['g++', *flags, *includes, '-x', 'c++-header', str(header), '-o', str(header) + '.gch'], check=True)
    cuda = cpp_extension.CUDA_HOME or '/usr/local/cuda'

    libraries = ['-L', str(folder), '-L', cuda + '/lib64', '-Wl,--no-as-needed', '-ltorch', '-ltorch_cpu', '-ltorch_cuda',
                 '-lc10', '-lc10_cuda', '-lcudart', '-Wl,-rpath,' + str(folder)]

    def run(words):
        ran = subprocess.run(words, capture_output=True, text=True)
        error = next((line for line in ran.stderr.splitlines() if 'error' in line), ran.stderr[-200:])
        return ran.returncode == 0, error

    def build(problem):
        """The program that times the reference; or, to be recorded, the driver as it is."""
        text = (problem / 'driver.cpp').read_text()
        made = (text, False) if chosen.record else timed_driver(text)
        if made is None:
            return problem.name, None, False, 'no statement makes a reference'
        source = scratch / (problem.name + '.cpp')
        source.write_text('#include "timer.h"\n' + made[0])
        program = scratch / problem.name
        words = ['g++', *flags, '-I', str(scratch), *includes, str(source), '-o', str(program)]
        if chosen.record:
            kernel = scratch / (problem.name + '.o')
            built, error = run([cuda + '/bin/nvcc', '-std=c++17', '-O3', '-w', '-include', 'cstdio', '-arch=native', '-cudart', 'shared', '-I',
                                str(scratch), '-c', str(problem / 'init.cu'), '-o', str(kernel)])
            if not built:
                return problem.name, None, False, error
            words.append(str(kernel))
        else:
            libraries_only_here = ['-Wl,--unresolved-symbols=ignore-all', '-Wl,-z,lazy']  # the launcher is not called
            words += libraries_only_here
        built, error = run(words + libraries)
        return problem.name, program if built else None, made[1], error

    problems = [p for p in sorted(chosen.level1.iterdir()) if re.search(chosen.only, p.name)]
    failed = 0
    lines = []
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        for name, program, part, error in pool.map(build, problems):
            times = []
            if program is not None and chosen.record:
                if record(chosen, name, program):
                    lines.append(name)
                else:
                    failed += 1
                    print('%s: not recorded' % name, file=sys.stderr)
                continue
            if program is not None:
                try:
                    ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
                    times = [float(t) for t in re.findall(r'WM_TIME ([0-9.]+)', ran.stdout)]
                    error = ran.stderr.strip()[-200:]
                except subprocess.TimeoutExpired:
                    error = 'took longer than 60 s'
            if not times:
                failed += 1
                print('%s: not timed: %s' % (name, error), file=sys.stderr)
                continue
            lines.append('%s\t%.3f\t%.3f\t%.3f\t%d' % (name, statistics.median(times), min(times), max(times), part))
            chosen.output.write_text('\n'.join(lines) + '\n')
    print('RESULT problems=%d timed=%d failed=%d' % (len(problems), len(lines), failed))


main()
