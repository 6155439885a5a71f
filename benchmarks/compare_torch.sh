#!/usr/bin/env bash
exec "$(dirname "$0")/compare_libtorch.sh" "$@"
