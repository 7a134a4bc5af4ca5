import type { Endpoint } from '../../endpoints/endpoint.ts'
import { forgetAfterMs, maxFastPerEndpoint, minWindow, trustedWindow } from './limits.ts'

/**
 * The endpoint of an attempt, with its business and its origin, because a slot counts towards the limits of all three.
 * `origin` is the host and port of the endpoint's URL.
 */
export interface SlotOwner extends Pick<Endpoint, 'businessId' | 'health'> {
  endpointId: string
  origin: string
}

export interface Slot {
  /**
   * Counts the body of the attempt. If the business or the process would then have too many characters in flight,
   * returns false without counting the body.
   */
  count(body: string): boolean
  /**
   * Frees the slot. Further calls do nothing. `delivered` states whether the attempt succeeded, and is null if no
   * attempt was made.
   */
  free(delivered: boolean | null): void
}

export interface SlotClock {
  elapsedMs(): number
  /** Calls `act` after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, act: () => unknown): () => void
}

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

/**
 * Returns a function that returns the state of an endpoint. It is created when it is first needed, and removed when the
 * endpoint has not been used for `forgetAfterMs`.
 */
export function createEndpointUses(elapsedMs: () => number): (owner: SlotOwner) => EndpointUse {
  const uses = new Map<string, EndpointUse>()
  let tidiedAt = elapsedMs()

  function tidy(now: number): void {
    tidiedAt = now
    for (const [id, use] of uses) if (use.fast + use.slow === 0 && use.usedAt + forgetAfterMs < now) uses.delete(id)
  }

  return (owner) => {
    const now = elapsedMs()
    if (now - tidiedAt > forgetAfterMs) tidy(now)
    const fresh = { owner, fast: 0, slow: 0, window: firstWindow(owner), usedAt: now, refusedLength: 0 }
    const use = uses.get(owner.endpointId) ?? fresh
    uses.set(owner.endpointId, use)
    // The endpoint's URL may have changed, and with it the origin.
    use.owner = owner
    use.usedAt = now
    return use
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
