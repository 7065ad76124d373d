#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs every program of a directory, each a test that passes by exiting 0; for use in the guest.

passed=0
failed=0
for test in "${1:?name a directory of tests}"/*; do
	if ! [ -f "$test" ] || ! [ -x "$test" ]; then continue; fi
	"$test"
	result=$?
	if [ "$result" = 0 ]; then
		passed=$((passed + 1))
		echo "ok      ${test##*/}"
	else
		failed=$((failed + 1))
		echo "FAILED  ${test##*/} (status $result)"
	fi
done
echo "$passed passed, $failed failed"
# No test at all is no success.
[ "$failed" = 0 ] && [ "$passed" != 0 ]
