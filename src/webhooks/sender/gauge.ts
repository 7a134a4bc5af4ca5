import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { TimeMeter } from '../../limits/rate.ts'

/** Every received byte counts. Certificates take 4 to 8 KiB. */
const byteLimits = {
  handshake: { maxBytes: 16 * 1024, code: 'HANDSHAKE_TOO_LARGE' },
  response: { maxBytes: 64 * 1024, code: 'RESPONSE_TOO_LARGE' },
}

const maxAtOnce = 4 * 1024

interface Use {
  meter: TimeMeter
  leftBytes: number
  code: string
}

export type Gauge = ReturnType<typeof createGauge>

/**
 * Holds received bytes back until their business has CPU time, because a large
 * certificate chain takes 80 ms to process.
 */
export function createGauge(raw: Socket) {
  let use: Use | null = null
  let passing = Promise.resolve()

  async function pass(chunk: Buffer): Promise<void> {
    const mine = use
    for (let rest = chunk; rest.length > 0; ) {
      for (let ms = mine?.meter.waitMs(); ms; ms = mine?.meter.waitMs()) {
        raw.pause()
        await wait(ms)
      }
      // Bytes after a response must not become part of the next one.
      if (mine === null || mine !== use) return void stream.destroy()
      if (mine.leftBytes === 0)
        return void stream.destroy(Object.assign(new Error('Too many bytes.'), { code: mine.code }))
      const part = rest.subarray(0, Math.min(maxAtOnce, mine.leftBytes))
      rest = rest.subarray(part.length)
      mine.leftBytes -= part.length
      const startedAt = performance.now()
      stream.push(part)
      mine.meter.count(performance.now() - startedAt)
      if (rest.length === 0) continue
      raw.pause()
      // The body's reader runs in the next tick, and may need no more bytes.
      await new Promise<void>(process.nextTick)
    }
    if (raw.isPaused()) raw.resume()
  }

  const stream = new Duplex({
    // Bytes are pushed as they arrive, up to `byteLimits`.
    read: () => undefined,
    write: (chunk, _encoding, done) => void raw.write(chunk, done),
    final: (done) => void raw.end(done),
    destroy(error, done) {
      use = null
      raw.destroy()
      done(error)
    },
  })
  // Between two uses, nobody else listens.
  stream.on('error', () => undefined)
  raw.on('data', (chunk) => {
    passing = pass(chunk)
  })
  // Bytes that arrived earlier may still be waiting.
  raw.on('end', () => void passing.then(() => stream.push(null)))
  raw.on('close', () => void passing.then(() => stream.destroy()))

  return {
    stream,
    begin(kind: keyof typeof byteLimits, meter: TimeMeter): void {
      const { maxBytes, code } = byteLimits[kind]
      use = { meter, leftBytes: maxBytes, code }
    },
    /** If a byte arrives before the next `begin`, the connection closes. */
    end(): void {
      use = null
    },
  }
}
