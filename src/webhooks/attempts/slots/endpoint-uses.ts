import { forgetAfterMs, maxFastPerEndpoint, minWindow, trustedWindow } from './limits.ts'
import type { SlotOwner } from './slot.ts'

/** The state that a process keeps for one endpoint. */
export interface EndpointUse {
  owner: SlotOwner
  /** The number of slots that the endpoint holds in each set. */
  fast: number
  slow: number
  /** The maximum number of fast slots that the endpoint may hold. */
  window: number
  usedAt: number
  /** When the last of the endpoint's jobs that found no slot will run again. */
  backAt: number
  /** The length of the endpoint's last body if that body exceeded the budget, otherwise 0. */
  refusedLength: number
}

export interface EndpointUses {
  of(owner: SlotOwner): EndpointUse
}

/**
 * Creates the state of endpoints when they are first used. Removes the state of endpoints that have had no attempts for
 * `forgetAfterMs`.
 */
export function createEndpointUses(elapsedMs: () => number): EndpointUses {
  const uses = new Map<string, EndpointUse>()
  let tidiedAt = elapsedMs()

  function tidy(now: number): void {
    tidiedAt = now
    for (const [id, use] of uses)
      if (use.fast + use.slow === 0 && use.usedAt + forgetAfterMs < now) uses.delete(id)
  }

  return {
    of(owner) {
      const now = elapsedMs()
      if (now - tidiedAt > forgetAfterMs) tidy(now)
      let use = uses.get(owner.endpointId)
      if (use === undefined) {
        use = {
          owner,
          fast: 0,
          slow: 0,
          window: firstWindow(owner),
          usedAt: now,
          backAt: 0,
          refusedLength: 0,
        }
        uses.set(owner.endpointId, use)
      }
      // The endpoint's URL may have changed.
      use.owner = owner
      use.usedAt = now
      return use
    },
  }
}

const firstWindow = ({ health: { failuresInRow, lastSuccessAt } }: SlotOwner): number =>
  failuresInRow > 0 || lastSuccessAt === null ? minWindow : trustedWindow

/**
 * Called when an attempt fails and when it becomes slow. If a slow attempt succeeds, `growWindow` is called as well,
 * which restores the previous window.
 */
export const shrinkWindow = (use: EndpointUse): void =>
  void (use.window = Math.max(minWindow, use.window - 1))

export const growWindow = (use: EndpointUse): void =>
  void (use.window = Math.min(maxFastPerEndpoint, use.window + 1))
