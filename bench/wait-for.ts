import { setTimeout as pause } from 'node:timers/promises'

const LIMIT_MS = 60_000
const LOOK_EVERY_MS = 50

/** @throws {Error} when it does not come to hold within a minute */
export async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + LIMIT_MS
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited too long for ${what}`)
    await pause(LOOK_EVERY_MS)
  }
}

/** Waits until there are that many. @throws {Error} when for a minute there are no more than before */
export async function waitForCount(
  what: string,
  wanted: number,
  count: () => Promise<number>,
): Promise<void> {
  for (let [seen, giveUpAt] = [-1, 0]; seen !== wanted; await pause(LOOK_EVERY_MS * 5)) {
    const now = await count()
    if (now !== seen) giveUpAt = performance.now() + LIMIT_MS
    seen = now
    if (performance.now() > giveUpAt) throw new Error(`Only ${seen} of ${wanted} ${what}`)
  }
}
