import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrival } from '../evidence/evidence.ts'
import type { Chance } from './chance.ts'

/** A POST at a receiver, with its body as far as it is read by then, and how often its delivery came before. */
export interface Visit {
  req: IncomingMessage
  res: ServerResponse
  cameBefore: number
  deliveryId: string
  chance: Chance
}

type Meet = (visit: Visit) => Arrival['did'] | Promise<Arrival['did']>

const answer =
  (...statuses: number[]): Meet =>
  ({ res, chance }) => {
    const status = chance.pick(statuses)
    const headers = status >= 300 && status < 400 ? { Location: 'http://127.0.0.1:9/elsewhere' } : {}
    res.writeHead(status, headers).end('thank you')
    return status
  }

/** So long, or until the other side is gone. */
export async function linger(res: ServerResponse, ms: number): Promise<void> {
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  res.once('close', leave)
  await sleep(ms, undefined, { signal: gone.signal }).catch(() => undefined)
  res.off('close', leave)
}

/** Twice what the service waits for an answer in a run of faults. */
const lateMs = 4000
/** Of an answer that is never whole. */
const promisedBytes = 1000

/** The ways that need no other. */
const plainWays = {
  ok: answer(200, 200, 201, 202, 204),
  error: answer(500, 502, 503),
  refuse: answer(400, 401, 404, 422, 429),
  redirect: answer(301, 302, 307, 308),
  gone: answer(410),
  async slow({ res, chance }: Visit): Promise<Arrival['did']> {
    await linger(res, chance.whole(200, 1200))
    if (res.destroyed) return 'hung'
    res.end('at last')
    return 200
  },
  async late({ res }: Visit): Promise<Arrival['did']> {
    await linger(res, lateMs)
    if (res.destroyed) return 'hung'
    res.end('too late')
    return 'slow'
  },
  async hang({ res }: Visit): Promise<Arrival['did']> {
    await new Promise((resolve) => res.once('close', resolve))
    return 'hung'
  },
  reset({ req }: Visit): Arrival['did'] {
    req.socket.resetAndDestroy()
    return 'reset'
  },
  async cut({ req, res }: Visit): Promise<Arrival['did']> {
    res.writeHead(200, { 'Content-Length': promisedBytes })
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
  /** As with `ok`, but said before the body was read (receivers.ts). */
  early: answer(200),
} satisfies { [name: string]: Meet }

const moods = [
  'ok',
  'ok',
  'ok',
  'error',
  'refuse',
  'redirect',
  'slow',
  'reset',
  'cut',
  'garbage',
  'huge',
] as const
const failures = [1, 2, 3, 5, 8]

/** The ways in which a receiver may meet a delivery. */
const ways = {
  ...plainWays,
  /** Each delivery fails a few times first, some of them all eight. */
  flaky(visit: Visit) {
    const most = failures[Number.parseInt(visit.deliveryId.slice(-2), 36) % failures.length] ?? 1
    return visit.cameBefore < most ? plainWays.error(visit) : plainWays.ok(visit)
  },
  /** Anything, each time anew. */
  moody: (visit: Visit) => plainWays[visit.chance.pick(moods)](visit),
}

export type Manner = keyof typeof ways

export const manners = Object.keys(ways) as Manner[]

/** Those that keep the service waiting. */
export const tiresome: readonly Manner[] = ['late', 'hang']

/** Does it, and says what was done. */
export const meet = (manner: Manner, visit: Visit): Promise<Arrival['did']> =>
  Promise.resolve(ways[manner](visit))
