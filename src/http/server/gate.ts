import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/**
 * Lets requests through, or holds them back before the listener closes. When a listener closes, the system resets every open connection that
 * the process has not accepted. A client that waits for a response opens no other connection. So requests are held back until no more
 * connections arrive. Then the listener can close.
 */
export interface Gate {
  /** Call for each accepted connection. */
  noteConnection(): void
  pass(begin: () => void): void
  /** Holds requests back, and resolves once no connection is waiting to be accepted. */
  untilQuiet(): Promise<void>
  /** Runs the requests that were held back. */
  open(): void
}

/** The listener is quiet after this many checks in a row without a new connection. */
const quietLooks = 10
const checkEveryMs = 10
/** The longest wait. Clients that open connections without waiting for responses could prolong it. */
const longestHoldMs = 1000

export function createGate(): Gate {
  let held: (() => void)[] | null = null
  let accepted = 0
  return {
    noteConnection() {
      accepted += 1
    },
    pass(begin) {
      if (held === null) begin()
      else held.push(begin)
    },
    async untilQuiet() {
      held = []
      const giveUpAt = performance.now() + longestHoldMs
      for (let looks = 0; looks < quietLooks && performance.now() < giveUpAt; ) {
        const before = accepted
        await wait(checkEveryMs)
        // The event loop has now accepted all connections that were waiting.
        await nextTurn()
        looks = accepted === before ? looks + 1 : 0
      }
    },
    open() {
      const waiting = held ?? []
      held = null
      for (const begin of waiting) begin()
    },
  }
}
