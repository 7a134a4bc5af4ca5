import { inBatches } from './in-batches.ts'

/**
 * Like `inBatches`, but gives each business a fair share. Once `maxOfOne` of a business's documents have been
 * processed, its remaining documents are skipped, so that a million of them do not delay the documents of other
 * businesses. `find` must return the documents in chronological order, and must omit the documents of the businesses in
 * `without`. `find` may also omit the documents before `last`, which is the last document found so far, or null at the
 * beginning. `find` may return a document twice. If `act` throws, the remaining batches still run, so that one bad
 * document does not block the others. The first error is thrown after all batches have run.
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
  const seen = await inBatches(share(), (docs) => act(docs).catch((error: unknown) => void faults.push(error)))
  if (faults.length > 0) throw faults[0]
  return seen
}
