/** Deliveries that a process may be inserting: those of one business, and in all. */
const mostOfBusiness = 2_000
const mostInAll = 8_000

/** Bounds how long the events of one business keep MongoDB busy while those of others wait. */
export interface RelayBudget {
  /** Returns a function that gives the budget back, or null if the business has to wait. One that inserts nothing else never has to. */
  take(businessId: string, deliveries: number): (() => void) | null
}

export function createRelayBudget(): RelayBudget {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take(businessId, deliveries) {
      const mine = taken.get(businessId) ?? 0
      if (mine > 0 && (mine + deliveries > mostOfBusiness || all + deliveries > mostInAll)) return null
      taken.set(businessId, mine + deliveries)
      all += deliveries
      return () => {
        const left = (taken.get(businessId) ?? 0) - deliveries
        if (left > 0) taken.set(businessId, left)
        else taken.delete(businessId)
        all -= deliveries
      }
    },
  }
}
