#!/bin/sh
# Students hand in answer.txt. There is nothing to run: the judge compares it.
echo "$(wc -l <answer.txt) lines were handed in."
