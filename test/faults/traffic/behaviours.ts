import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../support/chance.ts'
import type { Arrival } from '../evidence/evidence.ts'

type Received = { req: IncomingMessage; res: ServerResponse; chance: Chance }
export type Arriving = Received & { earlierAttempts: number; deliveryId: string }

type Respond = (arriving: Arriving) => Arrival['did'] | Promise<Arrival['did']>

const respond =
  (...statuses: number[]): Respond =>
  ({ res, chance }) => {
    const status = chance.pick(statuses)
    const headers = status >= 300 && status < 400 ? { Location: 'http://127.0.0.1:9/elsewhere' } : {}
    res.writeHead(status, headers).end('thank you')
    return status
  }

export async function linger(res: ServerResponse, ms: number): Promise<void> {
  const disconnected = new AbortController()
  const leave = (): void => disconnected.abort()
  res.once('close', leave)
  await sleep(ms, undefined, { signal: disconnected.signal }).catch(() => undefined)
  res.off('close', leave)
}

const later =
  (waitMs: (chance: Chance) => number, did: Arrival['did']): Respond =>
  async ({ res, chance }) => {
    await linger(res, waitMs(chance))
    if (res.destroyed) return 'hung'
    res.end('at last')
    return did
  }

const failures = [1, 2, 3, 5, 8]
const randomChoices = 'ok ok ok error refuse redirect slow reset cut garbage huge'.split(' ')

export const behaviours: Readonly<Record<string, Respond>> = {
  ok: respond(200, 200, 201, 202, 204),
  error: respond(500, 502, 503),
  refuse: respond(400, 401, 404, 422, 429),
  redirect: respond(301, 302, 307, 308),
  gone: respond(410),
  slow: later((chance) => chance.whole(200, 1200), 200),
  late: later(() => 4000, 'slow'),
  async hang({ res }) {
    await new Promise((resolve) => res.once('close', resolve))
    return 'hung' as const
  },
  reset({ req }) {
    req.socket.resetAndDestroy()
    return 'reset'
  },
  async cut({ req, res }) {
    res.writeHead(200, { 'Content-Length': 1000 })
    await new Promise((resolve) => res.write('half of it', resolve))
    req.socket.destroy()
    return 'cut' as const
  },
  garbage({ req }) {
    req.socket.end('this is no HTTP at all\r\n\r\n')
    return 'garbage'
  },
  huge({ res }) {
    res.end('x'.repeat(1_000_000))
    return 200
  },
  early: respond(200),
  flaky(arriving) {
    const most = failures[Number.parseInt(arriving.deliveryId.slice(-2), 36) % failures.length] ?? 1
    return respondAs(arriving.earlierAttempts < most ? 'error' : 'ok', arriving)
  },
  random: (arriving) => respondAs(arriving.chance.pick(randomChoices), arriving),
}

export const respondAs = async (behaviour: string | undefined, arriving: Arriving): Promise<Arrival['did']> =>
  (behaviours[behaviour ?? ''] ?? respond(410))(arriving)
export const slowBehaviours: readonly string[] = ['late', 'hang']
