import type { Socket } from 'node:net'
import type { Client } from 'undici'
import type { Meter } from './meter.ts'

/**
 * Lets `client` read from its `socket` only while the meter has time left, and charges the parsing time to the meter.
 * This limit is necessary because endpoints choose what they send, and some content is slow to parse. For example,
 * parsing 64 KiB of the shortest possible headers takes 3 ms.
 */
export function meterReads(client: Client, socket: Socket, meterOf: () => Meter | null): void {
  const read = socket.read.bind(socket)
  let isWaiting = false
  socket.read = (size?: number) => {
    // A read of size 0 is not metered, because Node calls `read(0)` only to fill its buffer, and nothing is parsed.
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
  // Once the client is connected, it adds its own listener, which reads and parses data. Of the two listeners below,
  // the first runs just before the client's listener and the second just after it. Together they measure how long the
  // client's listener takes.
  client.once('connect', () => {
    socket.prependListener('readable', () => {
      startedAt = performance.now()
    })
    socket.on('readable', () => meterOf()?.count(performance.now() - startedAt))
  })
}
