"""The scorer on constructed cases, and the join on a small clone made here."""
import csv
import json
import math
import pathlib
import tempfile
import unittest

import compilation
import predict
import record
import score
import truth

HEADINGS = ("Kernel Name", "dpPerf", "spPerf", "xtime", "Block Size", "Grid Size", "targetName",
            "exeArgs", "kernelName")


def measured(kernel, sp=0, dp=0, flags="00000000"):
    return truth.Measured("p-cuda", kernel, sp, dp, flags, (1, 1, 1), (32, 1, 1), "")


def said(**values):
    return {("p-cuda", kernel): {"sp": float(sp), "dp": float(dp)}
            for kernel, (sp, dp) in values.items()}


class Matthews(unittest.TestCase):
    def test_known_values(self):
        right = [(True, True)] * 3 + [(False, False)] * 2
        self.assertAlmostEqual(score.matthews(right), 1, delta=1e-9)
        self.assertAlmostEqual(score.matthews([(t, not p) for t, p in right]), -1, delta=1e-9)
        # 6 hits, 3 correct zeros, 1 false alarm, 2 misses: 16 / sqrt(7 * 8 * 4 * 5).
        mixed = [(True, True)] * 6 + [(False, False)] * 3 + [(False, True)] + [(True, False)] * 2
        self.assertAlmostEqual(score.matthews(mixed), 16 / math.sqrt(1120), delta=1e-9)

    def test_one_sided_is_zero(self):
        self.assertEqual(score.matthews([(True, True), (True, True)]), 0)
        self.assertEqual(score.matthews([]), 0)


class LogError(unittest.TestCase):
    def test_too_much_and_too_little_weigh_the_same(self):
        self.assertAlmostEqual(score.log_error([(100, 200), (100, 50)]), math.log(2), delta=1e-9)

    def test_zeros_are_left_out(self):
        self.assertAlmostEqual(score.log_error([(0, 5), (5, 0), (1, math.e)]), 1, delta=1e-9)
        self.assertTrue(math.isnan(score.log_error([(0, 0)])))


class Scored(unittest.TestCase):
    TABLE = [measured("a", sp=1000), measured("b", dp=2000, flags="10000000"), measured("c"),
             measured("d", sp=10, dp=20, flags="00100000"), measured("e", sp=7, flags="01000000")]

    def test_both_precisions_must_be_close(self):
        whole = score.score(self.TABLE, said(a=(1009, 0), b=(1, 2000), c=(0, 0), d=(10, 20)))
        self.assertEqual((whole.kernels, whole.predicted, whole.nonzero, whole.close), (5, 4, 3, 2))
        # sp: a and d right, b said where nothing is, c right: 2 hits, 1 zero, 1 false alarm.
        self.assertAlmostEqual(whole.mcc["sp"], 2 / math.sqrt(3 * 2 * 2 * 1), delta=1e-9)
        self.assertAlmostEqual(whole.mcc["dp"], 1, delta=1e-9)
        self.assertAlmostEqual(whole.male["sp"], math.log(1.009) / 2, delta=1e-9)
        self.assertIn("within_1_percent=2", whole.line())

    def test_one_percent_is_the_bound(self):
        self.assertTrue(score.is_close(1000, 991))
        self.assertFalse(score.is_close(1000, 989))
        self.assertFalse(score.is_close(0, 1))
        self.assertFalse(score.is_close(5, 0))

    def test_parts_go_by_label(self):
        rows = dict(score.parts(self.TABLE, truth.FLAGS))
        self.assertEqual([one.kernel for one in rows["easy"]], ["a", "b", "c"])
        self.assertEqual([one.kernel for one in rows["hard"]], ["d", "e"])
        self.assertEqual([one.kernel for one in rows["Has FLOP Division"]], ["d"])

    def test_lines_without_numbers_are_no_predictions(self):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write('{"program": "p-cuda", "kernel": "a", "sp": 3, "dp": 0}\n\n'
                       '{"program": "p-cuda", "kernel": "b", "status": "not built"}\n')
            file.flush()
            self.assertEqual(score.read_predictions(file.name), said(a=(3, 0)))
            self.assertEqual(score.read_recorded(file.name), set())
            file.write('{"program": "p-cuda", "kernel": "c", "grid": [1, 1, 1]}\n')
            file.flush()
            self.assertEqual(score.read_recorded(file.name), {("p-cuda", "c")})
            file.write('{"kernel": "b"}\n')
            file.flush()
            with self.assertRaisesRegex(ValueError, "line 5"):
                score.read_predictions(file.name)


