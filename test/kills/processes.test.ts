import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { createIntent, deliveriesOf, storedDelivery, subscribe } from '../support/actions.ts'
import { type Received, startEndpointServer } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type Merchant, openService, type Service } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

describe('Process shutdown', () => {
  const open: { stop(): Promise<unknown> }[] = []
  const kept = <T extends { stop(): Promise<unknown> }>(one: T): T => {
    open.push(one)
    return one
  }
  after(() => Promise.all(open.toReversed().map((one) => one.stop())))
  async function service(): Promise<Service> {
    const opened = await openService()
    services.push(opened)
    return opened
  }
  const services: Service[] = []
  after(() => Promise.all(services.map((each) => each.close())))
  async function workerMidAttempt() {
    const [own, endpointServer] = await Promise.all([service(), startEndpointServer()])
    kept({ stop: endpointServer.close })
    const held: ServerResponse[] = []
    endpointServer.respondWith((res, count) => void (count === 1 ? held.push(res) : res.end()))
    const start = async () =>
      kept(await startProcess('worker', own, { WEBHOOK_ALLOWED_HOSTS: endpointServer.host }))
    const worker = await start()
    const merchant = await own.merchant()
    await subscribe(own, merchant, endpointServer.url)
    await createIntent(own, merchant)
    await endpointServer.atLeast(1)
    const [delivery] = await deliveriesOf(own, merchant)
    return { service: own, endpointServer, worker, held, start, _id: delivery?._id ?? '' }
  }

  const delivered = (own: Service, _id: string) =>
    waitFor('delivered', async () => {
      const now = await storedDelivery(own, { _id })
      return now.status === 'DELIVERED' && now
    })
  // These three start first and are checked last, because they wait long: for a dead worker's lease and lock, and for
  // attempts and requests that never end. The other tests run in the meantime.
  const begin = <T>(work: () => Promise<T>): (() => Promise<T>) => {
    let running: Promise<T>
    before(() => {
      running = work()
      running.catch(() => undefined)
    })
    return () => running
  }
  const cutAndTakenOver = begin(async () => {
    const { service: own, endpointServer, worker, start, _id } = await workerMidAttempt()
    await start()
    const signalledAt = Date.now()
    worker.kill('SIGTERM')
    const ended = worker.exited.then((code) => ({ code, tookMs: Date.now() - signalledAt }))
    // The first worker still holds its lease, and renews it.
    const [, second] = await endpointServer.atLeast(2, 30_000)
    const delivery = await delivered(own, _id)
    const { at } = second as Received
    return { ...(await ended), attemptedMs: at - signalledAt, delivery }
  })
  const takenOver = begin(async () => {
    const { service: own, endpointServer, worker, start, _id } = await workerMidAttempt()
    await start()
    worker.kill('SIGKILL')
    await worker.exited
    const killedAt = Date.now()
    const [, second] = await endpointServer.atLeast(2, 20_000)
    const { attempts } = await delivered(own, _id)
    const bodies = new Set(endpointServer.received.map(({ body }) => body))
    const waitedMs = (second?.at ?? 0) - killedAt
    return { waitedMs, attempts, bodies, count: endpointServer.received.length }
  })
  const endedMs = begin(async () => {
    const [own, endpointServer] = await Promise.all([service(), startEndpointServer()])
    kept({ stop: endpointServer.close })
    endpointServer.respondWith(() => undefined)
    const web = kept(await startProcess('web', own, { WEBHOOK_ALLOWED_HOSTS: endpointServer.host }))
    const merchant = await own.merchant()
    for (const text of ['', 'GET / HTTP/1.1\r\nHo', halfACreate(merchant.key)]) await say(web, text)
    const { id } = await subscribe(own, merchant, endpointServer.url)
    const tested = `${web.origin}/api/v1/dev/webhooks/endpoints/${id}/test`
    fetch(tested, { method: 'POST', headers: merchant.write() }).catch(() => undefined)
    await endpointServer.atLeast(1)
    const signalledAt = performance.now()
    web.kill('SIGTERM')
    expect(await web.exited).to.equal(0)
    return performance.now() - signalledAt
  })

  async function say(web: ServiceProcess, text: string): Promise<void> {
    const socket = connect(Number(new URL(web.origin).port), '127.0.0.1')
    kept({ stop: async () => socket.destroy() })
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.write(text, resolve))
  }

  it('lets a web process serve every request sent before SIGTERM, even under load', async () => {
    const own = await service()
    const web = kept(await startProcess('web', own))
    const merchant = await own.merchant()
    const agent = new Agent({ keepAlive: true, maxSockets: 30 })
    const fates: { sentAt: number; status: number | null }[] = []
    let signalledAt = Number.POSITIVE_INFINITY
    const customers = Array.from({ length: 30 }, async () => {
      while (signalledAt === Number.POSITIVE_INFINITY) {
        fates.push({ sentAt: performance.now(), status: await create(web, merchant, agent) })
      }
    })
    await waitFor('some load', () => fates.length > 200)
    signalledAt = performance.now()
    web.kill('SIGTERM')
    await Promise.all(customers)
    const before = fates.filter(({ sentAt }) => sentAt < signalledAt)
    expect(before.length).to.be.above(200)
    expect(new Set(before.map(({ status }) => status))).to.deep.equal(new Set([201]))
    expect(await web.exited).to.equal(0)
    agent.destroy()
    expect(await own.deps.Intent.countDocuments({ businessId: merchant.businessId })).to.equal(fates.length)
  })

  it('leaves a web process open to new connections for SHUTDOWN_DRAIN_SECONDS', async () => {
    const own = await service()
    const web = kept(await startProcess('web', own, { SHUTDOWN_DRAIN_SECONDS: '1.5' }))
    const merchant = await own.merchant()
    const signalledAt = performance.now()
    web.kill('SIGTERM')
    await waitFor('it is not ready', async () => (await fetch(`${web.origin}/readyz`)).status === 503)
    const read = await fetch(`${web.origin}/api/v1/dev/intents`, { headers: merchant.read() })
    expect([read.status, read.headers.get('connection')]).to.deep.equal([200, 'close'])
    expect(await create(web, merchant, new Agent({ keepAlive: true }))).to.equal(201)
    expect(await web.exited).to.equal(0)
    expect(performance.now() - signalledAt).to.be.within(1500, 3000 + deadlineMs(3000))
  })

  it('ends long polls of the event feed with an empty response', async () => {
    const own = await service()
    const web = kept(await startProcess('web', own))
    const merchant = await own.merchant()
    const read = async (path: string) =>
      (await fetch(`${web.origin}${path}`, { headers: merchant.read() })).text()
    const responses = Promise.all([1, 2].map(() => read('/api/v1/dev/events/feed?wait=25')))
    await waitFor('two requests are held', async () =>
      /capacity_used\{limit="polls"\} 2\n/.test(await read('/metrics')),
    )
    const signalledAt = performance.now()
    web.kill('SIGTERM')
    for (const text of await responses)
      expect(JSON.parse(text))
        .to.deep.include({ success: true })
        .and.have.nested.property('data.items.length', 0)
    expect(performance.now() - signalledAt).to.be.below(2000 + deadlineMs(1000))
    expect(await web.exited).to.equal(0)
  })

  it('lets a worker complete and record its delivery attempt, even after a second SIGTERM', async () => {
    const { service: own, worker, held, _id, endpointServer } = await workerMidAttempt()
    worker.kill('SIGTERM')
    await worker.logged('process.stopping')
    worker.kill('SIGTERM')
    expect(worker.isAlive()).to.equal(true)
    held[0]?.end()
    expect(await worker.exited).to.equal(0)
    expect(await storedDelivery(own, { _id })).to.include({
      status: 'DELIVERED',
      attempts: 1,
      leaseToken: null,
    })
    expect(endpointServer.received).to.have.length(1)
  })

  it('is immediate when a web process receives a second SIGINT', async () => {
    const web = kept(await startProcess('web', await service()))
    await say(web, halfACreate('none'))
    expect((await fetch(`${web.origin}/healthz`)).status).to.equal(200)
    web.kill('SIGINT')
    await web.logged('process.stopping')
    expect(web.isAlive()).to.equal(true)
    web.kill('SIGINT')
    expect(await web.exited).to.equal(1)
  })

  it('leaves an interrupted delivery attempt to another worker within 15 s of kill -9', async () => {
    const { waitedMs, attempts, bodies, count } = await takenOver()
    expect(waitedMs).to.be.at.most(10_000 + deadlineMs(5_000))
    expect([attempts, bodies.size, count]).to.deep.equal([1, 1, 2])
  })

  it('takes at most 30 s for a worker with hanging endpoints', async () => {
    const { code, tookMs, attemptedMs, delivery } = await cutAndTakenOver()
    expect(code).to.equal(0)
    expect(tookMs).to.be.below(26_000 + deadlineMs(4_000))
    // The attempt is cut 18 s after the signal. The next poll follows within 2.5 s, but the lease would last for 10 s.
    expect(attemptedMs).to.be.within(18_000, 18_000 + deadlineMs(6_000))
    expect([delivery.attempts, delivery.attemptLog.map(({ status }) => status)]).to.deep.equal([1, [200]])
  })

  it('takes at most 30 s for a web process, whatever requests are open', async () =>
    expect(await endedMs()).to.be.at.most(26_000 + deadlineMs(4_000)))
})

const halfACreate = (key: string): string =>
  `POST /api/v1/dev/intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
  'X-Idempotency-Key: half\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"amou'

function create(web: ServiceProcess, merchant: Merchant, agent: Agent): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { ...merchant.write(), 'Content-Type': 'application/json' }
    const sent = request(`${web.origin}/api/v1/dev/intents`, { method: 'POST', headers, agent }, (res) =>
      resolve(whole(res)),
    )
    sent.on('error', () => resolve(null))
    sent.end('{"amount":100}')
  })
}

async function whole(res: IncomingMessage): Promise<number | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of res) chunks.push(chunk as Buffer)
    JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return res.statusCode ?? null
  } catch {
    return null
  }
}
