import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { chanceOf } from '../../support/chance.ts'
import { listen } from '../../support/listen.ts'
import { type Arrival, deliveryIn } from '../evidence/evidence.ts'
import { openRecord, type Recording } from '../evidence/record.ts'
import { type Behaviour, respondAs, slowBehaviours } from './behaviours.ts'
import { hooks } from './hooks.ts'
import { openProvider, type ProviderBehaviour, providerKey, providerPath } from './provider.ts'

/** The servers of the merchants' endpoints at `/hook/<n>`, and of the wallet provider. */
export interface EndpointServers {
  origin: string
  /** The settings of the service for these servers. */
  environment: { [name: string]: string }
  names: readonly string[]
  /** Null restores the initial behaviour. */
  behave(name: string, behaviour: Behaviour | null): void
  behaveProvider(behaviour: ProviderBehaviour | null): void
  /** Ends all behaviours that keep the service waiting. */
  calm(): void
  wallets: ReturnType<typeof openProvider>['wallets']
  record: Recording
  close(): Promise<void>
}

type Opening = { seed: number; folder: string; clockAheadMs: () => number }

export async function openEndpointServers({ seed, folder, clockAheadMs }: Opening): Promise<EndpointServers> {
  const record = openRecord(folder)
  const chance = chanceOf(seed, 'endpointServers')
  const initial = hooks()
  const current = new Map(initial)
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
    const did = await (early ?? respondAs(behaviour ?? 'gone', { ...arriving, earlierAttempts, deliveryId }))
    const isUnread = typeof did === 'number' && !(await isSent(res))
    const outcome: Pick<Arrival, 'did' | 'begun'> = isUnread ? { did: 'unread', begun: did } : { did, begun: null }
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
  return {
    origin,
    environment: {
      WEBHOOK_ALLOWED_HOSTS: host,
      WALLET_PROVIDER_URL: `http://${host}${providerPath}`,
      WALLET_PROVIDER_KEY: providerKey,
      // Without TRUST_PROXY, all customers would share the limits of one address.
      TRUST_PROXY: '1',
    },
    names: [...initial.keys()],
    behave: (name, behaviour) => void current.set(name, behaviour ?? initial.get(name) ?? 'ok'),
    behaveProvider: provider.behave,
    calm() {
      for (const [name, behaviour] of initial) current.set(name, slowBehaviours.includes(behaviour) ? 'ok' : behaviour)
      provider.behave('ok')
    },
    wallets: provider.wallets,
    record,
    async close() {
      await close()
      await Promise.all(running)
      await record.close()
    },
  }
}

/** Whether the whole response was sent before the connection closed. */
async function isSent(res: ServerResponse): Promise<boolean> {
  if (!res.writableFinished && !res.closed) await Promise.race([once(res, 'finish'), once(res, 'close')])
  return res.writableFinished
}
