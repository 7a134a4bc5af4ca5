import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** How long the connection of a request had been open, in ms, when it was sent as the first on it; null: it was not the first, or was not sent. */
export type SilentMs = () => number | null

/** What undici says on its channels of what it does, as far as it is looked at here. */
interface Said {
  request: object
  socket: Socket
}

/**
 * Tells of each request how long its connection had said nothing. A client has such connections: for a request that is given up undici
 * opens another at once, and it waits for the next one.
 */
export function watchSilence(): { of<T>(send: () => T): { sent: T; silentMs: SilentMs }; close(): void } {
  const opened = new WeakMap<Socket, number>()
  const silent = new WeakMap<object, number>()
  const made: object[] = []
  const listeners: { [channel: string]: (said: Said) => unknown } = {
    'undici:client:connected': ({ socket }) => opened.set(socket, Date.now()),
    'undici:request:create': ({ request }) => made.push(request),
    'undici:client:sendHeaders': ({ request, socket }) => {
      const at = opened.get(socket)
      if (at !== undefined && socket.bytesWritten === 0) silent.set(request, Date.now() - at)
      else silent.delete(request)
    },
  }
  const listened = Object.entries(listeners).map(
    ([channel, hear]) => [channel, (said: unknown) => hear(said as Said)] as const,
  )
  for (const [channel, hear] of listened) subscribe(channel, hear)

  return {
    /** `send` asks for one thing, which undici makes a request of before it returns. */
    of(send) {
      made.length = 0
      const sent = send()
      const request = made.at(-1)
      return { sent, silentMs: () => (request === undefined ? null : (silent.get(request) ?? null)) }
    },
    close() {
      for (const [channel, hear] of listened) unsubscribe(channel, hear)
    },
  }
}
