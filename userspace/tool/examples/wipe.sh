#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Overwrites a disk or file in a way that can be proven later, as nwipe's PRNG pass does: all of
# it, then all of it read back, then samples of it, each found by its offset alone.
#
#     wipe.sh DEVICE|FILE [SIZE of a new file]
set -eu
target=$1

# A secret seed of this wipe. Whoever keeps it can verify; nobody else can forge.
seed=$(mktemp)
trap 'rm -f "$seed" "$seed.note"' EXIT
shakerandom read 32 --raw >"$seed"

shakerandom fill "$target" --key-file "$seed" --resume "$seed.note" ${2:+--length "$2"}
shakerandom verify "$target" --key-file "$seed"

if [ -b "$target" ]; then size=$(blockdev --getsize64 "$target"); else size=$(stat -c %s "$target"); fi
shakerandom int 0 $((size / 512 - 1)) --count 10 | while read -r sector; do
	shakerandom verify "$target" --key-file "$seed" --skip $((sector * 512)) --length 512 --quiet
	echo "sector $sector is as it was written"
done
