import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import { chanceOf } from '../../support/chance.ts'
import { listen } from '../../support/listen.ts'
import { deliveryIn, openRecord } from '../evidence/evidence.ts'
import { behaviours, respondAs, slowBehaviours } from './behaviours.ts'
import { openProvider, providerBehaviours, providerKey, providerPath } from './provider.ts'

export const businessesCount = 7
export const hooksPerBusiness = 5

/** Assigned to endpoints one after another, except each business's first, which accepts everything. */
const names = 'flaky error early slow random hang ok reset refuse huge cut late garbage redirect gone ok'
const troubles = names.split(' ')
export const hookName = (business: number, hook: number) => `/hook/${business * hooksPerBusiness + hook + 1}`

export function behaviourOf(business: number, hook: number): string {
  const number = business * (hooksPerBusiness - 1) + hook - 1
  return (hook === 0 ? 'ok' : troubles[number % troubles.length]) ?? 'ok'
}

const hooks: ReadonlyMap<string, string> = new Map(
  Array.from({ length: businessesCount * hooksPerBusiness }, (_, index) => {
    const [business, hook] = [Math.floor(index / hooksPerBusiness), index % hooksPerBusiness]
    return [hookName(business, hook), behaviourOf(business, hook)]
  }),
)

export const behavioursByTarget: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...hooks.keys()].map((name) => [name, Object.keys(behaviours)] as const),
  ['provider', providerBehaviours.filter((behaviour) => behaviour !== 'ok')],
])

export type EndpointServers = Awaited<ReturnType<typeof openEndpointServers>>
type Opening = { seed: number; folder: string; clockAheadMs: () => number }

export async function openEndpointServers({ seed, folder, clockAheadMs }: Opening) {
  const record = openRecord(folder)
  const chance = chanceOf(seed, 'endpointServers')
  const current = new Map(hooks)
  const attempts = new Map<string, number>()
  const provider = openProvider(chanceOf(seed, 'provider'), record, clockAheadMs)
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { url: path = '' } = req
    if (path.startsWith(providerPath)) return provider.receive(req, res)
    const [at, ahead] = [Date.now(), clockAheadMs()]
    const behaviour = current.get(path)
    const arriving = { req, res, chance, earlierAttempts: 0, deliveryId: '' }
    const early = behaviour === 'early' ? respondAs(behaviour, arriving) : null
    const body = await text(req)
    const deliveryId = deliveryIn(body) || body
    const earlierAttempts = attempts.get(deliveryId) ?? 0
    attempts.set(deliveryId, earlierAttempts + 1)
    const did = await (early ?? respondAs(behaviour, { ...arriving, earlierAttempts, deliveryId }))
    const isUnread = typeof did === 'number' && !(await isSent(res))
    const outcome = isUnread ? ({ did: 'unread', begun: did } as const) : { did, begun: null }
    const headers = req.headers as { [name: string]: string }
    record.arrival({ at, clockAheadMs: ahead, path, headers, body, ...outcome, done: Date.now() })
  }
  const running = new Set<Promise<void>>()
  const server = createServer((req, res) => {
    const done = receive(req, res)
      .catch(() => void res.destroy())
      .finally(() => running.delete(done))
    running.add(done)
  })
  const { host, origin, close } = await listen(server)
  const proxy = seed % 2 === 0 ? null : await listen(createEgressProxy())
  return {
    origin,
    environment: {
      WEBHOOK_ALLOWED_HOSTS: host,
      WALLET_PROVIDER_URL: `http://${host}${providerPath}`,
      WALLET_PROVIDER_KEY: providerKey,
      ...(proxy && { WEBHOOK_PROXY_URL: proxy.origin }),
      // Without TRUST_PROXY, all customers would share one address's limits.
      TRUST_PROXY: '1',
    },
    behave(target: string, behaviour: string | null): void {
      if (target === 'provider') provider.behave(behaviour)
      else current.set(target, behaviour ?? hooks.get(target) ?? 'ok')
    },
    calm(): void {
      for (const [name, usual] of hooks) current.set(name, slowBehaviours.includes(usual) ? 'ok' : usual)
      provider.behave('ok')
    },
    wallets: provider.wallets,
    record,
    async close(): Promise<void> {
      await Promise.all([close(), proxy?.close()])
      await Promise.all(running)
      await record.close()
    },
  }
}

const createEgressProxy = () =>
  createServer().on('connect', ({ url }, socket) => {
    const { hostname, port } = new URL(`http://${url}`)
    const target = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    pipeline(socket, target, socket, () => undefined)
  })

async function isSent(res: ServerResponse): Promise<boolean> {
  if (!res.writableFinished && !res.closed) await Promise.race([once(res, 'finish'), once(res, 'close')])
  return res.writableFinished
}
