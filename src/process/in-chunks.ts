import { setImmediate as breathe } from 'node:timers/promises'
import { restAfter, sliceMs } from './in-slices.ts'

/** A few ms of work for a parser. */
const chunkBytes = 16 * 1024

/** Yields a large input in chunks. Rests between them like `inSlices`, so that the process serves other requests. */
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
