import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'

/** The process serves no other requests during a slice. */
const sliceMs = 4
/** After a slice of over 20 ms, a longer pause would be wasted. */
const maxRestMs = 10

/** Limits a long computation to two thirds of the process's time. */
export const restAfterSlice = (tookMs: number): Promise<void> => pause(Math.min(tookMs / 2, maxRestMs))

export async function runInSlices<Item>(items: Iterable<Item>, act: (item: Item) => void): Promise<void> {
  let beganAt = performance.now()
  for (const item of items) {
    act(item)
    const tookMs = performance.now() - beganAt
    if (tookMs < sliceMs) continue
    await restAfterSlice(tookMs)
    beganAt = performance.now()
  }
}

/** Decoding a product with a hundred variants takes 0.3 ms. */
export async function readInSlices<Doc>(cursor: mongo.FindCursor<Doc>, act: (doc: Doc) => void) {
  try {
    while (await cursor.hasNext()) await runInSlices(decoded(cursor), act)
  } finally {
    await cursor.close()
  }
}

function* decoded<Doc>(cursor: mongo.FindCursor<Doc>): Generator<Doc, void, undefined> {
  for (;;) {
    const [doc] = cursor.readBufferedDocuments(1)
    if (doc === undefined) return
    yield doc
  }
}

const chunkBytes = 16 * 1024

export async function* streamChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  let tookMs = 0
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const beganAt = performance.now()
    yield bytes.subarray(at, at + chunkBytes)
    tookMs += performance.now() - beganAt
    if (tookMs < sliceMs) await nextIteration()
    else {
      await restAfterSlice(tookMs)
      tookMs = 0
    }
  }
}
