#!/usr/bin/env python3
"""Judges KernelBlaster's level-1 kernels by a stricter rule than their own drivers'.

    strict_drivers.py LEVEL1_DIR WORK_DIR [--torch DIR] [--only REGEX] [--jobs N] [--seconds S]
    strict_drivers.py --header-only WORK_DIR [--torch DIR]

Each driver is compiled with its launcher, torch::allclose and manual_seed replaced by those of strict/,
which follow every operation of libtorch in float64. For three seeds: the output is poisoned before the
launch; the reference is the driver's own statements in float64, on inputs rounded as the kernel gets
them; each tile of 4096 elements may be off by at most four times what PyTorch eager is off. Inputs must
stay as they are. As controls the driver's own rule is asked about zeros, about the mean of what is
right, and about what is right for another seed: a rule that takes one of them says nothing.

WORK_DIR keeps the compiled header (header/precompiled_torch.h.gch, which `warpmind task import
--precompiled WORK_DIR/header` takes), the programs and strict.json. A second call goes on where the
first ended; with --seconds a call ends by itself. Exit code 0: all judged; 75: call again; 2: bad input.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
HEADER = 'include/torch/csrc/api/include/torch/torch.h'
SEEDS = ['1', '2', '3']
BUILD_SECONDS = 300
RUN_SECONDS = 180


def fail(sentence):
    print('strict_drivers.py: ' + sentence, file=sys.stderr)
    sys.exit(2)


def find_torch(given):
    """The folder with include/ and lib/: an unpacked libtorch, or a Python's package."""
    if given is None:
        import importlib.util
        found = importlib.util.find_spec('torch')
        if found is None:
            fail('this python3 has no torch; name libtorch or a site-packages folder with --torch')
        return pathlib.Path(found.origin).parent
    roots = [given, given / 'torch', *sorted(given.glob('lib/python3*/site-packages/torch'))]
    for root in roots:
        if (root / HEADER).is_file():
            return root.resolve()
    fail('%s is no libtorch: it has no %s' % (given, HEADER))


class Toolchain:
    """Flags as `warpmind task import` writes them, so that one compiled header fits both."""

    def __init__(self, torch, header):
        self.torch = torch
        nvcc = shutil.which('nvcc')
        self.cuda = pathlib.Path(os.environ.get('CUDA_HOME') or (pathlib.Path(nvcc).resolve().parent.parent if nvcc else '/usr/local/cuda'))
        self.with_cuda = (torch / 'lib/libtorch_cuda.so').exists()
        text = (torch / 'include/torch/csrc/api/include/torch/all.h').read_text()
        standard = 'c++20' if 'C++20 or later' in text else 'c++17'
        cmake = torch / 'share/cmake/Torch/TorchConfig.cmake'
        abi = re.search(r'_GLIBCXX_USE_CXX11_ABI=([01])', cmake.read_text() if cmake.exists() else '')
        self.flags = ['-O0', '-w', '-std=' + standard] + (['-D' + abi.group(0)] if abi else [])
        self.flags += ['-isystem', str(torch / 'include'), '-isystem',
                       str(torch / 'include/torch/csrc/api/include'), '-isystem', str(self.cuda / 'include')]
        self.header = header
        self.extra = os.environ.get('STRICT_EXTRA_FLAGS', '').split()
        self.host = os.environ.get('CXX', 'g++')

    def compile(self, source, out, *more):
        return [self.host, '-I' + str(self.header), '-include', 'precompiled_torch.h', *self.flags, *self.extra,
                '-I' + str(HERE / 'strict'), *more, '-c', str(source), '-o', str(out)]

    def link(self, objects, out):
        packages = sorted(str(p) for p in (self.torch.parent / 'nvidia').glob('*/lib'))
        runtime = [str(self.cuda / 'lib64')]
        libraries = ['-ltorch', '-ltorch_cpu', '-lc10']
        libraries += ['-ltorch_cuda', '-lc10_cuda', '-lcudart'] if self.with_cuda else []
        lib = str(self.torch / 'lib')
        return [self.host, *map(str, objects), '-o', str(out), '-L' + lib, '-L' + runtime[0], '-Wl,--no-as-needed',
                *libraries, '-lpthread', '-Wl,--allow-shlib-undefined',
                '-Wl,-rpath,' + ':'.join([lib] + packages + runtime),
                '-Wl,-rpath-link,' + ':'.join([lib] + packages + runtime), *self.extra_link()]

    def extra_link(self):
        return os.environ.get('STRICT_EXTRA_LINK', '').split()


