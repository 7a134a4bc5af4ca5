import { inBatches } from './in-batches.ts'

/** How many documents of one business one look takes. The rest waits for the next look. */
const mostOfOne = 5000

/** A document, and how many of its business came before it in this look. */
interface Placed<Doc> {
  doc: Doc
  before: number
}

/**
 * As `inBatches`, for documents of all businesses. Once a business has had its share, the look goes on without it, so that a million of its
 * documents do not keep those of others waiting. `find` returns the documents that follow `last` (null: all) in the order of time, without
 * those of some businesses.
 */
export async function inFairBatches<Doc extends { businessId: string }>(
  find: (last: Doc | null, without: readonly string[]) => AsyncIterable<Doc>,
  act: (docs: Placed<Doc>[]) => Promise<void>,
): Promise<number> {
  const seenOf = new Map<string, number>()
  const without: string[] = []

  async function* share(): AsyncGenerator<Placed<Doc>> {
    let last: Doc | null = null
    for (let isOver = false; !isOver; ) {
      isOver = true
      for await (const doc of find(last, without)) {
        const before = seenOf.get(doc.businessId) ?? 0
        seenOf.set(doc.businessId, before + 1)
        yield { doc, before }
        last = doc
        if (before + 1 < mostOfOne) continue
        without.push(doc.businessId)
        isOver = false
        break
      }
    }
  }
  return inBatches(share(), act)
}
