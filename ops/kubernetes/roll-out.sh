#!/bin/sh
# Runs the release step of this version, then starts its processes. If the release fails, nothing else changes.
set -eu
cd "$(dirname "$0")"
kubectl -n payment-intents delete job release --ignore-not-found
kubectl apply -k release
while :; do
  state=$(kubectl -n payment-intents get job release -o 'jsonpath={.status.conditions[?(@.status=="True")].type}')
  case " $state " in
    *' Complete '*) break ;;
    *' Failed '*)
      echo 'The release failed: kubectl -n payment-intents logs job/release' >&2
      exit 1
      ;;
  esac
  sleep 2
done
kubectl apply -k service
