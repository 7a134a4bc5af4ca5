import { setTimeout as sleep } from 'node:timers/promises'

/** How often to check whether an operation is due. */
const tickMs = 20

interface PaceOptions {
  perSecond: number
  /** While this many operations are running, no more begin. Skipped operations are not made up for. */
  maxConcurrent: number
  isOver: () => boolean
  /** Begins an operation. Numbers count from 1. */
  begin: (number: number) => Promise<unknown>
}

/** Begins `perSecond` operations until `isOver`, waits for those that are running, and returns all errors. */
export async function paced({ perSecond, maxConcurrent, isOver, begin }: PaceOptions): Promise<unknown[]> {
  const running = new Set<Promise<unknown>>()
  const errors: unknown[] = []
  let due = 0
  let begun = 0
  let checkedAt = performance.now()
  while (!isOver()) {
    await sleep(tickMs)
    const now = performance.now()
    due += ((now - checkedAt) * perSecond) / 1000
    checkedAt = now
    for (; due >= 1 && running.size < maxConcurrent; due -= 1) {
      begun += 1
      const done = begin(begun)
        .catch((error: unknown) => errors.push(error))
        .finally(() => running.delete(done))
      running.add(done)
    }
    due = Math.min(due, 1)
  }
  await Promise.all(running)
  return errors
}
