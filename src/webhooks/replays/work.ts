import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { type CountsByOwner, createCountsByOwner } from '../../process/counts-by-owner.ts'
import { leaseReplay } from './lease.ts'
import { runReplay } from './run.ts'

/**
 * The maximum number of replays that a process runs at the same time. Each makes at most 200 attempts per second, which
 * is a small part of what a worker can do.
 */
const maxAtOnce = 2
/** How often a process without a replay looks for one. */
const lookEveryMs = 1_000

/** Runs replays until `ending` is aborted. Each gets a slice of time, so all of them advance. */
export async function workOnReplays(deps: Deps, ending: AbortSignal): Promise<void> {
  const inFlight = createCountsByOwner()
  await Promise.all(Array.from({ length: maxAtOnce }, () => workRepeatedly(deps, inFlight, ending)))
}

async function workRepeatedly(deps: Deps, inFlight: CountsByOwner, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    const isFound = await workOnce(deps, inFlight, ending).catch((err: unknown) => {
      deps.log.warn({ err }, 'replay.interrupted')
      return false
    })
    const pauseMs = lookEveryMs * (0.8 + Math.random() * 0.2)
    if (!isFound) await pause(pauseMs, undefined, { signal: ending }).catch(() => undefined)
  }
}

/** Runs the replay that has waited longest for one slice. Returns false if no replay is due. */
async function workOnce(deps: Deps, inFlight: CountsByOwner, ending: AbortSignal): Promise<boolean> {
  await deps.databaseTime.unsure()
  const leased = await leaseReplay(deps)
  if (leased === null) return false
  await runReplay(deps, leased, inFlight, ending)
  return true
}
