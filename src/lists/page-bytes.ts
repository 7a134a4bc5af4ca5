import { mongo } from 'mongoose'
import { maxPageBytes, PageTooLarge } from '../limits/capacity.ts'
import { readInSlices } from '../platform/in-slices.ts'

/**
 * Reads the documents of a page one by one. Throws PageTooLarge as soon as the page is too large, because decoding 100
 * intents with 1 000 refunds each takes half a second.
 */
export async function readWithinPage<Doc extends object>(cursor: mongo.FindCursor<Doc>): Promise<Doc[]> {
  const found: Doc[] = []
  let bytes = 0
  await readInSlices(cursor, (doc) => {
    found.push(doc)
    bytes += mongo.BSON.calculateObjectSize(doc)
    if (bytes > maxPageBytes) throw new PageTooLarge()
  })
  return found
}
