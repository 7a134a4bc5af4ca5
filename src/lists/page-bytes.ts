import { mongo } from 'mongoose'
import { Refusal } from '../errors.ts'
import { restAfter, sliceMs } from '../process/in-slices.ts'

/**
 * The maximum size of one page of a list, in bytes. This limit applies both to the documents and to the response text.
 * It is large enough for 100 of the largest orders, or for 100 of the largest intents without refunds.
 */
export const maxPageBytes = 26 * 1024 * 1024

/** The RATE_LIMITED error for a page whose items are too large to be read together. */
export class PageTooLarge extends Refusal {
  constructor() {
    super('RATE_LIMITED', {
      message: 'This page is too large. Request fewer items with `limit`.',
      details: { scope: 'responses', limit: maxPageBytes },
      retryAfterSeconds: 1,
    })
  }
}

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
