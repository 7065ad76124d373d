#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One stream shared by many machines. Each knows the seed and its own number, and needs nothing
# else of the others; two ways to share.
#
#     machines.sh DIRECTORY
set -eu
cd "$1"
machines="0 1 2 3"
part=$((256 * 1024))

# 1. Parts of one stream, by offset. Put together they are the stream.
for m in $machines; do
	shakerandom read "$part" --seed "run 17" --offset $((m * part)) --raw >"part.$m" &
done
wait
cat part.0 part.1 part.2 part.3 >together
shakerandom read $((4 * part)) --seed "run 17" --raw | cmp - together
echo "four parts are the stream"

# 2. A stream for each, of its own number: nobody needs to know how much the others take.
for m in $machines; do
	shakerandom read 16 --seed "run 17" --stream "$m" --hex >"own.$m"
	echo "machine $m: $(cat "own.$m")"
done
test "$(sort -u own.? | wc -l)" = 4

# 3. One image, filled by all at once, each its part; anybody verifies the whole.
truncate -s $((4 * part)) image
for m in $machines; do
	shakerandom fill image --seed "run 17" --skip $((m * part)) --length $part --quiet &
done
wait
shakerandom verify image --seed "run 17"
