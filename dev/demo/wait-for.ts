import { setTimeout as sleep } from 'node:timers/promises'

// Each wait of the demo takes a second or two. A busy machine may need thirty.
const LIMIT_MS = 60_000

/** Calls `look` until it returns a value. Throws after 60 s. */
export async function waitFor<T>(what: string, look: () => T | Promise<T | undefined> | undefined) {
  const deadline = Date.now() + LIMIT_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`Waited ${LIMIT_MS / 1000} s for ${what}`)
    await sleep(20)
  }
}

/** @throws {Error} if a claim of the demo is false */
export function must(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new Error(`The demo expected that ${claim}`)
}
