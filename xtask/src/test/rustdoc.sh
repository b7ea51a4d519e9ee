#!/bin/sh
# What cargo calls for doc tests, and it makes the pages instead.
for word; do
  shift
  case $word in
    --test | --test-run-directory) ;;
    *) [ "$last" = --test-run-directory ] || set -- "$@" "$word" ;;
  esac
  last=$word
done
exec rustdoc "$@"
