import { setImmediate as nextIteration, setTimeout as wait } from 'node:timers/promises'

/**
 * Lets requests through, or holds them just before the listener closes. When a listener closes, the operating system
 * resets every open connection that the process has not yet accepted. A client that is waiting for a response opens no
 * other connection. Requests are therefore held until no more connections arrive and the listener can close.
 */
export interface Gate {
  /** Must be called for each accepted connection. */
  noteConnection(): void
  pass(begin: () => void): void
  /** Starts holding requests, and resolves once no connection is waiting to be accepted. */
  awaitQuiet(): Promise<void>
  /** Runs the held requests. */
  open(): void
}

/** The listener counts as quiet after this many consecutive checks without a new connection. */
const quietChecks = 10
const checkEveryMs = 10
/**
 * The longest that requests are held. Clients that open connections without waiting for responses could prolong the
 * wait.
 */
const maxHoldMs = 1000

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
    async awaitQuiet() {
      held = []
      const giveUpAt = performance.now() + maxHoldMs
      for (let quiet = 0; quiet < quietChecks && performance.now() < giveUpAt; ) {
        const before = accepted
        await wait(checkEveryMs)
        // The event loop has now accepted all connections that were waiting.
        await nextIteration()
        quiet = accepted === before ? quiet + 1 : 0
      }
    },
    open() {
      const waiting = held ?? []
      held = null
      for (const begin of waiting) begin()
    },
  }
}
