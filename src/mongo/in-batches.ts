import { setTimeout as pause } from 'node:timers/promises'

const batchSize = 250
const longestRestMs = 250

/**
 * Pauses after each batch for as long as it took, up to `longestRestMs`, so that even a hundred thousand documents
 * don't delay other work in MongoDB, Redis or this process. Returns the number of documents.
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
    if (docs.length < batchSize) continue
    const beganAt = performance.now()
    await act(docs)
    docs = []
    await pause(Math.min(longestRestMs, performance.now() - beganAt))
  }
  if (docs.length > 0) await act(docs)
  return seen
}
