import { setImmediate as breathe } from 'node:timers/promises'
import { restAfter, sliceMs } from './in-slices.ts'

/** What a parser takes in at once, a few ms of work. */
const chunkBytes = 16 * 1024

/** Hands out a large input piece by piece and rests as slices do (src/in-slices.ts), so that other requests are served in between. */
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
