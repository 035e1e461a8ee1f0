#!/bin/sh
# Students hand in solution.py; tests.py holds the unit tests.
if python3 -m unittest -v tests 2>&1; then
	printf 'run_message: All tests pass.\nnew_status: complete\n' >"$1"
else
	printf 'run_message: Some tests fail; see the output.\nnew_status: fix_and_resubmit\n' >"$1"
fi
