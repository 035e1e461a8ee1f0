#!/bin/sh
# Students hand in program.c.
if cc -o program program.c; then
	echo 'build_message: It compiles.' >"$1"
else
	echo 'build_message: It does not compile; see the output.' >"$1"
	exit 1
fi
