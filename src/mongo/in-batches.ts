import { setTimeout as pause } from 'node:timers/promises'

const batchSize = 250
const longestRestMs = 250

/** Pauses after a batch for as long as it took, so that other work can run. */
export async function runInBatches<Doc>(
  cursor: AsyncIterable<Doc>,
  act: (docs: Doc[]) => void | Promise<void>,
): Promise<number> {
  let seen = 0
  let docs: Doc[] = []
  for await (const doc of cursor) {
    docs.push(doc)
    seen += 1
    if (docs.length < batchSize) continue
    const beganAt = performance.now()
    await act(docs)
    docs = []
    await pause(Math.min(longestRestMs, performance.now() - beganAt))
  }
  if (docs.length > 0) await act(docs)
  return seen
}

/**
 * Takes at most `maxOfOne` documents per business, so that a large business
 * doesn't delay others. `find` may start at `last` and repeat documents. If
 * `act` throws, the remaining batches still run.
 */
export async function runInFairBatches<Doc extends { businessId: string }>(
  maxOfOne: number,
  find: (last: Doc | null, without: readonly string[]) => AsyncIterable<Doc>,
  act: (docs: Doc[]) => Promise<void>,
): Promise<number> {
  const seenOf = new Map<string, number>()
  const without: string[] = []

  async function* share(): AsyncGenerator<Doc> {
    let last: Doc | null = null
    for (let isComplete = false; !isComplete; ) {
      isComplete = true
      for await (const doc of find(last, without)) {
        const seen = (seenOf.get(doc.businessId) ?? 0) + 1
        seenOf.set(doc.businessId, seen)
        yield doc
        last = doc
        if (seen < maxOfOne) continue
        without.push(doc.businessId)
        isComplete = false
        break
      }
    }
  }
  const faults: unknown[] = []
  const seen = await runInBatches(share(), (docs) =>
    act(docs).catch((error: unknown) => void faults.push(error)),
  )
  if (faults.length > 0) throw faults[0]
  return seen
}
