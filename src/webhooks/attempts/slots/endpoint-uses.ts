import { fewestOfEndpoint, forgetAfterMs, mostFastOfEndpoint, trustedEndpoint } from './limits.ts'
import type { SlotOwner } from './slot.ts'

/** How a process uses one endpoint. */
export interface EndpointUse {
  owner: SlotOwner
  /** Slots held. */
  fast: number
  slow: number
  /** How many fast slots it may hold. */
  mostFast: number
  usedAt: number
  /** When the last job that found no slot comes back. */
  backAt: number
  /** The length of the body that was refused last; 0 after one that was not. */
  refusedLength: number
}

export interface EndpointUses {
  of(owner: SlotOwner): EndpointUse
}

/** Endpoints without attempts are forgotten after a minute. */
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
          mostFast: firstMost(owner),
          usedAt: now,
          backAt: 0,
          refusedLength: 0,
        }
        uses.set(owner.endpointId, use)
      }
      // It may have another URL now.
      use.owner = owner
      use.usedAt = now
      return use
    },
  }
}

const firstMost = ({ health: { failuresInRow, lastSuccessAt } }: SlotOwner): number =>
  failuresInRow > 0 || lastSuccessAt === null ? fewestOfEndpoint : trustedEndpoint

/** After a failure, and when an attempt is open for long. An endpoint that responds late, but well, keeps its slots. */
export const trustLess = (use: EndpointUse): void =>
  void (use.mostFast = Math.max(fewestOfEndpoint, use.mostFast - 1))

export const trustMore = (use: EndpointUse): void =>
  void (use.mostFast = Math.min(mostFastOfEndpoint, use.mostFast + 1))
