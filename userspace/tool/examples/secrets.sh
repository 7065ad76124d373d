#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Keys, passwords, identifiers and dice at a shell.
set -eu

echo "key       $(shakerandom read 32 --hex)"
echo "password  $(shakerandom read 18 --base64)"
echo "uuid      $(shakerandom uuid)"
echo "dice      $(shakerandom int 1 6 --count 2 | xargs)"
echo "lottery   $(shakerandom int 1 49 --count 6 --distinct | sort -n | xargs)"

# Without the command the device is a file like any other.
echo "bytes     $(head -c 16 /dev/shakerandom | od -An -tx1 | tr -d ' ')"
