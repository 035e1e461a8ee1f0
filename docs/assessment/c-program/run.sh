#!/bin/sh
# Runs the program once for each file in cases, and keeps what it says.
mkdir -p said
for input in cases/*.in; do
	name=$(basename "$input" .in)
	./program <"$input" >"said/$name.out" || echo "case $name: exit code $?"
done
