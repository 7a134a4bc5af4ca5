import { setTimeout as sleep } from 'node:timers/promises'

// Everything the demo waits for takes a second or two; a slow machine may need ten.
const LIMIT_MS = 30_000
const LOOK_EVERY_MS = 20

/**
 * Looks until there is something.
 * @throws {Error} after 30 s, or whatever `look` throws
 */
export async function waitFor<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const giveUpAt = Date.now() + LIMIT_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > giveUpAt) throw new Error(`Waited ${LIMIT_MS / 1000} s in vain for ${what}`)
    await sleep(LOOK_EVERY_MS)
  }
}

/** @throws {Error} unless what the show claims is so */
export function must(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new Error(`This should have been so and was not: ${claim}`)
}
