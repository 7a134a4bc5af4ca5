import type { Socket } from 'node:net'
import type { Client } from 'undici'
import type { Meter } from './meter.ts'

/**
 * Lets `client` read from its `socket` only while the meter has time left, and charges the parsing time to the meter.
 * The limit is necessary because endpoints choose what they send, and some content is slow to parse: 64 KiB of the
 * shortest possible headers take 3 ms.
 */
export function meterReads(client: Client, socket: Socket, meterOf: () => Meter | null): void {
  const read = socket.read.bind(socket)
  let isWaiting = false
  socket.read = (size?: number) => {
    // Node calls `read(0)` to fill its buffer.
    const ready = size === 0 ? null : (meterOf()?.ready() ?? null)
    if (ready === null) return read(size) as Buffer | null
    if (!isWaiting) void readAgainAfter(ready)
    return null
  }

  async function readAgainAfter(ready: Promise<void>): Promise<void> {
    isWaiting = true
    await ready
    isWaiting = false
    if (!socket.destroyed) socket.emit('readable')
  }

  let startedAt = 0
  // Once connected, the client adds its own listener, which reads and parses. The two listeners below run before and
  // after it.
  client.once('connect', () => {
    socket.prependListener('readable', () => {
      startedAt = performance.now()
    })
    socket.on('readable', () => meterOf()?.count(performance.now() - startedAt))
  })
}
