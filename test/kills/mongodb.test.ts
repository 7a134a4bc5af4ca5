import { setTimeout as pause } from 'node:timers/promises'
import { type Server, startMongo } from '../../dev/servers.ts'
import { newId } from '../../src/platform/ids.ts'
import { paymentEvents, sendJson, subscribe } from '../support/actions.ts'
import { type EndpointServer, startEndpointServer } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { expectIntact, type Merchant, openService, type Service } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

interface Create {
  key: string
  /** 0 if there was no response. */
  status: number
  referenceNumber: string | null
  tookMs: number
  retryAfter: string | null
}

describe('The service during a MongoDB outage', () => {
  let mongo: Server
  let service: Service
  let web: ServiceProcess
  let worker: ServiceProcess
  let endpointServer: EndpointServer
  let merchant: Merchant
  const loads: { stop(): Promise<unknown> }[] = []
  before(async () => {
    ;[mongo, endpointServer] = await Promise.all([startMongo(), startEndpointServer()])
    service = await openService({ MONGODB_URL: mongo.url })
    const changes = { WEBHOOK_ALLOWED_HOSTS: endpointServer.host }
    ;[web, worker] = await Promise.all([
      startProcess('web', service),
      startProcess('worker', service, changes),
    ])
  })
  beforeEach(async () => {
    merchant = await service.merchant()
    await subscribe(service, merchant, endpointServer.url, paymentEvents)
  })
  afterEach(async function () {
    const failed = this.currentTest?.state === 'failed'
    if (failed) for (const each of [web, worker]) console.error(each.recentLog())
    // Ends the load and the outage after a failure, so that the next test starts clean.
    const ends = loads.splice(0).map((each) => each.stop().catch(() => undefined))
    if (failed) await mongo.restart()
    await Promise.all(ends)
  })
  after(async () => {
    await Promise.all([web.stop(), worker.stop(), endpointServer.close()])
    await expectIntact(service.deps)
    await service.close()
    await mongo.stop()
  })
  async function create(key: string): Promise<Create> {
    const startedAt = performance.now()
    try {
      const response = await sendJson(web.origin, merchant.write(key), '/intents', { amount: 100 })
      const { data, error } = (await response.json()) as {
        data?: { referenceNumber: string }
        error?: { code: string }
      }
      if (response.status >= 500) expect(error?.code).to.equal('SERVICE_UNAVAILABLE')
      const tookMs = performance.now() - startedAt
      const { status, headers } = response
      const referenceNumber = data?.referenceNumber ?? null
      return { key, status, referenceNumber, tookMs, retryAfter: headers.get('retry-after') }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      const tookMs = performance.now() - startedAt
      return { key, status: 0, referenceNumber: null, tookMs, retryAfter: null }
    }
  }

  function load(name: string, customers: number) {
    const creates: Create[] = []
    const end = new AbortController()
    const loops = Array.from({ length: customers }, async (_, customer) => {
      for (let count = 0; !end.signal.aborted; count += 1) {
        const made = await create(`${name}-${customer}-${count}`)
        creates.push(made)
        if (made.status !== 201) await pause(20)
      }
    })
    const ended = Promise.all(loops)
    ended.catch(() => undefined)
    const running = {
      creates,
      async stop() {
        end.abort()
        await Promise.allSettled(loops)
        await ended
        return creates
      },
    }
    loads.push(running)
    return running
  }
  const acknowledged = (creates: Create[]) => creates.filter(({ status }) => status === 201)
  /** Failed creates are retried first. Then each has one intent, whose event arrived at the endpoint. */
  async function expectNothingLostOrDoubled(creates: Create[]) {
    const retried = await Promise.all(
      creates.filter(({ status }) => status !== 201).map(({ key }) => create(key)),
    )
    expect(new Set(retried.map(({ status }) => status))).to.deep.equal(
      new Set(retried.length > 0 ? [201] : []),
    )
    const promised = [...acknowledged(creates), ...retried].map(({ referenceNumber }) => referenceNumber)
    expect(new Set(promised)).to.have.property('size', creates.length)
    const { businessId } = merchant
    const intents = await service.deps.Intent.find({ businessId }, { referenceNumber: 1 }).lean()
    expect(intents.map(({ referenceNumber }) => referenceNumber)).to.have.members(promised)
    const reached = () =>
      new Set(
        endpointServer.received
          .map(({ json }) => json.data.reference_number)
          .filter((reference) => promised.includes(String(reference))),
      )
    await waitFor('all delivered', () => reached().size === promised.length, 25_000)
  }

  it('keeps every acknowledged intent exactly once, even if MongoDB is killed under load', async () => {
    const running = load('kill', 20)
    await waitFor('some load', () => acknowledged(running.creates).length > 200)
    await mongo.kill('SIGKILL')
    await waitFor('a refusal', () => running.creates.some(({ status }) => status === 503))
    await mongo.restart()
    const before = acknowledged(running.creates).length
    await waitFor('creates again', () => acknowledged(running.creates).length > before + 50)
    const creates = await running.stop()
    expect(creates.some(({ status }) => status === 503)).to.equal(true)
    expect(web.isAlive() && worker.isAlive()).to.equal(true)
    await expectNothingLostOrDoubled(creates)
  })

  it('never loses an event that a reader has seen, even if MongoDB is killed right afterwards', async () => {
    const read = async (query: string) => {
      const feed = `${web.origin}/api/v1/dev/events/feed?${query}`
      const response = await fetch(feed, { headers: merchant.read() })
      return ((await response.json()) as { data?: { items: { id: string }[]; next: string } }).data
    }
    const { referenceNumber } = await create('seen')
    const first = await read('wait=10')
    const logged = await service.deps.LoggedEvent.findOne({ referenceNumber }).orFail().lean()
    const late = { ...logged, _id: newId(), number: logged.number + 1 }
    const delivered = { referenceNumber: logged.referenceNumber, status: 'DELIVERED' } as const
    await waitFor('the delivery is over', () => service.deps.Delivery.exists(delivered))
    // Other writes may make MongoDB write its journal until then.
    await pause(300)
    // No reader may see this event before it's in the journal.
    await service.deps.LoggedEvent.collection.insertOne(late as never, { writeConcern: { w: 1, j: false } })
    const second = await waitFor('the event is read', async () => {
      const page = await read(`after=${first?.next}`)
      return page?.items.length === 1 && page
    })
    await mongo.kill('SIGKILL')
    expect(second.items.map(({ id }) => id)).to.deep.equal([late._id])
    await mongo.restart()
    const third = await waitFor('the feed is read', () => read(`after=${second.next}`))
    expect(third).to.deep.include({ items: [], next: second.next })
    expect((await read(`after=${first?.next}`))?.items.map(({ id }) => id)).to.deep.equal([late._id])
    await service.deps.LoggedEvent.deleteOne({ _id: late._id })
  })

  it('returns 503 within 10 s while MongoDB is frozen', async () => {
    const running = load('freeze', 20)
    await waitFor('some load', () => acknowledged(running.creates).length > 100)
    const feed = `${web.origin}/api/v1/dev/events/feed?type=payment.failed&wait=25`
    const held = fetch(feed, { headers: merchant.read() })
    const metrics = async () => (await fetch(`${web.origin}/metrics`)).text()
    await waitFor('a request is held', async () => /capacity_used\{limit="polls"\} 1\n/.test(await metrics()))
    await mongo.kill('SIGSTOP')
    const before = running.creates.length
    const frozenAt = performance.now()
    const heldFor = held.then(({ status }) => [status, performance.now() - frozenAt < 10_000])
    const [healthy, fresh] = await Promise.all([
      fetch(`${web.origin}/healthz`),
      create('while-frozen'),
      // A check of MongoDB that began before the freeze may still succeed.
      waitFor('not ready', async () => (await fetch(`${web.origin}/readyz`)).status === 503),
      waitFor('every pending request has a response', () => running.creates.length >= before + 40, 20_000),
    ])
    expect(healthy.status).to.equal(200)
    expect(fresh).to.include({ status: 503 })
    expect(await heldFor).to.deep.equal([503, true])
    await mongo.kill('SIGCONT')
    const thawedAt = performance.now()
    await waitFor('a create', async () => (await create('after-the-thaw')).status === 201)
    expect(performance.now() - thawedAt).to.be.below(3_000 + deadlineMs(2_000))
    await waitFor('ready', async () => (await fetch(`${web.origin}/readyz`)).status === 200)
    const creates = [...(await running.stop()), fresh]
    const refused = creates.filter(({ status }) => status !== 201)
    expect(new Set(refused.map(({ status }) => status))).to.deep.equal(new Set([503]))
    expect(Math.max(...creates.map(({ tookMs }) => tookMs))).to.be.below(8_000 + deadlineMs(2_000))
    expect(refused.every(({ retryAfter }) => Number(retryAfter) > 0)).to.equal(true)
    expect(web.isAlive() && worker.isAlive()).to.equal(true)
    await expectNothingLostOrDoubled([...creates, await create('after-the-thaw')])
  })
})
