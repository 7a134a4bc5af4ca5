import { setTimeout as pause } from 'node:timers/promises'

/** How many documents one look takes. */
const batch = 250
/** However long one took, no longer than this is rested. */
const longestRestMs = 250

/**
 * Goes through a cursor in batches and rests between them for as long as each took: a hundred thousand are no reason to keep
 * MongoDB, Redis and this process from what came just now. Answers how many there were.
 */
export async function inBatches<Doc>(
  cursor: AsyncIterable<Doc>,
  act: (docs: Doc[]) => void | Promise<void>,
): Promise<number> {
  let seen = 0
  let docs: Doc[] = []
  for await (const doc of cursor) {
    docs.push(doc)
    seen += 1
    if (docs.length < batch) continue
    const beganAt = performance.now()
    await act(docs)
    docs = []
    await pause(Math.min(longestRestMs, performance.now() - beganAt))
  }
  if (docs.length > 0) await act(docs)
  return seen
}
