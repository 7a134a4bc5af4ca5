import type { Round } from '../round.ts'
import { groupsOf } from './groups.ts'

/** An attempt that took longer makes its receiver a slow one. */
const slowMs = 1000
/** Of those that wait behind a slow one: as many as an endpoint without a success has slots, five times over, in each of two workers. */
const remembered = 20
/** After so many failures in a row it has no more than two slots. */
const mostFailures = 100

interface Tried {
  at: number
  isSlow: boolean
  /** With it, how many failed in a row. */
  failures: number
}

/**
 * Says whether a receiver may have been held back between two instants of the service's clock: it was slow, or had failed for long. Then few attempts at a time are
 * made at it, and its deliveries may wait (docs/maintainers/architecture.md, Isolation).
 */
export function heldBack({
  dump,
}: Pick<Round, 'dump'>): (endpointId: string, from: number, to: number) => boolean {
  const byEndpoint = new Map(
    [...groupsOf(dump.deliveries, ({ endpointId }) => endpointId)].map(([id, some]) => [
      id,
      triedIn(some.flatMap(({ attemptLog }) => attemptLog)),
    ]),
  )
  return (endpointId, from, to) => {
    const tried = byEndpoint.get(endpointId) ?? []
    const next = firstAfter(tried, from)
    for (let index = Math.max(0, next - remembered); index < tried.length; index += 1) {
      const { at, isSlow, failures } = tried[index] as Tried
      if (at > to) return false
      if (isSlow || failures >= mostFailures) return true
    }
    return false
  }
}

function triedIn(attempts: Round['dump']['deliveries'][number]['attemptLog']): Tried[] {
  let failures = 0
  return attempts
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, durationMs, status }) => {
      failures = status !== null && status >= 200 && status < 300 ? 0 : failures + 1
      return { at, isSlow: durationMs > slowMs, failures }
    })
}

/** Where the first stands that began after `at`: they are in the order of time. */
function firstAfter(tried: Tried[], at: number): number {
  let [low, high] = [0, tried.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((tried[middle] as Tried).at > at) high = middle
    else low = middle + 1
  }
  return low
}
