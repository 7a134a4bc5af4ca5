import { forgetAfterMs, maxFastPerEndpoint, minWindow, trustedWindow } from './limits.ts'
import type { SlotOwner } from './slot.ts'

/** The state that a process keeps for one endpoint. */
export interface EndpointUse {
  owner: SlotOwner
  /** The numbers of fast and slow slots that the endpoint's attempts hold. */
  fast: number
  slow: number
  /** The maximum number of fast slots that the endpoint's attempts may hold at the moment. */
  window: number
  usedAt: number
  /** The length of the endpoint's last body if that body did not fit into the budget, otherwise 0. */
  refusedLength: number
}

export interface EndpointUses {
  of(owner: SlotOwner): EndpointUse
}

/**
 * Keeps the state of the endpoints. An endpoint's state is created when it is first needed, and is removed when the
 * endpoint has not been used for `forgetAfterMs`.
 */
export function createEndpointUses(elapsedMs: () => number): EndpointUses {
  const uses = new Map<string, EndpointUse>()
  let tidiedAt = elapsedMs()

  function tidy(now: number): void {
    tidiedAt = now
    for (const [id, use] of uses) if (use.fast + use.slow === 0 && use.usedAt + forgetAfterMs < now) uses.delete(id)
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
          refusedLength: 0,
        }
        uses.set(owner.endpointId, use)
      }
      // The endpoint's URL may have changed, and with it the origin.
      use.owner = owner
      use.usedAt = now
      return use
    },
  }
}

const firstWindow = ({ health: { failuresInRow, lastSuccessAt } }: SlotOwner): number =>
  failuresInRow > 0 || lastSuccessAt === null ? minWindow : trustedWindow

/**
 * Must be called when an attempt becomes slow, and when an attempt fails. If a slow attempt then succeeds, `growWindow`
 * restores the previous window.
 */
export const shrinkWindow = (use: EndpointUse): void => void (use.window = Math.max(minWindow, use.window - 1))

export const growWindow = (use: EndpointUse): void => void (use.window = Math.min(maxFastPerEndpoint, use.window + 1))
