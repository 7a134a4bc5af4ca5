import { inBatches } from './in-batches.ts'

/**
 * Like `inBatches`, but fair: once `maxOfOne` documents of a business have been processed, its others are skipped, so
 * that a million of them don't delay other businesses. `find` must return documents in chronological order, without
 * those of the businesses in `without`. It may start at `last` (null at first), and may repeat documents. If `act`
 * throws, the other batches still run; the first error is thrown at the end.
 */
export async function inFairBatches<Doc extends { businessId: string }>(
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
        const before = seenOf.get(doc.businessId) ?? 0
        seenOf.set(doc.businessId, before + 1)
        yield doc
        last = doc
        if (before + 1 < maxOfOne) continue
        without.push(doc.businessId)
        isComplete = false
        break
      }
    }
  }
  const faults: unknown[] = []
  const seen = await inBatches(share(), (docs) =>
    act(docs).catch((error: unknown) => void faults.push(error)),
  )
  if (faults.length > 0) throw faults[0]
  return seen
}
