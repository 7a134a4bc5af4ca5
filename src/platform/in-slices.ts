import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'

/** Short, because no other request is served meanwhile. */
const sliceMs = 4
/** A slice of over 20 ms was probably interrupted by other work, so it needs no longer rest. */
const maxRestMs = 10

/** Half as long as the slice, so long computations occupy the process two thirds of the time. */
export const restAfter = (tookMs: number): Promise<void> => pause(Math.min(tookMs / 2, maxRestMs))

/** In slices of a few ms, between which the process serves other requests. */
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

/** Like `inSlices`, for a cursor. Decoding counts towards the slice: a product of a hundred variants takes 0.3 ms. */
export async function readInSlices<Doc>(cursor: mongo.FindCursor<Doc>, act: (doc: Doc) => void): Promise<void> {
  try {
    while (await cursor.hasNext()) await inSlices(decoded(cursor), act)
  } finally {
    await cursor.close()
  }
}

/** Of the received batch, one at a time, as they are consumed. */
function* decoded<Doc>(cursor: mongo.FindCursor<Doc>): Generator<Doc, void, undefined> {
  for (;;) {
    const [doc] = cursor.readBufferedDocuments(1)
    if (doc === undefined) return
    yield doc
  }
}

/** A parser needs a few ms for this much. */
const chunkBytes = 16 * 1024

/** Splits a large input, with pauses like those of `inSlices`. */
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
