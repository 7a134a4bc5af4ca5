import { type CountsByOwner, createCountsByOwner } from '../../../process/counts-by-owner.ts'
import type { EndpointUse } from './endpoint-uses.ts'
import { maxCharacters, maxCharactersPerBusiness, maxFastPerEndpoint } from './limits.ts'

/**
 * Counts, for each business, the characters in the webhook bodies that are being sent. A business may always have one
 * body in flight, however long that body is.
 */
export interface Bodies {
  /** Counts a body. If the body does not fit into the budget, returns false without counting it. */
  add(use: EndpointUse, length: number): boolean
  remove(businessId: string, length: number): void
  /**
   * Returns how many more bodies fit into the budget, assuming that each is as long as the endpoint's last body that
   * did not fit. The caller never needs to read more than this many deliveries.
   */
  capacity(use: EndpointUse): number
}

export function createBodies(): Bodies {
  const inFlight: CountsByOwner = createCountsByOwner()

  const isWithinBudget = (businessId: string, length: number): boolean => {
    const own = inFlight.of(businessId)
    return own === 0 || (own + length <= maxCharactersPerBusiness && inFlight.all() + length <= maxCharacters)
  }
  return {
    add(use, length) {
      const { businessId } = use.owner
      const fits = isWithinBudget(businessId, length)
      use.refusedLength = fits ? 0 : length
      if (fits) inFlight.add(businessId, length)
      return fits
    },
    remove: (businessId, length) => inFlight.add(businessId, -length),
    capacity({ owner: { businessId }, refusedLength }) {
      if (refusedLength === 0) return maxFastPerEndpoint
      if (!isWithinBudget(businessId, refusedLength)) return 0
      const left = Math.min(maxCharactersPerBusiness - inFlight.of(businessId), maxCharacters - inFlight.all())
      return Math.max(1, Math.floor(left / refusedLength))
    },
  }
}
