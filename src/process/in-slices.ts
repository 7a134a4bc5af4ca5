import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'

/** The process serves no other request during a slice, so slices are short. */
export const sliceMs = 4
/** Caps the rest, because a slice that takes over 20 ms was probably interrupted by other work. */
const maxRestMs = 10

/**
 * Rests for half as long as the previous slice took, so that one long computation occupies the process for only two
 * thirds of the time.
 */
export const restAfter = (tookMs: number): Promise<void> => pause(Math.min(tookMs / 2, maxRestMs))

/** Calls `act` for each item, in slices of a few ms. The process serves other requests between the slices. */
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
 * Like `inSlices`, for a cursor's documents. Decoding is part of a slice: a product with a hundred variants takes 0.3
 * ms.
 */
export async function readInSlices<Doc>(
  cursor: mongo.FindCursor<Doc>,
  act: (doc: Doc) => void,
): Promise<void> {
  try {
    while (await cursor.hasNext()) await inSlices(decoded(cursor), act)
  } finally {
    await cursor.close()
  }
}

/** Decodes the documents of the received batch one at a time, as the caller consumes them. */
function* decoded<Doc>(cursor: mongo.FindCursor<Doc>): Generator<Doc, void, undefined> {
  for (;;) {
    const [doc] = cursor.readBufferedDocuments(1)
    if (doc === undefined) return
    yield doc
  }
}
