import { setImmediate as breathe } from 'node:timers/promises'
import { restAfter, sliceMs } from './in-slices.ts'

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
