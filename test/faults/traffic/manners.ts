import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../support/chance.ts'
import type { Arrival } from '../evidence/evidence.ts'

/** A webhook that arrives, and how often its delivery came before. */
export interface Visit {
  req: IncomingMessage
  res: ServerResponse
  cameBefore: number
  deliveryId: string
  chance: Chance
}

type Meet = (visit: Visit) => Arrival['did'] | Promise<Arrival['did']>

const respond =
  (...statuses: number[]): Meet =>
  ({ res, chance }) => {
    const status = chance.pick(statuses)
    const headers = status >= 300 && status < 400 ? { Location: 'http://127.0.0.1:9/elsewhere' } : {}
    res.writeHead(status, headers).end('thank you')
    return status
  }

/** Waits so long, or until the client has gone. */
export async function linger(res: ServerResponse, ms: number): Promise<void> {
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  res.once('close', leave)
  await sleep(ms, undefined, { signal: gone.signal }).catch(() => undefined)
  res.off('close', leave)
}

/** Responds with 200 after so long. */
const later =
  (waitMs: (chance: Chance) => number, did: Arrival['did']): Meet =>
  async ({ res, chance }) => {
    await linger(res, waitMs(chance))
    if (res.destroyed) return 'hung'
    res.end('at last')
    return did
  }

const plain = {
  ok: respond(200, 200, 201, 202, 204),
  error: respond(500, 502, 503),
  refuse: respond(400, 401, 404, 422, 429),
  redirect: respond(301, 302, 307, 308),
  gone: respond(410),
  slow: later((chance) => chance.whole(200, 1200), 200),
  /** Twice the timeout of the service in a round. */
  late: later(() => 4000, 'slow'),
  async hang({ res }: Visit): Promise<Arrival['did']> {
    await new Promise((resolve) => res.once('close', resolve))
    return 'hung'
  },
  reset({ req }: Visit): Arrival['did'] {
    req.socket.resetAndDestroy()
    return 'reset'
  },
  async cut({ req, res }: Visit): Promise<Arrival['did']> {
    res.writeHead(200, { 'Content-Length': 1000 })
    await new Promise((resolve) => res.write('half of it', resolve))
    req.socket.destroy()
    return 'cut'
  },
  garbage({ req }: Visit): Arrival['did'] {
    req.socket.end('this is no HTTP at all\r\n\r\n')
    return 'garbage'
  },
  huge({ res }: Visit): Arrival['did'] {
    res.end('x'.repeat(1_000_000))
    return 200
  },
  /** Responds before it has read the body (receivers.ts). */
  early: respond(200),
} satisfies { [name: string]: Meet }

const moods: readonly (keyof typeof plain)[] = [
  ...(['ok', 'ok', 'ok', 'error', 'refuse', 'redirect'] as const),
  ...(['slow', 'reset', 'cut', 'garbage', 'huge'] as const),
]
const failures = [1, 2, 3, 5, 8]

const ways = {
  ...plain,
  /** Each delivery fails a few times first, some of them eight times. */
  flaky(visit: Visit) {
    const most = failures[Number.parseInt(visit.deliveryId.slice(-2), 36) % failures.length] ?? 1
    return visit.cameBefore < most ? plain.error(visit) : plain.ok(visit)
  },
  /** Something else each time. */
  moody: (visit: Visit) => plain[visit.chance.pick(moods)](visit),
}

export type Manner = keyof typeof ways
export const manners = Object.keys(ways) as Manner[]
/** These keep the service waiting. */
export const tiresome: readonly Manner[] = ['late', 'hang']

/** Returns what was done. */
export const meet = (manner: Manner, visit: Visit): Promise<Arrival['did']> =>
  Promise.resolve(ways[manner](visit))