def run(words, seconds):
    """Exit code, standard output, and one line about what went wrong."""
    try:
        ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=seconds, errors='replace')
    except subprocess.TimeoutExpired:
        return 124, '', 'took longer than %d s' % seconds
    lines = [line for line in ran.stderr.splitlines() if re.search(r'error|undefined reference|rror:', line)]
    return ran.returncode, ran.stdout, (lines or ran.stderr.strip().splitlines()[-1:] or [''])[0][:300]


def build_header(tools):
    tools.header.mkdir(parents=True, exist_ok=True)
    header = tools.header / 'precompiled_torch.h'
    ready = tools.header / 'precompiled_torch.h.gch'
    if ready.exists():
        return
    header.write_text('#include <torch/torch.h>\n')
    part = tools.header / 'part.gch'
    code, _, error = run([tools.host, *tools.flags, *tools.extra, '-x', 'c++-header', header, '-o', part], BUILD_SECONDS)
    if code != 0:
        fail('the header of libtorch does not compile: ' + error)
    part.rename(ready)


def hooked(text):
    """The driver with what it calls replaced; None when it has not the parts that are looked for."""
    at = text.find('int main')
    if at < 0 or 'launch_gpu_implementation' not in text[at:] or 'allclose' not in text[at:]:
        return None
    body = re.sub(r'\bint\s+main\s*\([^)]*\)', 'int level1_driver_main()', text[at:], count=1)
    body = re.sub(r'\blaunch_gpu_implementation\s*\(', 'level1_strict::launch(launch_gpu_implementation, ', body)
    body = re.sub(r'\b(?:torch|at)::allclose\b', 'level1_strict::allclose', body)
    body = re.sub(r'\b(?:torch|at)::manual_seed\b', 'level1_strict::manual_seed', body)
    return '#include "hooks.h"\n' + text[:at] + body


class Bench:
    def __init__(self, chosen, tools):
        self.chosen = chosen
        self.tools = tools
        self.file = chosen.work / 'strict.json'
        self.results = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.lock = threading.Lock()
        self.device = threading.Semaphore(chosen.runs)
        self.end = time.monotonic() + chosen.seconds

    def build_harness(self):
        def one(part):
            out = self.chosen.work / (part + '.o')
            source = HERE / 'strict' / (part + '.cpp')
            if out.exists() and out.stat().st_mtime > source.stat().st_mtime:
                return
            code, _, error = run(self.tools.compile(source, out), BUILD_SECONDS)
            if code != 0:
                out.unlink(missing_ok=True)
                fail('strict/%s.cpp does not compile: %s' % (part, error))
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(one, ('shadow', 'judge', 'run')))
        if not all((self.chosen.work / (part + '.o')).exists() for part in ('shadow', 'judge', 'run')):
            sys.exit(2)

    def build(self, problem):
        """The program, or why there is none."""
        work = self.chosen.work / problem.name
        program = work / 'strict'
        if program.exists():
            return program, ''
        work.mkdir(parents=True, exist_ok=True)
        text = hooked((problem / 'driver.cpp').read_text())
        if text is None:
            return None, 'its driver has no launcher or no torch::allclose'
        (work / 'cuda_model.cuh').write_text('#pragma once\n')
        (work / 'driver.cpp').write_text(text)
        kernel = ['nvcc', '-O3', '-std=c++17', '-w', '-include', 'cstdio', '-include', 'cstdint', '-arch=' + self.chosen.arch,
                  '-I' + str(work), '-c', problem / 'init.cu', '-o', work / 'init.o']
        if not (problem / 'init.cu').exists():
            kernel = [self.tools.host, '-O1', '-c', problem / 'init.cpp', '-o', work / 'init.o']
        steps = [kernel, self.tools.compile(work / 'driver.cpp', work / 'driver.o', '-I' + str(work)),
                 self.tools.link([work / 'init.o', work / 'driver.o'] + [self.chosen.work / (p + '.o') for p in ('shadow', 'judge', 'run')],
                                 work / 'part')]
        for step in steps:
            code, _, error = run(step, BUILD_SECONDS)
            if code != 0:
                return None, 'does not build: ' + (error or 'exit code %d' % code)
        (work / 'part').rename(program)
        (work / 'driver.o').unlink()
        (work / 'init.o').unlink()
        return program, ''

    def judge(self, problem):
        if problem.name in self.results or time.monotonic() > self.end:
            return
        program, error = self.build(problem)
        result = {'problem': error, 'seeds': []}
        if program is not None:
            with self.device:
                if time.monotonic() > self.end:
                    return
                code, said, error = run([program, *SEEDS], RUN_SECONDS)
            result['seeds'] = [json.loads(line[7:]) for line in said.splitlines() if line.startswith('STRICT {')]
            if code != 0 or len(result['seeds']) < len(SEEDS):
                result['problem'] = 'ended with %d: %s' % (code, error)
        with self.lock:
            self.results[problem.name] = result
            part = self.file.with_suffix('.part')
            part.write_text(json.dumps(self.results, indent=1, sort_keys=True))
            part.rename(self.file)
            print('strict: %s %s' % (problem.name, summary(result)['verdict']), flush=True)


