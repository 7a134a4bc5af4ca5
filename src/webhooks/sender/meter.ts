/**
 * Limits the CPU time that the endpoints of one business use in this process, for TLS handshakes and responses
 * together.
 */
export interface Meter {
  /**
   * Returns null if there is CPU time left. Otherwise returns a promise that resolves when there may be time left
   * again.
   */
  ready(): Promise<void> | null
  /** Charges the given CPU time to the business. */
  count(ms: number): void
}

/** Returns the meter for a business. */
export type Meters = (owner: string) => Meter

/**
 * The maximum share of the process's CPU time that one business may use. A tenth of the CPU time allows about 60 new
 * TLS connections per second.
 */
const shareOfOne = 0.1
/**
 * The total share for all businesses that have used up their own time. Without this limit, ten such businesses could
 * use all of the process's CPU time.
 */
const shareOfAll = 0.2
/** The maximum CPU time that a business can save up while it is idle and then use all at once. */
const maxSavedMs = 50
/**
 * The account of a business contains the CPU time that the business has left. If there are at least this many accounts
 * when a new one is added, all accounts that have the full `maxSavedMs` left are removed.
 */
const tidyFrom = 1000

interface Account {
  leftMs: number
  at: number
}

/** Creates the meters for all businesses. `elapsedMs` must read a monotonic clock. */
export function createMeters(elapsedMs: () => number): Meters {
  const accounts = new Map<string, Account>()
  /** The businesses that have used up their time. */
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
