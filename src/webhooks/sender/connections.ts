import type { Opened } from './connect.ts'
import { type Connection, closeConnection, connectionOver } from './connection.ts'

/** Leave to open one more socket. */
export type Place = 'place'

interface Waiter {
  origin: string
  grant: (got: Connection | Place) => void
}

/** A busy connection ends after this, so that a change in DNS is followed. */
const longestLifeMs = 5 * 60_000

/** The sockets of one sender: at most `maxSockets`, idle ones kept for their origin until another needs the place. */
export function createConnections(maxSockets: number) {
  const live = new Set<Connection>()
  // Both in the order in which they came: the longest idle goes first, the longest waiting is served first.
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

  /** Closes the connection and lets the next in line have its place. */
  function drop(connection: Connection): void {
    if (!live.delete(connection)) return
    forget(connection)
    closeConnection(connection)
    serveNext()
  }

  /** Its own timer closes one that waits too long, but on a busy process timers run late: so its age is looked at when it is used. */
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

  function takePlace(): Place | null {
    if (live.size + opening >= maxSockets) {
      const [oldest] = idle
      if (!oldest) return null
      live.delete(oldest)
      forget(oldest)
      closeConnection(oldest)
    }
    opening++
    return 'place'
  }

  function serveNext(): void {
    const [next] = waiting
    const place = next && takePlace()
    if (place) next.grant(place)
  }

  function queue(origin: string, deadline: AbortSignal): Promise<Connection | Place | null> {
    return new Promise((resolve) => {
      const leave = (got: Connection | Place | null): void => {
        waiting.delete(waiter)
        resolve(got)
      }
      const late = (): void => leave(null)
      const waiter = { origin, grant: leave }
      if (deadline.aborted) return late()
      waiting.add(waiter)
      deadline.addEventListener('abort', late)
    })
  }

  return {
    /** An idle connection, a place for a new one, or null when none was free before the deadline. */
    async acquire(origin: string, deadline: AbortSignal): Promise<Connection | Place | null> {
      return takeIdle(origin) ?? takePlace() ?? queue(origin, deadline)
    },

    /** Gives back a place that came to nothing. */
    vacate(): void {
      opening--
      serveNext()
    },

    /** Puts an open socket into the place that was taken for it. */
    add(origin: string, { socket, raw }: Opened): Connection {
      const connection = connectionOver(origin, socket, raw)
      opening--
      live.add(connection)
      connection.client.on('disconnect', () => drop(connection))
      return connection
    },

    /** Keeps a connection whose answer was read to the end, or hands it to who waits for the same receiver. */
    giveBack(connection: Connection): void {
      const old = performance.now() - connection.openedAt > longestLifeMs
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
