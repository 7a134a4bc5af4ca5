import { type Server, startRedis } from '../../dev/servers.ts'
import type { EventName } from '../../schemas/events.ts'
import { parseConfig } from '../../src/config/config.ts'
import { newId } from '../../src/platform/ids.ts'
import { openJobQueues } from '../../src/queues/queues.ts'
import { createIntent, deliveriesOf, readIntent, subscribe } from '../support/actions.ts'
import { type EndpointServer, startEndpointServer } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { pay } from '../support/pay.ts'
import { recordLog } from '../support/recorded-log.ts'
import { type ScriptedWallet, scriptedWallet } from '../support/scripted-wallet.ts'
import { freshEnvironment, type Merchant, openService, type Service } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { createIntents } from '../workers/set-up.ts'

describe('A process with more jobs than Redis takes', () => {
  it('counts the dropped ones, and logs them once a minute', async () => {
    const dropped = new Map<string, number>()
    const recorded = recordLog('warn')
    const config = parseConfig(freshEnvironment({ REDIS_URL: 'redis://127.0.0.1:1' }))
    const queues = openJobQueues(config, recorded.log, (queue, jobs) =>
      dropped.set(queue, (dropped.get(queue) ?? 0) + jobs),
    )
    const add = (count: number) => {
      const job = () => ({ data: { intentIds: [newId()], orderIds: [] } })
      queues.enqueue('outbox-relay', Array.from({ length: count }, job))
    }
    add(19_990)
    add(10)
    expect(dropped.size).to.equal(0)
    for (const count of [1, 3, 5]) add(count)
    queues.enqueue('retention', [{ data: {} }])
    expect([...dropped]).to.deep.equal([['outbox-relay', 9]])
    const lines = recorded.lines().filter(({ msg }) => msg === 'jobs.dropped')
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include({ queue: 'outbox-relay', jobs: 1 })
    await queues.close()
  })
})

const faults = { away: 'SIGKILL', frozen: 'SIGSTOP' } as const

for (const [what, signal] of Object.entries(faults))
  describe(`A service started after Redis received ${signal}`, () => {
    let redis: Server
    let service: Service
    let merchant: Merchant
    let endpointServer: EndpointServer
    let wallet: ScriptedWallet
    before(async () => {
      ;[redis, endpointServer] = await Promise.all([startRedis(), startEndpointServer()])
      await redis.kill(signal)
      const short = { INTENT_LIFETIME_SECONDS: '4', WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1' }
      service = await openService({ REDIS_URL: redis.url, ...short })
      merchant = await service.merchant()
      wallet = scriptedWallet(service)
      service.startWorkers()
      const subscribed = ['payment.created', 'payment.expired', 'payment.confirmed']
      await subscribe(service, merchant, endpointServer.url, subscribed)
    })
    after(async () => {
      await (what === 'frozen' ? redis.kill('SIGCONT') : redis.restart())
      await service.close()
      await Promise.all([redis.stop(), endpointServer.close()])
    })
    const isDelivered = (referenceNumber: string, event: EventName) => {
      const delivered = { referenceNumber, event, status: 'DELIVERED' } as const
      const find = () => service.deps.Delivery.findOne(delivered).lean()
      return waitFor(`${event} is delivered`, find, 15_000)
    }

    it('creates intents in time, and makes first attempts and retries', async () => {
      const failed = new Set<string>()
      endpointServer.respondWith((res, _count, { json }) => {
        res.writeHead(failed.has(json.id) ? 200 : 503).end()
        failed.add(json.id)
      })
      const began = performance.now()
      const made = await createIntents(service, merchant, 10)
      expect(performance.now() - began).to.be.below(deadlineMs(2_000))
      for (const { referenceNumber } of made)
        expect(await isDelivered(referenceNumber, 'payment.created')).to.include({ attempts: 2 })
      endpointServer.respondWith((res) => void res.end())
      for (const { referenceNumber } of made) await isDelivered(referenceNumber, 'payment.expired')
      const first = await readIntent(service, merchant, made[0]?.referenceNumber ?? '')
      expect(first.status).to.equal('CANCELLED')
      expect((await deliveriesOf(service, merchant)).map(({ event }) => event)).to.have.length(20)
    })

    it('shows an event in the feed within 5 s', async () => {
      const stranger = await service.merchant()
      await createIntent(service, stranger)
      const feed = service.http.get('/api/v1/dev/events/feed?wait=5').set(stranger.read())
      expect((await feed).body.data.items).to.have.length(1)
    })

    it('queries the wallet about an unknown outcome until the wallet knows it', async () => {
      const { referenceNumber } = await createIntent(service, merchant)
      wallet.setOutcome(() => ({ outcome: 'unknown', why: 'it hung up' }))
      expect(await pay(service, referenceNumber, { paymentId: newId() })).to.deep.equal({ state: 'waiting' })
      await waitFor('it is asked', () => wallet.queries.length > 0, 15_000)
      wallet.setStatus({ outcome: 'done' })
      await isDelivered(referenceNumber, 'payment.confirmed')
      expect((await readIntent(service, merchant, referenceNumber)).status).to.equal('PAID')
    })
  })
