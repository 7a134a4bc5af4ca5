/** Limits the CPU time that one business's endpoints use in this process, for TLS handshakes or for responses. */
export interface Meter {
  /** Returns null if there is time left. Otherwise returns a promise that resolves when there may be time again. */
  ready(): Promise<void> | null
  /** Counts used time. */
  count(ms: number): void
}

/** Returns a business's meter. */
export type Meters = (owner: string) => Meter

/** The share of one business: a tenth of a process, which allows about 70 new TLS connections a second. */
const shareOfOne = 0.1
/**
 * The combined share of all businesses that have used up their time. Otherwise ten of them would use a whole process.
 */
const shareOfAll = 0.2
/** The maximum time that an idle business saves up, and may then use in one go. */
const maxSavedMs = 50
/** Once there are this many businesses, those that have all their time left are forgotten. */
const tidyFrom = 1000

interface Account {
  leftMs: number
  at: number
}

/** `elapsedMs` is a monotonic clock. */
export function createMeters(elapsedMs: () => number): Meters {
  const accounts = new Map<string, Account>()
  /** Businesses that have used up their time. */
  const overdrawn = new Set<string>()
  const share = (): number => Math.min(shareOfOne, shareOfAll / Math.max(1, overdrawn.size))

  function update(owner: string): Account {
    const now = elapsedMs()
    const { leftMs, at } = accounts.get(owner) ?? { leftMs: maxSavedMs, at: now }
    return { leftMs: Math.min(maxSavedMs, leftMs + (now - at) * share()), at: now }
  }

  function save(owner: string, account: Account): void {
    accounts.set(owner, account)
    if (account.leftMs > 0) overdrawn.delete(owner)
    else overdrawn.add(owner)
  }

  function tidy(): void {
    for (const owner of accounts.keys())
      if (update(owner).leftMs === maxSavedMs) {
        accounts.delete(owner)
        overdrawn.delete(owner)
      }
  }

  return (owner) => ({
    ready() {
      const account = update(owner)
      if (overdrawn.has(owner)) save(owner, account)
      if (account.leftMs > 0) return null
      return new Promise((resolve) => setTimeout(resolve, Math.ceil(-account.leftMs / share()) + 1))
    },
    count(ms) {
      const { leftMs, at } = update(owner)
      if (accounts.size >= tidyFrom && !accounts.has(owner)) tidy()
      save(owner, { leftMs: leftMs - ms, at })
    },
  })
}
