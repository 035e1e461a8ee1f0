import unittest

import solution


class AddTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(solution.add(2, 3), 5)

    def test_negative(self):
        self.assertEqual(solution.add(-2, -3), -5)
