import { setTimeout as pause } from 'node:timers/promises'

const LIMIT_MS = 60_000

/** Waits until a condition holds. @throws {Error} if that takes longer than a minute */
export async function waitFor(what: string, holds: () => Promise<boolean>, pollMs = 50): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited too long for ${what}`)
    await pause(pollMs)
  }
}

/** Waits until the count is `wanted`. @throws {Error} if the count does not change for a minute */
export async function waitForCount(
  what: string,
  wanted: number,
  count: () => Promise<number>,
  pollMs = 250,
): Promise<void> {
  for (let [seen, deadline] = [-1, 0]; ; await pause(pollMs)) {
    const now = await count()
    if (now === wanted) return
    if (now !== seen) deadline = performance.now() + LIMIT_MS
    seen = now
    if (performance.now() > deadline) throw new Error(`${seen}, not ${wanted} ${what}`)
  }
}
