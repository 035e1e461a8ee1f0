#!/bin/sh
# Compares what was handed in with judge/expected.txt, which students never see.
# Spaces at the ends of lines, and the line ends of Windows, do not count.
tidy() { tr -d '\r' <"$1" | sed 's/[[:space:]]*$//'; }
tidy judge/expected.txt >/tmp/expected
tidy /evidence/submitted/answer.txt >/tmp/answer
if diff -u /tmp/expected /tmp/answer >/tmp/differences; then
	printf 'run_message: Every line is as it should be.\nnew_status: complete\n' >"$1"
else
	wrong=$(tail -n +3 /tmp/differences | grep -c '^+')
	missing=$(tail -n +3 /tmp/differences | grep -c '^-')
	printf 'run_message: "%s lines are missing, and %s should not be there."\nnew_status: fix_and_resubmit\n' \
		"$missing" "$wrong" >"$1"
	cat /tmp/differences # for the staff: students do not see the judge's output
fi
