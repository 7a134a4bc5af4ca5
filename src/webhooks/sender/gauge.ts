import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Meter } from '../../limits/rate.ts'

/**
 * How many bytes an endpoint may send, framing included. A certificate chain typically takes 4 KiB, a long one 8 KiB.
 * The limit on responses stops floods that the HTTP parser ignores, e.g. of 1xx responses or TLS records.
 */
const limits = {
  handshake: { maxBytes: 16 * 1024, code: 'HANDSHAKE_TOO_LARGE' },
  response: { maxBytes: 64 * 1024, code: 'RESPONSE_TOO_LARGE' },
}

/** How many bytes are processed before the meter and the limit are checked again. */
const maxAtOnce = 4 * 1024

/** What the bytes that arrive are part of. */
interface Use {
  meter: Meter
  leftBytes: number
  code: string
}

const coded = (code: string): Error => Object.assign(new Error('Too many bytes.'), { code })

export type Gauge = ReturnType<typeof createGauge>

/**
 * Creates a stream between the socket and HTTP or TLS. An endpoint chooses the bytes that it sends, and some are slow
 * to process: a certificate chain of 94 KB blocks the process for 80 ms. So the bytes wait until their business has CPU
 * time left, and their processing is charged to it.
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
      // Bytes after the end of a response must not become the beginning of the next one.
      if (mine === null || mine !== use) return void stream.destroy()
      if (mine.leftBytes === 0) return void stream.destroy(coded(mine.code))
      const part = rest.subarray(0, Math.min(maxAtOnce, mine.leftBytes))
      rest = rest.subarray(part.length)
      mine.leftBytes -= part.length
      const startedAt = performance.now()
      stream.push(part)
      mine.meter.count(performance.now() - startedAt)
      if (rest.length === 0) continue
      raw.pause()
      // Node emits the first bytes of a body in the next tick, and these may be all that is needed.
      await new Promise<void>(process.nextTick)
    }
    if (raw.isPaused()) raw.resume()
  }

  const stream = new Duplex({
    // Bytes are pushed as they arrive, not when they are requested. `limits` bounds their number.
    read: () => undefined,
    write: (chunk, _encoding, done) => void raw.write(chunk, done),
    final: (done) => void raw.end(done),
    destroy(error, done) {
      use = null
      raw.destroy()
      done(error)
    },
  })
  raw.on('data', (chunk) => {
    passing = pass(chunk)
  })
  // Bytes that arrived before the end, or before an error, may still be waiting.
  raw.on('end', () => void passing.then(() => stream.push(null)))
  raw.on('close', () => void passing.then(() => stream.destroy()))

  return {
    stream,
    /** The bytes that arrive from now on are part of a handshake or a response. */
    begin(kind: keyof typeof limits, meter: Meter): void {
      const { maxBytes, code } = limits[kind]
      use = { meter, leftBytes: maxBytes, code }
    },
    /** If a byte arrives before the next `begin`, the connection is closed. */
    end(): void {
      use = null
    },
  }
}
