import { mongo } from 'mongoose'
import { maxPageBytes, PageTooLarge } from '../limits/capacity.ts'
import { restAfter, sliceMs } from '../process/in-slices.ts'

/**
 * Reads the documents of a page one by one. Throws PageTooLarge as soon as the page is too large, because decoding 100
 * intents with 1 000 refunds each takes half a second. Pauses in the same way as `inSlices`, so that the process serves
 * other requests between documents.
 */
export async function readWithinPage<Doc extends object>(cursor: AsyncIterable<Doc>): Promise<Doc[]> {
  const found: Doc[] = []
  let bytes = 0
  let beganAt: number | null = null
  for await (const doc of cursor) {
    found.push(doc)
    bytes += mongo.BSON.calculateObjectSize(doc)
    if (bytes > maxPageBytes) throw new PageTooLarge()
    // The time until the first document arrives is spent waiting for MongoDB, not computing.
    beganAt ??= performance.now()
    const tookMs = performance.now() - beganAt
    if (tookMs < sliceMs) continue
    await restAfter(tookMs)
    beganAt = performance.now()
  }
  return found
}
