import { inBatches } from './in-batches.ts'

/**
 * Like `inBatches`, for documents of all businesses. After `mostOfOne` documents of a business it skips the rest of that business, so that a
 * million of them do not delay those of others. `find` returns documents from `last` on (null: all), ordered by time, except those of the
 * businesses in `without`. It may return a document twice. If `act` throws, the next batches still run, so that one bad document does not block
 * the others; in the end the first error is thrown.
 */
export async function inFairBatches<Doc extends { businessId: string }>(
  mostOfOne: number,
  find: (last: Doc | null, without: readonly string[]) => AsyncIterable<Doc>,
  act: (docs: Doc[]) => Promise<void>,
): Promise<number> {
  const seenOf = new Map<string, number>()
  const without: string[] = []

  async function* share(): AsyncGenerator<Doc> {
    let last: Doc | null = null
    for (let isOver = false; !isOver; ) {
      isOver = true
      for await (const doc of find(last, without)) {
        const before = seenOf.get(doc.businessId) ?? 0
        seenOf.set(doc.businessId, before + 1)
        yield doc
        last = doc
        if (before + 1 < mostOfOne) continue
        without.push(doc.businessId)
        isOver = false
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
