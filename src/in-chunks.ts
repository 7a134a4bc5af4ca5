import { setImmediate as breathe } from 'node:timers/promises'

/** What a parser takes in at once, a few ms of work. */
const chunkBytes = 16 * 1024

/** Hands out a large input piece by piece, so that other requests are served in between. */
export async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield bytes.subarray(at, at + chunkBytes)
    await breathe()
  }
}
