"""ncu's table read and joined: a recorded form, with the lines that stand around it."""
import pathlib
import unittest

import ncu_table

SAMPLE = (pathlib.Path(__file__).parent / "ncu_sample.csv").read_text()


def count(kernel, grid, block, undecided="", **mix):
    return {"kernel": kernel, "grid": grid, "block": block, "undecided": undecided, "how": "walked",
            **{name: mix.get(name, 0) for name in ncu_table.CLASSES}}


SCALE = count("scale", [4, 1, 1], [256, 1, 1], fmul=1000)
SUM = count("sum_rows", [67, 2, 1], [128, 1, 1], fadd=2048, ffma=1024, dadd=12)


class Rows(unittest.TestCase):
    def test_reads_numbers_extents_and_names(self):
        rows = ncu_table.read_rows(SAMPLE)
        self.assertEqual([row["kernel"] for row in rows], ["scale", "sum_rows", "scale"])
        self.assertEqual(rows[1]["grid"], [67, 2, 1])
        self.assertEqual((rows[1]["fadd"], rows[1]["ffma"], rows[1]["dadd"]), (2048, 1024, 12))

    def test_says_what_ncu_said_where_there_is_no_table(self):
        with self.assertRaisesRegex(ValueError, "ERR_NVGPUCTRPERM"):
            ncu_table.read_rows("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - no permission\n")
        with self.assertRaisesRegex(ValueError, "no table"):
            ncu_table.read_rows("")

    def test_refuses_a_table_without_a_counter(self):
        with self.assertRaisesRegex(ValueError, "op_fmul"):
            ncu_table.read_rows(SAMPLE.replace('"1,000"', '"n/a"'))


class Joined(unittest.TestCase):
    def score(self, counts):
        score = ncu_table.Score()
        pairs = ncu_table.join(counts, ncu_table.read_rows(SAMPLE))
        for one, row in pairs:
            score.add(one, row)
        return score, pairs

    def test_the_same_kernel_twice_goes_by_order(self):
        score, pairs = self.score([SCALE, SUM, SCALE])
        self.assertEqual([row["fmul"] for _, row in pairs], [1000, 0, 996])
        self.assertEqual((score.launches, score.exact, score.one), (3, 2, 3))
        self.assertIn("missing=0", score.line())

    def test_fused_and_apart_are_the_same_flops(self):
        apart = dict(SUM, fadd=2048 + 1024, fmul=1024, ffma=0)
        self.assertEqual(self.score([apart])[0].exact, 1)

    def test_single_does_not_make_up_for_double(self):
        moved = dict(SUM, fadd=2060, dadd=0)
        score, pairs = self.score([moved])
        self.assertEqual((score.exact, score.five), (0, 0))
        self.assertIn("f64 counted 0 measured 12 ratio 0.0000", ncu_table.describe("t", *pairs[0]))

    def test_counted_where_nothing_was_measured_is_far_off(self):
        self.assertEqual(self.score([dict(SCALE, dadd=1)])[0].five, 0)

    def test_bounds_of_one_and_five_percent(self):
        for fmul, exact, one, five in ((1000, 1, 1, 1), (1009, 0, 1, 1), (1040, 0, 0, 1),
                                       (1060, 0, 0, 0)):
            score, _ = self.score([dict(SCALE, fmul=fmul)])
            self.assertEqual((score.exact, score.one, score.five), (exact, one, five))

    def test_undecided_and_missing_are_not_counted_as_right(self):
        unknown = count("scale", [4, 1, 1], [256, 1, 1], undecided="depends on data")
        absent = count("scale", [5, 1, 1], [256, 1, 1])
        score, pairs = self.score([unknown, absent])
        self.assertEqual((score.undecided, score.missing, score.exact), (1, 1, 0))
        self.assertIn("not measured", ncu_table.describe("t", *pairs[1]))


if __name__ == "__main__":
    unittest.main()
