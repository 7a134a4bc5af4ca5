import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'

/** The process serves no other request during a slice, so slices are short. */
export const sliceMs = 4
/** A slice that takes longer was interrupted: its owner is not to blame for all of it. */
const longestRestMs = 10

/** Rests after a slice for half as long as it took, so that one long computation occupies the process for two thirds of the time. */
export const restAfter = (tookMs: number): Promise<void> => pause(Math.min(tookMs / 2, longestRestMs))

/** Runs `act` for each item in slices of a few ms, and serves other requests between them. */
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

/** The same for the documents of a cursor. Decoding them counts too: it takes 0.3 ms for a product of a hundred variants. */
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

/** Decodes the documents of the batch that has come, each only when it is asked for. */
function* decoded<Doc>(cursor: mongo.FindCursor<Doc>): Generator<Doc, void, undefined> {
  for (;;) {
    const [doc] = cursor.readBufferedDocuments(1)
    if (doc === undefined) return
    yield doc
  }
}
