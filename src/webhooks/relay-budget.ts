/** The bytes of deliveries that a process may be storing. */
const perBusiness = 8_000_000
const inAll = 32_000_000

/** Bounds the memory of the relay, and what one business's events keep MongoDB busy with while those of others wait. */
export interface RelayBudget {
  /** Returns a function that gives the budget back, or null if the business has to wait. One that stores nothing else never has to. */
  take(businessId: string, size: number): (() => void) | null
}

export function createRelayBudget(): RelayBudget {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take(businessId, size) {
      const mine = taken.get(businessId) ?? 0
      if (mine > 0 && (mine + size > perBusiness || all + size > inAll)) return null
      taken.set(businessId, mine + size)
      all += size
      return () => {
        const left = (taken.get(businessId) ?? 0) - size
        if (left > 0) taken.set(businessId, left)
        else taken.delete(businessId)
        all -= size
      }
    },
  }
}
