import type { Opened } from './connect.ts'
import type { Fault } from './faults.ts'

/** A connection, which must only be used for the `origin` for which its address was checked. */
export interface Connection extends Opened {
  origin: string
  openedAt: number
  idleSince: number
  /** How long the connection may stay idle. After this time, the endpoint may be about to close the connection. */
  mayIdleMs: number
}

/**
 * How long a connection may stay idle if the endpoint sends no `Keep-Alive` header. Many servers close idle connections
 * after 5 s. This limit is shorter, because an attempt fails if its connection is closed just as it is being reused.
 */
const idleMs = 4_000

/** The maximum idle time, even if an endpoint allows more with `Keep-Alive: timeout=…`. */
const maxIdleMs = 60_000

/**
 * A connection is not reused during this last part of the endpoint's keep-alive timeout. This margin allows for the
 * time that a request takes to reach the endpoint.
 */
const idleMarginMs = 2_000

/** Returns how many milliseconds a connection may stay idle after a response with this `Keep-Alive` header. */
export function mayIdleFor(keepAlive: unknown): number {
  const seconds = typeof keepAlive === 'string' ? /timeout=(\d{1,6})/i.exec(keepAlive)?.[1] : undefined
  return seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - idleMarginMs, maxIdleMs)
}

/**
 * The maximum age of a connection. Once a connection is older, it is closed after its current response, so that DNS
 * changes take effect.
 */
const maxLifeMs = 5 * 60_000

/**
 * Creates a sender's pool of connections. Idle connections are kept for their origin, until there are `maxSockets`
 * sockets and another one is needed. Callers limit the number of connections that are in use at the same time.
 */
export function createConnections(maxSockets: number) {
  /** In the order in which the connections became idle. */
  const idle = new Set<Connection>()
  const idleOf = new Map<string, Connection[]>()
  let sockets = 0

  function forget(connection: Connection): void {
    if (!idle.delete(connection)) return
    const same = idleOf.get(connection.origin) ?? []
    same.splice(same.lastIndexOf(connection), 1)
    if (same.length === 0) idleOf.delete(connection.origin)
  }

  function drop(connection: Connection): void {
    forget(connection)
    connection.gauge.stream.destroy()
  }

  return {
    /** Takes the origin's idle connection that was used last, or returns null if there is none. */
    take(origin: string): Connection | null {
      for (;;) {
        const kept = idleOf.get(origin)?.at(-1)
        if (!kept) return null
        forget(kept)
        // The socket's timer fires late if the process is busy.
        if (kept.raw.writable && performance.now() - kept.idleSince < kept.mayIdleMs) return kept
        drop(kept)
      }
    },

    /** Opens a connection with `openSocket`. It is in use until `giveBack` or `drop` is called. */
    async open(
      origin: string,
      openSocket: () => Promise<Opened | { fault: Fault }>,
    ): Promise<Connection | { fault: Fault }> {
      const [longestIdle] = idle
      if (sockets >= maxSockets && longestIdle) drop(longestIdle)
      sockets += 1
      const opened = await openSocket()
      if ('fault' in opened) {
        sockets -= 1
        return opened
      }
      const now = performance.now()
      const connection = { ...opened, origin, openedAt: now, idleSince: now, mayIdleMs: idleMs }
      opened.raw.on('timeout', () => idle.has(connection) && drop(connection))
      opened.raw.once('close', () => {
        sockets -= 1
        forget(connection)
      })
      return connection
    },

    /** Makes a connection available again after its response has been read to the end. */
    giveBack(connection: Connection): void {
      const { origin, raw, openedAt, mayIdleMs } = connection
      const now = performance.now()
      if (!raw.writable || mayIdleMs <= 0 || now - openedAt > maxLifeMs) return drop(connection)
      connection.idleSince = now
      if (raw.timeout !== mayIdleMs) raw.setTimeout(mayIdleMs)
      idle.add(connection)
      const same = idleOf.get(origin)
      if (same) same.push(connection)
      else idleOf.set(origin, [connection])
    },

    drop,

    closeIdle: (): void => idle.forEach(drop),
  }
}
