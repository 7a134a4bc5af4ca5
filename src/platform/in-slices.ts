import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'

/** The length of a slice. Slices must be short, because the process serves no other requests during a slice. */
const sliceMs = 4
/**
 * The longest rest. If a slice takes more than 20 ms, other work probably interrupted it, so a longer rest is
 * unnecessary.
 */
const maxRestMs = 10

/**
 * Rests for half as long as the previous slice took, so that a long computation occupies the process for only two
 * thirds of the time.
 */
export const restAfter = (tookMs: number): Promise<void> => pause(Math.min(tookMs / 2, maxRestMs))

/** Calls `act` for each item, in slices of a few ms. The process can serve other requests between slices. */
export async function inSlices<Item>(items: Iterable<Item>, act: (item: Item) => void): Promise<void> {
  let beganAt = performance.now()
  for (const item of items) {
    act(item)
    const tookMs = performance.now() - beganAt
    if (tookMs < sliceMs) continue
    await restAfter(tookMs)
    beganAt = performance.now()
  }
}

/**
 * Calls `act` for each document that a cursor returns, in the same slices as `inSlices`. The time to decode a document
 * counts towards its slice. For a product with a hundred variants, this time is 0.3 ms.
 */
export async function readInSlices<Doc>(cursor: mongo.FindCursor<Doc>, act: (doc: Doc) => void): Promise<void> {
  try {
    while (await cursor.hasNext()) await inSlices(decoded(cursor), act)
  } finally {
    await cursor.close()
  }
}

/** Decodes the documents of the batch that has been received, one at a time as the caller consumes them. */
function* decoded<Doc>(cursor: mongo.FindCursor<Doc>): Generator<Doc, void, undefined> {
  for (;;) {
    const [doc] = cursor.readBufferedDocuments(1)
    if (doc === undefined) return
    yield doc
  }
}

/** A parser takes a few ms to process a chunk of this size. */
const chunkBytes = 16 * 1024

/**
 * Yields a large input in chunks. Pauses between chunks in the same way as `inSlices`, so that the process can serve
 * other requests.
 */
export async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  let tookMs = 0
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const beganAt = performance.now()
    yield bytes.subarray(at, at + chunkBytes)
    tookMs += performance.now() - beganAt
    if (tookMs < sliceMs) await breathe()
    else {
      await restAfter(tookMs)
      tookMs = 0
    }
  }
}
