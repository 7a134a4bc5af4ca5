import type { Opened } from './connect.ts'
import { type Connection, closeConnection, connectionOver } from './connection.ts'

/** Permission to open one more socket. */
export type Permit = 'permit'

interface Waiter {
  origin: string
  grant: (granted: Connection | Permit) => void
}

/**
 * The maximum age of a connection. Once a connection is older, it is closed after its current response, so that DNS
 * changes take effect.
 */
const maxLifeMs = 5 * 60_000

/**
 * Creates a sender's pool of at most `maxSockets` sockets. An idle socket is kept for its origin until the pool is full
 * and a different origin needs a socket. Undici's own pools are not used, because they limit the number of sockets only
 * per origin. They also open sockets without knowing which business needs them, so the CPU time of a handshake could
 * not be charged to a business.
 */
export function createConnections(maxSockets: number) {
  const live = new Set<Connection>()
  // Both of these sets are in insertion order. Therefore the connection that has been idle longest is closed first, and
  // the attempt that has been waiting longest is served first.
  const idle = new Set<Connection>()
  const waiting = new Set<Waiter>()
  const idleOf = new Map<string, Connection[]>()
  let opening = 0

  function forget(connection: Connection): void {
    if (!idle.delete(connection)) return
    const same = idleOf.get(connection.origin) ?? []
    same.splice(same.lastIndexOf(connection), 1)
    if (same.length === 0) idleOf.delete(connection.origin)
  }

  /** Closes the connection, and lets the attempt that has been waiting longest open a new one. */
  function drop(connection: Connection): void {
    if (!live.delete(connection)) return
    forget(connection)
    closeConnection(connection)
    serveNext()
  }

  /**
   * Takes an idle connection that is not too old. The client's own timer also closes connections that have been idle
   * too long, but it fires late if the process is busy.
   */
  function takeIdle(origin: string): Connection | null {
    for (;;) {
      const kept = idleOf.get(origin)?.at(-1)
      if (!kept) return null
      if (performance.now() - kept.idleSince < kept.mayIdleMs) {
        forget(kept)
        return kept
      }
      drop(kept)
    }
  }

  function takePermit(): Permit | null {
    if (live.size + opening >= maxSockets) {
      const [oldest] = idle
      if (!oldest) return null
      live.delete(oldest)
      forget(oldest)
      closeConnection(oldest)
    }
    opening++
    return 'permit'
  }

  function serveNext(): void {
    const [next] = waiting
    const permit = next && takePermit()
    if (permit) next.grant(permit)
  }

  function queue(origin: string, deadline: AbortSignal): Promise<Connection | Permit | null> {
    return new Promise((resolve) => {
      const leave = (granted: Connection | Permit | null): void => {
        waiting.delete(waiter)
        resolve(granted)
      }
      const late = (): void => leave(null)
      const waiter = { origin, grant: leave }
      if (deadline.aborted) return late()
      waiting.add(waiter)
      deadline.addEventListener('abort', late)
    })
  }

  return {
    /**
     * Resolves to an idle connection or to a permit to open a new connection. Resolves to null if neither becomes
     * available before the deadline.
     */
    async acquire(origin: string, deadline: AbortSignal): Promise<Connection | Permit | null> {
      return takeIdle(origin) ?? takePermit() ?? queue(origin, deadline)
    },

    /** Gives back a permit after its socket could not be opened. */
    vacate(): void {
      opening--
      serveNext()
    },

    /**
     * Adds a connection for a socket that was opened with a permit. The connection is in use until `giveBack` is
     * called.
     */
    add(origin: string, { socket, raw }: Opened): Connection {
      const connection = connectionOver(origin, socket, raw)
      opening--
      live.add(connection)
      connection.client.on('disconnect', () => drop(connection))
      return connection
    },

    /**
     * Makes a connection available again after its response has been read to the end. If the attempt that has been
     * waiting longest needs the same origin, that attempt gets the connection.
     */
    giveBack(connection: Connection): void {
      const old = performance.now() - connection.openedAt > maxLifeMs
      if (old || connection.socket.destroyed || connection.socket.readableEnded) return drop(connection)
      connection.readBefore = connection.raw.bytesRead
      connection.idleSince = performance.now()
      const [next] = waiting
      if (next?.origin === connection.origin) return next.grant(connection)
      if (next) return drop(connection)
      idle.add(connection)
      const same = idleOf.get(connection.origin)
      if (same) same.push(connection)
      else idleOf.set(connection.origin, [connection])
    },

    drop,

    closeIdle: (): void => idle.forEach(drop),
  }
}
