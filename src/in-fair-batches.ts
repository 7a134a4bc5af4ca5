import { inBatches } from './in-batches.ts'

/**
 * As `inBatches`, for documents of all businesses. Once a business has had `mostOfOne`, the look goes on without it, so that a million of its
 * documents do not keep those of others waiting. `find` returns the documents that follow `last` (null: all) in the order of time, without
 * those of some businesses. It may return some of them twice. After a fault of `act` the look goes on, so that one document that cannot be
 * handled does not keep the others waiting; the first fault is thrown in the end.
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
