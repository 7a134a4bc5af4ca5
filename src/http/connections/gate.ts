import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

/**
 * Lets requests through, or holds them back while the listener closes. When a listener closes, the system resets every connection that a client
 * has opened and the process has not accepted. A client that waits for a response opens none, so requests are held back until no connection
 * comes any more, and the listener closes then.
 */
export interface Gate {
  /** Each connection that was accepted. */
  noteConnection(): void
  pass(begin: () => void): void
  /** Holds requests back, and resolves in a moment in which no connection is waiting to be accepted. */
  untilQuiet(): Promise<void>
  /** Begins what was held back. */
  open(): void
}

/** So many looks in a row at which no connection had come, and the time between two of them. */
const quietLooks = 10
const lookEveryMs = 10
/** Clients that open connections without waiting for responses are not waited for any longer. */
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
        await wait(lookEveryMs)
        // Right after the event loop has accepted all that there were.
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
