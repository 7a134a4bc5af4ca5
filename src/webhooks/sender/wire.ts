import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Meter } from './meter.ts'

/**
 * The maximum number of bytes that an endpoint may send during the handshake. A certificate chain typically takes up
 * about 4 KiB, and a long one 8 KiB. A limit is necessary because the endpoint chooses the chain, and a longer chain
 * takes more time to process.
 */
const maxHandshakeBytes = 16 * 1024

/** A stream that passes bytes between the network socket and TLS. */
export interface Wire extends Duplex {
  /**
   * Must be called after the handshake. From then on, the bytes belong to responses, and they pass through this stream
   * unmetered, because connection.ts limits the size of responses.
   */
  endHandshake(): void
}

const tooLarge = (): Error =>
  Object.assign(new Error('The TLS handshake does not end.'), { code: 'HANDSHAKE_TOO_LARGE' })

/**
 * Creates a stream on top of `raw`. Checking a certificate chain blocks the process. Therefore the bytes of the
 * handshake wait in this stream until `meter` has time left, and the time that it takes to process them is charged to
 * `meter`. Without this limit, a chain of 94 KB would block all other work for 80 ms.
 */
export function createWire(raw: Socket, meter: Meter): Wire {
  const waiting: (Buffer | null)[] = []
  let isPassing = false
  let isHandshake = true

  async function pass(): Promise<void> {
    isPassing = true
    for (let [chunk] = waiting; chunk !== undefined && !wire.destroyed; [chunk] = waiting) {
      const ready = isHandshake ? meter.ready() : null
      if (ready !== null) {
        raw.pause()
        await ready
        continue
      }
      waiting.shift()
      const isCounted = isHandshake
      const startedAt = performance.now()
      wire.push(chunk)
      if (isCounted) meter.count(performance.now() - startedAt)
    }
    isPassing = false
    raw.resume()
  }

  function receive(chunk: Buffer | null): void {
    if (isHandshake && raw.bytesRead > maxHandshakeBytes) return void wire.destroy(tooLarge())
    waiting.push(chunk)
    if (!isPassing) void pass()
  }

  const wire: Wire = Object.assign(
    new Duplex({
      // Bytes are pushed as they arrive, rather than when they are requested, and connection.ts limits their number.
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => void raw.write(chunk, done),
      final: (done) => void raw.end(done),
      destroy(error, done) {
        raw.destroy()
        done(error)
      },
    }),
    { endHandshake: () => void (isHandshake = false) },
  )
  raw.on('data', receive)
  raw.on('end', () => receive(null))
  // After an error on `raw`, no `end` event follows, so the stream must be ended here. The owner of `raw` handles the
  // error itself.
  raw.on('close', (hadError) => hadError && receive(null))
  return wire
}
