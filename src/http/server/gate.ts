import { setImmediate as nextIteration, setTimeout as wait } from 'node:timers/promises'

/**
 * Lets requests through, or holds them back shortly before the listener closes. When a listener closes, the operating
 * system resets all connections that the process has not accepted yet. Clients that are waiting for a response open no
 * further connections. Requests are therefore held back until no more connections arrive and the listener can be
 * closed.
 */
export type Gate = ReturnType<typeof createGate>

/** The listener is considered quiet after this many consecutive checks without a new connection. */
const quietChecks = 10
const checkEveryMs = 10
/**
 * The longest time for which requests are held back. Without this limit, clients that open connections without waiting
 * for responses could cause requests to be held back indefinitely.
 */
const maxHoldMs = 1000

export function createGate() {
  let held: (() => void)[] | null = null
  let accepted = 0
  return {
    /** Must be called for each accepted connection. */
    noteConnection(): void {
      accepted += 1
    },
    pass(begin: () => void): void {
      if (held === null) begin()
      else held.push(begin)
    },
    /** Starts to hold requests back, and resolves once no connections are waiting to be accepted. */
    async awaitQuiet(): Promise<void> {
      held = []
      const giveUpAt = performance.now() + maxHoldMs
      for (let quiet = 0; quiet < quietChecks && performance.now() < giveUpAt; ) {
        const before = accepted
        await wait(checkEveryMs)
        // By the next iteration, the event loop has accepted all waiting connections.
        await nextIteration()
        quiet = accepted === before ? quiet + 1 : 0
      }
    },
    /** Lets through all requests, including those that have been held back. */
    open(): void {
      const waiting = held ?? []
      held = null
      for (const begin of waiting) begin()
    },
  }
}
