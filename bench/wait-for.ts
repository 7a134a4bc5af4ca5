import { setTimeout as pause } from 'node:timers/promises'

const LIMIT_MS = 60_000

/** @throws {Error} if it does not hold within a minute */
export async function waitFor(what: string, holds: () => Promise<boolean>, lookEveryMs = 50): Promise<void> {
  const giveUpAt = performance.now() + LIMIT_MS
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited too long for ${what}`)
    await pause(lookEveryMs)
  }
}

/** Waits until there are that many. @throws {Error} if the count does not change for a minute */
export async function waitForCount(
  what: string,
  wanted: number,
  count: () => Promise<number>,
  lookEveryMs = 250,
): Promise<void> {
  for (let [seen, giveUpAt] = [-1, 0]; ; await pause(lookEveryMs)) {
    const now = await count()
    if (now === wanted) return
    if (now !== seen) giveUpAt = performance.now() + LIMIT_MS
    seen = now
    if (performance.now() > giveUpAt) throw new Error(`${seen}, not ${wanted} ${what}`)
  }
}