class Joined(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.clone = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)
        for file in (truth.PROFILE, truth.LABELS, truth.SOURCES):
            (self.clone / file).parent.mkdir(parents=True, exist_ok=True)
        with open(self.clone / truth.PROFILE, "w", newline="") as file:
            table = csv.DictWriter(file, HEADINGS)
            table.writeheader()
            for sp, target, kernel in (("5e9", "heat-cuda", "ns::solve<float>"),
                                       ("9e9", "heat-cuda", "ns::solve<float>"),
                                       ("1e9", "heat-omp", "solve"), ("0", "heat-cuda", "start")):
                table.writerow({"dpPerf": "0.0", "spPerf": sp, "xtime": "2000.0",
                                "Block Size": "(256, 1, 1)", "Grid Size": "(4, 2, 1)",
                                "targetName": target, "exeArgs": "64 2", "kernelName": kernel})
        text = "template <class T> __global__ void __launch_bounds__(256)\nsolve(T *x) { }"
        (self.clone / truth.SOURCES).write_text(json.dumps({"heat-cuda": {"main.cu": [text]}}))
        answers = {flag: flag.startswith("3") for flag in truth.FLAGS}
        (self.clone / truth.LABELS).write_text(json.dumps(
            {"classifications": {"heat-cuda|main.cu|0": answers, "heat-cuda|main.cu|7": answers}}))

    def test_the_first_launch_of_labelled_cuda_kernels(self):
        table = truth.read_table(self.clone)
        self.assertEqual(table, [truth.Measured("heat-cuda", "solve", 10000, 0, "00100000",
                                                (4, 2, 1), (256, 1, 1), "64 2")])
        self.assertEqual(truth.describe(table),
                         "kernels=1 easy=0 easy_zero=0 hard=1 hard_zero=0")

    def test_a_build_is_one_call(self):
        (self.clone / compilation.COMMANDS).write_text(json.dumps([
            {"output": "CMakeFiles/heat-cuda.dir/src/heat-cuda/main.cu.o",
             "file": "/there/src/heat-cuda/main.cu",
             "command": "clang++ -I/there/src/heat-cuda -I/usr/include -DN=1 -O3 -x cuda -c f"},
            {"output": "CMakeFiles/heat-omp.dir/main.cpp.o", "file": "/there/src/heat-omp/main.cpp",
             "command": "clang++"}]))
        command = compilation.nvcc_command(self.clone, "heat-cuda", "out")
        place = f"{self.clone}/src/heat-cuda"
        self.assertEqual([word for word in command if word.startswith(("-I", "-D", "/"))],
                         [f"-I{place}", "-DN=1", f"{place}/main.cu"])
        self.assertEqual(command[-2:], ["-o", "out"])
        self.assertIsNone(compilation.nvcc_command(self.clone, "cold-cuda", "out"))


class Recorded(unittest.TestCase):
    def test_names(self):
        self.assertEqual(truth.plain_name("void (anonymous namespace)::scale<float, int>(float*)"),
                         "scale")
        self.assertTrue(record.is_launched('{"name":"_ZN2ns5scaleIfEEvPT_"}', "scale"))
        self.assertTrue(record.is_launched('{"name":"scale"}', "scale"))
        self.assertFalse(record.is_launched('{"name":"_Z8upscalePf"}', "scale"))

    def test_the_first_launch_alone(self):
        with tempfile.NamedTemporaryFile("wb") as file:
            lines = [b'{"call":"begin","name":"simulator"}\n', b'{"call":"launch","name":"init"}\n',
                     b'{"call":"launch","grid":[1,1,1],"name":"_Z5scalePf"}\n',
                     b'{"call":"launch","grid":[2,1,1],"name":"_Z5scalePf"}\n']
            file.write(b"".join(lines) + b'{"call":"launch","name":"half')
            file.flush()
            self.assertEqual(record.first_launch(file.name, "scale"), lines[0] + lines[2])
            self.assertEqual(record.first_launch(file.name, "half"), b"")

    def test_whose_programs_are_taken(self):
        self.assertTrue(predict.is_ours("heat-cuda"))
        self.assertFalse(predict.is_ours("adv-cuda"))
        self.assertFalse(predict.is_ours("d2q9-bgk-cuda"))  # five letters

    def test_a_program_is_stopped_when_all_was_seen_and_when_its_time_is_over(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder) / "lines"
            watched = record.Watched(lines, ["scale"])
            text = f"echo '{{\"name\":\"scale\"}}' > {lines}; exec sleep 600"
            self.assertEqual(record.run(["bash", "-c", text], folder, {}, watched, 60), "seen")
            silent = record.Watched(lines, ["never"])
            self.assertEqual(record.run(["sleep", "600"], folder, {}, silent, 0.3), "time")
            self.assertEqual(record.run(["false"], folder, {}, silent, 60), "ended 1")


if __name__ == "__main__":
    unittest.main()
