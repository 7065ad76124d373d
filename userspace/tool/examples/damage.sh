#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What fio's verify= is used for: write, let something happen to the data, find out what.
set -eu
file=$1
damaged=123457

shakerandom fill "$file" --length 1M --seed "test 1" --quiet
shakerandom verify "$file" --seed "test 1"

# One bit of one byte. The stream itself says what the byte was.
byte=$(shakerandom read 1 --seed "test 1" --offset $damaged --raw | od -An -tu1)
printf '%b' "$(printf '\\0%03o' $((byte ^ 16)))" |
	dd of="$file" bs=1 seek=$damaged conv=notrunc status=none

found=$(shakerandom verify "$file" --seed "test 1" || test $? = 1)
echo "$found"
case $found in
*"byte $damaged "*) ;;
*) echo "the damage was not found" >&2; exit 1 ;;
esac

# The sector can be written again on its own.
sector=$((damaged / 512 * 512))
shakerandom fill "$file" --seed "test 1" --skip $sector --length 512 --quiet
shakerandom verify "$file" --seed "test 1"
