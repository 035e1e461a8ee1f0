#!/bin/sh
# Compares what the program said in each case with judge/*.out. The program is not
# run here, and what it left cannot be executed.
right=0 all=0
for expected in judge/*.out; do
	all=$((all + 1))
	name=$(basename "$expected")
	if cmp -s "$expected" "/evidence/after/said/$name"; then
		right=$((right + 1))
	else
		echo "case $name differs"
	fi
done
status=fix_and_resubmit
[ "$right" = "$all" ] && status=complete
printf 'run_message: %s of %s cases are right.\nnew_status: %s\n' "$right" "$all" "$status" >"$1"