def summary(result):
    """What three seeds say together: verdict, reason, controls."""
    seeds = result['seeds']
    problem = result['problem'] or next((s['problem'] for s in seeds if s['problem']), '')
    driver = len(seeds) == len(SEEDS) and all(s['driver_passes'] for s in seeds)
    controls = [name for name, key in (('zeros', 'takes_zeros'), ('the mean', 'takes_mean'), ('another input\'s answer', 'takes_other_seed'))
                if any(s[key] for s in seeds)]
    reasons = []
    for s in seeds:
        if not s['strict_passes'] and s['reason']:
            extra = '; right in memory as the driver leaves it: it leans on that' if s['right_when_initial'] else ''
            reasons.append('seed %d: %s%s' % (s['seed'], s['reason'], extra))
        if s['inputs_changed']:
            reasons.append('seed %d: it changes its argument %s' % (s['seed'], s['inputs_changed']))
    if problem:
        verdict = 'not judged'
        reasons.insert(0, problem)
    else:
        verdict = 'fails' if reasons else 'passes'
    return {'verdict': verdict, 'driver': driver, 'controls': controls, 'reason': reasons[0] if reasons else '',
            'worst': max((s['worst'] for s in seeds), default=0),
            'strict_takes_zeros': any(s['strict_takes_zeros'] for s in seeds)}


def arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('level1', type=pathlib.Path, nargs='?')
    options.add_argument('work', type=pathlib.Path)
    options.add_argument('--torch', type=pathlib.Path)
    options.add_argument('--only', default='')
    options.add_argument('--jobs', type=int, default=os.cpu_count() or 2)
    options.add_argument('--runs', type=int, default=3, help='programs at a time on the device (3)')
    options.add_argument('--arch', default='sm_90')
    options.add_argument('--seconds', type=float, default=1e9, help='begin nothing new after this time')
    options.add_argument('--header', type=pathlib.Path, help='folder of the compiled header (WORK_DIR/header)')
    options.add_argument('--header-only', action='store_true')
    return options.parse_args()


def main():
    chosen = arguments()
    if not chosen.header_only and (chosen.level1 is None or not chosen.level1.is_dir()):
        fail('name the folder level1 and a work folder')
    chosen.work.mkdir(parents=True, exist_ok=True)
    chosen.work = chosen.work.resolve()
    tools = Toolchain(find_torch(chosen.torch), (chosen.header or chosen.work / 'header').resolve())
    build_header(tools)
    if chosen.header_only:
        return 0
    bench = Bench(chosen, tools)
    bench.build_harness()
    problems = [p for p in sorted(chosen.level1.resolve().iterdir()) if (p / 'driver.cpp').is_file() and re.search(chosen.only, p.name)]
    if not problems:
        fail('%s has no folder with a driver.cpp that matches' % chosen.level1)
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        list(pool.map(bench.judge, problems))
    all_of = {p.name: summary(bench.results[p.name]) for p in problems if p.name in bench.results}
    for name, one in all_of.items():
        if one['verdict'] != 'passes' or one['controls']:
            print('%s: driver %s, ours %s%s%s' % (name, 'passes' if one['driver'] else 'fails', one['verdict'],
                  ': ' + one['reason'] if one['reason'] else '',
                  '; the driver takes ' + ', '.join(one['controls']) if one['controls'] else ''))
    count = lambda test: sum(1 for one in all_of.values() if test(one))
    print('RESULT strict problems=%d judged=%d driver_passes=%d strict_passes=%d driver_only=%d degenerate=%d not_judged=%d' % (
        len(problems), len(all_of), count(lambda o: o['driver']), count(lambda o: o['verdict'] == 'passes'),
        count(lambda o: o['driver'] and o['verdict'] == 'fails'), count(lambda o: bool(o['controls'])),
        count(lambda o: o['verdict'] == 'not judged')))
    return 0 if len(all_of) == len(problems) else 75


if __name__ == '__main__':
    sys.exit(main())
