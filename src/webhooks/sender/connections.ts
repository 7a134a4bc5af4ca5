import type { Failure } from './faults.ts'
import type { OpenedSocket } from './open-socket.ts'

/** Use a connection only for its `origin`, whose address was checked. */
export interface HttpConnection extends OpenedSocket {
  origin: string
  openedAt: number
  idleSince: number
  /** After this time, the endpoint may be about to close the connection. */
  mayIdleMs: number
}

/** Many servers close idle connections after 5 s. */
const idleMs = 4_000

/** Applies even if the endpoint allows more with `Keep-Alive: timeout=…`. */
const maxIdleMs = 60_000

/** A request takes time to arrive, so this is subtracted from the timeout. */
const idleMarginMs = 2_000

export function maxIdleMsFor(keepAlive: unknown): number {
  const seconds = typeof keepAlive === 'string' ? /timeout=(\d{1,6})/i.exec(keepAlive)?.[1] : undefined
  return seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - idleMarginMs, maxIdleMs)
}

/** Closing old connections lets DNS changes take effect. */
const maxLifeMs = 5 * 60_000

/** Callers must limit the number of connections in use. */
export function createConnectionPool(maxSockets: number) {
  const idle = new Set<HttpConnection>()
  let sockets = 0

  function drop(connection: HttpConnection): void {
    idle.delete(connection)
    connection.gauge.stream.destroy()
  }

  return {
    take(origin: string): HttpConnection | null {
      for (;;) {
        let kept: HttpConnection | null = null
        for (const connection of idle) if (connection.origin === origin) kept = connection
        if (kept === null) return null
        idle.delete(kept)
        // If the process is busy, the socket's timer fires late.
        if (kept.raw.writable && performance.now() - kept.idleSince < kept.mayIdleMs) return kept
        drop(kept)
      }
    },

    async open(
      origin: string,
      open: () => Promise<OpenedSocket | Failure>,
    ): Promise<HttpConnection | Failure> {
      const [longestIdle] = idle
      if (sockets >= maxSockets && longestIdle) drop(longestIdle)
      sockets += 1
      const opened = await open().catch((error: unknown) => {
        sockets -= 1
        throw error
      })
      if ('fault' in opened) {
        sockets -= 1
        return opened
      }
      const now = performance.now()
      const connection = { ...opened, origin, openedAt: now, idleSince: now, mayIdleMs: idleMs }
      opened.raw.on('timeout', () => idle.has(connection) && drop(connection))
      opened.raw.once('close', () => {
        sockets -= 1
        idle.delete(connection)
      })
      return connection
    },

    giveBack(connection: HttpConnection): void {
      const { raw, openedAt, mayIdleMs } = connection
      const now = performance.now()
      if (!raw.writable || mayIdleMs <= 0 || now - openedAt > maxLifeMs) return drop(connection)
      connection.idleSince = now
      if (raw.timeout !== mayIdleMs) raw.setTimeout(mayIdleMs)
      idle.add(connection)
    },

    drop,

    closeIdle: (): void => idle.forEach(drop),
  }
}
