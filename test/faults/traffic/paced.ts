import { setTimeout as sleep } from 'node:timers/promises'

/** How often it is looked whether something is due. */
const tickMs = 20

interface PaceOptions {
  perSecond: number
  /** While so many are under way, no more are begun; what could not be begun is not made up for. */
  maxConcurrent: number
  isOver: () => boolean
  /** Begins the `number`th, from 1. */
  begin: (number: number) => Promise<unknown>
}

/** Begins so many in a second until it is over, and waits for what is under way. Answers what was thrown. */
export async function paced({ perSecond, maxConcurrent, isOver, begin }: PaceOptions): Promise<unknown[]> {
  const running = new Set<Promise<unknown>>()
  const faults: unknown[] = []
  let owed = 0
  let begun = 0
  let lookedAt = performance.now()
  while (!isOver()) {
    await sleep(tickMs)
    const now = performance.now()
    owed += ((now - lookedAt) * perSecond) / 1000
    lookedAt = now
    for (; owed >= 1 && running.size < maxConcurrent; owed -= 1) {
      begun += 1
      const done = begin(begun)
        .catch((fault: unknown) => faults.push(fault))
        .finally(() => running.delete(done))
      running.add(done)
    }
    owed = Math.min(owed, 1)
  }
  await Promise.all(running)
  return faults
}
