import { apiScopes } from '../../schemas/scopes.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import {
  attempt,
  cancelIntent,
  createIntent,
  deliveriesOf,
  freshDelivery,
  relay,
  storedDelivery,
  subscribe,
} from '../support/actions.ts'
import { deadDeliveries, makeAllAttempts } from '../support/dead-deliveries.ts'
import { type EndpointServer, withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const path = '/api/v1/dev/webhooks/events'
const endpoints = '/api/v1/dev/webhooks/endpoints'
const day = 86_400_000
type Respond = Parameters<EndpointServer['respondWith']>[0]

describe('The webhook delivery API', () => {
  const { service, merchant } = withServiceAndMerchantPerTest({ WEBHOOK_TIMEOUT_SECONDS: '2' })
  const endpointServer = withEndpointServerPerTest()
  let endpointId: string
  beforeEach(async () => void (endpointId = (await subscribe(service, merchant, endpointServer.url)).id))
  afterEach(() => service.clock.freeze(null))
  const list = (query = '', as = merchant) => service.http.get(`${path}?${query}`).set(as.read())
  const listed = async (query = '', as = merchant) => {
    const { status, body } = await list(query, as)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data
  }
  const idOf = ({ id }: { id: string }) => id
  const ids = async (query = ''): Promise<string[]> => (await listed(query)).items.map(idOf)
  const one = async ({ _id }: { _id: string }, as = merchant) =>
    (await service.http.get(`${path}/${_id}`).set(as.read()).expect(200)).body.data
  const respondWithStatus = (status: number) =>
    endpointServer.respondWith((res) => void res.writeHead(status).end())
  async function attempted(status: number) {
    const delivery = await freshDelivery(service, merchant)
    respondWithStatus(status)
    await attempt(service.deps, delivery._id)
    return delivery
  }
  const changeEndpoint = (change: { active?: boolean; url?: string }) =>
    service.http.put(`${endpoints}/${endpointId}`).set(merchant.write()).send(change).expect(200)
  async function cancelled() {
    const delivery = await freshDelivery(service, merchant)
    await changeEndpoint({ active: false })
    await attempt(service.deps, delivery._id)
    await changeEndpoint({ active: true })
    return delivery
  }
  /** Looks as if it had been attempted 8 times, but only one attempt was real. */
  async function storedDead() {
    const delivery = await attempted(500)
    excuse([delivery._id])
    const change = { status: 'DEAD', attempts: 8, nextAttemptAt: null, deadAt: service.clock.now() } as const
    await service.deps.Delivery.updateOne({ _id: delivery._id }, { $set: change })
    return delivery
  }

  describe('on GET /dev/webhooks/events', () => {
    it("shows a delivery's status before the first attempt, after a failure and after a success", async () => {
      service.clock.freeze(new Date(Math.ceil(Date.now() / day) * day))
      const start = service.clock.now()
      expect(await listed()).to.deep.equal({ items: [], page: 1, limit: 20, total: 0, hasMore: false })
      const delivery = await freshDelivery(service, merchant)
      const untried = {
        id: delivery._id,
        endpointId,
        url: endpointServer.url,
        event: 'payment.created',
        referenceNumber: delivery.referenceNumber,
        status: 'PENDING',
        attempts: 0,
        maxAttempts: 8,
        nextAttemptAt: start.toISOString(),
        lastAttemptAt: null,
        lastResponseStatus: null,
        lastError: null,
        lastDurationMs: null,
        sandbox: true,
        createdAt: start.toISOString(),
        deliveredAt: null,
      }
      expect((await listed()).items).to.deep.equal([untried])
      respondWithStatus(503)
      await attempt(service.deps, delivery._id)
      const [failed] = (await listed()).items
      expect(failed.lastDurationMs).to.be.a('number')
      expect({ ...failed, lastDurationMs: null }).to.deep.equal({
        ...untried,
        status: 'RETRYING',
        attempts: 1,
        nextAttemptAt: new Date(start.getTime() + 30_000).toISOString(),
        lastAttemptAt: start.toISOString(),
        lastResponseStatus: 503,
        lastError: 'status',
      })
      expect(await listed('responseStatus=503')).to.include({ total: 1 })
      service.clock.advance(30_000)
      respondWithStatus(201)
      await attempt(service.deps, delivery._id)
      expect(await listed('responseStatus=503')).to.include({ total: 0 })
      const now = service.clock.now().toISOString()
      const delivered = { status: 'DELIVERED', attempts: 2, nextAttemptAt: null, deliveredAt: now }
      const last = { lastAttemptAt: now, lastResponseStatus: 201, lastError: null }
      expect((await listed()).items[0]).to.include({ ...delivered, ...last })
    })

    it('filters by any combination of status, event, endpoint, reference, response and time', async () => {
      service.clock.freeze(new Date(Math.ceil(Date.now() / day) * day))
      const [delivered, retrying, gone] = [await attempted(200), await attempted(500), await cancelled()]
      const { _id: over } = await storedDead()
      service.clock.freeze(new Date(service.clock.now().getTime() + 10 * day))
      const { referenceNumber } = await createIntent(service, merchant)
      await cancelIntent(service, merchant, referenceNumber)
      await relay(service, merchant)
      const [untried, cancelEvent] = (await deliveriesOf(service, merchant)).slice(-2).map(({ _id }) => _id)
      const all = [cancelEvent, untried, over, gone._id, retrying._id, delivered._id]
      expect(await ids()).to.have.members(all)
      const other = await subscribe(service, merchant, endpointServer.url, ['payment.expired'])
      const date = service.clock.now().toISOString().slice(0, 10)
      const found: [query: string, expected: unknown[]][] = [
        ['status=PENDING', [cancelEvent, untried]],
        ['status=DELIVERED', [delivered._id]],
        ['status=DEAD', [over]],
        ['status=CANCELLED', [gone._id]],
        ['status=DEAD,RETRYING,DEAD', [over, retrying._id]],
        [`referenceNumber=${referenceNumber}`, [cancelEvent, untried]],
        [`referenceNumber=${referenceNumber}&event=payment.cancelled&status=PENDING,DEAD`, [cancelEvent]],
        [`referenceNumber=${retrying.referenceNumber}&responseStatus=500`, [retrying._id]],
        ['responseStatus=500', [over, retrying._id]],
        ['responseStatus=5xx&status=DEAD', [over]],
        ['event=payment.cancelled', [cancelEvent]],
        ['event=payment.created&status=PENDING', [untried]],
        [`endpointId=${endpointId}`, all],
        [`endpointId=${endpointId}&status=DEAD`, [over]],
        [`endpointId=${other.id}`, []],
        [`from=${date}`, [cancelEvent, untried]],
        [`from=${date}&to=${date}&status=DEAD`, []],
        [`to=${delivered.createdAt.toISOString()}&status=DELIVERED`, [delivered._id]],
      ]
      for (const [query, expected] of found) {
        const { items, total } = await listed(query)
        expect(items.map(idOf), query).to.have.members(expected)
        expect(total, query).to.equal(expected.length)
      }
    })

    it('returns 400 VALIDATION_ERROR naming the parameter that is invalid', async () => {
      const wrong: [param: string, ...queries: string[]][] = [
        ['status', 'status=dead', 'status=', 'status=PENDING,', 'status=DEAD&status=DEAD'],
        ['referenceNumber', 'referenceNumber=%00', 'referenceNumber=a&referenceNumber=b'],
        ['responseStatus', ...['200', '2xx', '5x', ''].map((value) => `responseStatus=${value}`)],
        ['event', 'event=payment.paid', 'event=', 'event=__proto__', 'event=order.new&event=order.new'],
        ['endpointId', 'endpointId=a&endpointId=b', 'endpointId=%00', `endpointId=${'x'.repeat(65)}`],
        ['from', 'from=yesterday', 'from=2026-01-02&to=2026-01-01'],
        ['to', 'to=2026-02-30'],
        ['page', 'page=0'],
        ['limit', 'limit=0'],
      ]
      for (const [param, ...queries] of wrong)
        for (const query of queries) await expectRefused(list(query), 400, 'VALIDATION_ERROR', { param })
      const { body } = await list('responseStatus=none')
      expect(body.error.details, 'a value that violates two keywords').to.have.lengthOf(1)
    })

    it("returns nothing for another business's endpoint, or for an id that no endpoint has", async () => {
      await freshDelivery(service, merchant)
      const other = await service.merchant()
      for (const id of [endpointId, 'nothing', '', 'x'.repeat(64), '$ne'])
        expect(await listed(`endpointId=${id}`, other), id).to.include({ total: 0 })
    })
  })

  describe('on GET /dev/webhooks/events/{id}', () => {
    it('shows every attempt, oldest first, with the stage at which it failed and the first KiB of the response', async () => {
      const delivery = await freshDelivery(service, merchant)
      service.clock.freeze(service.clock.now())
      const responses: ((res: Parameters<Respond>[0]) => void)[] = [
        (res) => void res.destroy(),
        (res) => void res.writeHead(500).end('é'.repeat(1000)),
        (res) => void res.writeHead(302, { Location: 'https://shop.example/' }).end('elsewhere'),
        (res) => void res.writeHead(200).end('thanks'),
      ]
      endpointServer.respondWith((res, count) => responses[count - 1]?.(res))
      for (const _attempt of responses) {
        service.clock.freeze((await storedDelivery(service, delivery)).nextAttemptAt)
        await attempt(service.deps, delivery._id)
      }
      const { attemptLog, payload, lastAttemptHeaders, ...record } = await one(delivery)
      expect(record).to.deep.equal((await listed()).items[0])
      expect(payload).to.deep.equal(endpointServer.received[0]?.json)
      const ofConnection = ['host', 'connection', 'content-length', 'user-agent', 'accept']
      const sent = Object.entries(endpointServer.received.at(-1)?.headers ?? {}).filter(
        ([name]) => !ofConnection.includes(name) && !name.includes('signature'),
      )
      const shownHeaders = Object.entries(lastAttemptHeaders).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ])
      expect(shownHeaders).to.have.deep.members(sent)
      const shown = attemptLog.map(({ at: _at, durationMs: _ms, ...rest }: Record<string, unknown>) => rest)
      const url = endpointServer.url
      const message = 'The connection was closed before the response was complete.'
      expect(shown).to.deep.equal([
        { url, responseStatus: null, error: 'closed', message, responseBody: null },
        { url, responseStatus: 500, error: 'status', message: null, responseBody: 'é'.repeat(512) },
        { url, responseStatus: 302, error: 'status', message: null, responseBody: 'elsewhere' },
        { url, responseStatus: 200, error: null, message: null, responseBody: 'thanks' },
      ])
      const times = attemptLog.map(({ at }: { at: string }) => Date.parse(at))
      expect(times).to.deep.equal(times.toSorted((a: number, b: number) => a - b))
      for (const { durationMs } of attemptLog) expect(durationMs).to.be.a('number')
    })

    it('shows the latest 50 attempts of a delivery that was attempted more often', async () => {
      const delivery = await attempted(500)
      const [first] = (await storedDelivery(service, delivery)).attemptLog
      const at = (index: number) => new Date(Number(first?.at) - (50 - index) * 1_000)
      const attemptLog = Array.from({ length: 50 }, (_, index) => ({ ...first, at: at(index) }))
      const change = { $set: { attemptLog, attempts: 50, requeues: 43, nextAttemptAt: new Date(0) } }
      await service.deps.Delivery.collection.updateOne({ _id: delivery._id } as object, change)
      respondWithStatus(200)
      await attempt(service.deps, delivery._id)
      const shown = await one(delivery)
      expect([shown.attempts, shown.attemptLog.length]).to.deep.equal([51, 50])
      expect(shown.attemptLog[0].at).to.equal(at(1).toISOString())
      expect(shown.attemptLog[49].responseStatus).to.equal(200)
    })

    it("shows the URL used for each attempt, even if the endpoint's URL has changed", async () => {
      const delivery = await attempted(500)
      const moved = `${endpointServer.url}/moved`
      await changeEndpoint({ url: moved })
      expect((await one(delivery)).url).to.equal(endpointServer.url)
      service.clock.advance(30_000)
      await attempt(service.deps, delivery._id)
      const { url, attemptLog } = await one(delivery)
      const urls = attemptLog.map((each: { url: string }) => each.url)
      expect([url, ...urls]).to.deep.equal([moved, endpointServer.url, moved])
    })

    it("hides a sandbox event's URL and attempts at a live endpoint from test keys", async () => {
      const live = await withAnotherKey(service, merchant, { mode: 'live' })
      await service.http.delete(`${endpoints}/${endpointId}`).set(merchant.write()).expect(200)
      const { id: ofLive } = await subscribe(service, live, `${endpointServer.url}/s3cret`)
      const [failed, done] = [await attempted(503), await attempted(200)]
      const unseen = ['url', 'attempts', 'maxAttempts', 'nextAttemptAt', 'lastAttemptAt', 'deliveredAt']
      const names = [...unseen, 'lastError', 'lastDurationMs', 'lastResponseStatus']
      const hidden = Object.fromEntries(names.map((name) => [name, null]))
      for (const [status, delivery] of Object.entries({ RETRYING: failed, DELIVERED: done })) {
        const { attemptLog, payload, lastAttemptHeaders, ...record } = await one(delivery)
        expect(record).to.include({ ...hidden, id: delivery._id, endpointId: ofLive, status, sandbox: true })
        expect([attemptLog, lastAttemptHeaders, payload.sandbox]).to.deep.equal([[], null, true])
        expect((await listed(`status=${status}`)).items).to.deep.equal([record])
        const retry = service.http.post(`${path}/${delivery._id}/retry`).set(merchant.write())
        await expectRefused(retry, 403, 'SANDBOX_MISMATCH')
        const read = service.http.get(`${path}/${delivery._id}`).set(live.read())
        await expectRefused(read, 403, 'SANDBOX_MISMATCH')
      }
      for (const filter of ['responseStatus=503', `responseStatus=5xx&endpointId=${ofLive}`])
        expect(await listed(filter)).to.include({ total: 0 })
      const retry = { status: ['RETRYING', 'DEAD', 'CANCELLED'], endpointId: ofLive }
      const { body } = await service.http.post(`${path}/retry`).set(merchant.write()).send(retry).expect(200)
      const skipped = { delivered: 0, under_way: 0, endpoint_gone: 0 }
      expect(body.data).to.deep.equal({ requeued: 0, skipped, hasMore: false, next: null })
      expect((await storedDelivery(service, failed)).requeues).to.equal(0)
      await service.http.delete(`${endpoints}/${ofLive}`).set(live.write()).expect(200)
      expect((await listed()).items.map(({ url }: { url: null }) => url)).to.deep.equal([null, null])
    })

    it("hides the payload and response bodies from a key without the event's scope", async () => {
      const delivery = await freshDelivery(service, merchant)
      endpointServer.respondWith((res) => void res.writeHead(500).end(endpointServer.received.at(-1)?.body))
      await attempt(service.deps, delivery._id)
      const few = apiScopes.filter((scope) => scope !== 'payments.intents:read')
      const hidden = await one(delivery, await withAnotherKey(service, merchant, { scopes: few }))
      expect(hidden.payload).to.equal(null)
      expect(hidden.attemptLog).to.have.length(1)
      expect(hidden.attemptLog[0]).to.include({ responseStatus: 500, error: 'status', responseBody: null })
      expect(JSON.stringify(hidden)).not.to.include('short_code')
      const whole = await one(delivery)
      expect(whole.payload.id).to.equal(delivery._id)
      expect(whole.attemptLog[0].responseBody).to.include('"short_code"')
    })
  })

  describe('on POST /dev/webhooks/events/{id}/retry', () => {
    const retried = async ({ _id }: { _id: string }) =>
      (await service.http.post(`${path}/${_id}/retry`).set(merchant.write()).expect(200)).body.data

    it('attempts a DEAD delivery once more and leaves it DEAD if that attempt fails', async () => {
      const delivery = await attempted(500)
      await makeAllAttempts(service, delivery)
      const nextAttemptAt = service.clock.now().toISOString()
      service.clock.freeze(new Date(nextAttemptAt))
      const due = { status: 'RETRYING', attempts: 8, maxAttempts: 9, nextAttemptAt }
      expect(await retried(delivery)).to.include({ retried: true, reason: null, ...due })
      await attempt(service.deps, delivery._id)
      const failed = { status: 'DEAD', attempts: 9, maxAttempts: 9, nextAttemptAt: null }
      expect(await one(delivery)).to.include(failed)
      expect(endpointServer.received).to.have.length(9)
      await retried(delivery)
      respondWithStatus(200)
      await attempt(service.deps, delivery._id)
      expect(await one(delivery)).to.include({ status: 'DELIVERED', attempts: 10, maxAttempts: 10 })
      expect(await ids('responseStatus=500')).to.deep.equal([])
      expect(new Set(endpointServer.received.map(({ body }) => body))).to.have.property('size', 1)
    })

    it('makes a waiting delivery due immediately, at the same step of the retry table', async () => {
      service.clock.freeze(service.clock.now())
      const delivery = await attempted(500)
      service.clock.advance(10_000)
      expect(await retried(delivery)).to.include({ retried: true, status: 'RETRYING', maxAttempts: 9 })
      await attempt(service.deps, delivery._id)
      const next = new Date(service.clock.now().getTime() + 30_000).toISOString()
      expect(await one(delivery)).to.include({ status: 'RETRYING', attempts: 2, nextAttemptAt: next })
      expect((await makeAllAttempts(service, delivery)).attempts).to.equal(9)
    })

    it("sends nothing if the delivery can't be attempted, and says why", async () => {
      const [delivered, untried] = [await attempted(200), await freshDelivery(service, merchant)]
      const unchanged = { retried: false, reason: 'delivered', status: 'DELIVERED' }
      expect(await retried(delivered)).to.include(unchanged)
      expect(await retried(untried)).to.include({ retried: false, reason: 'under_way', status: 'PENDING' })
      const over = await cancelled()
      await changeEndpoint({ active: false })
      expect(await retried(over)).to.include({ retried: false, reason: 'endpoint_gone', status: 'CANCELLED' })
      await changeEndpoint({ active: true })
      expect(await retried(over)).to.include({ retried: true, reason: null, status: 'RETRYING' })
      for (const { _id } of [delivered, untried])
        expect((await storedDelivery(service, { _id })).requeues).to.equal(0)
    })

    it('adds only one attempt and audit line for ten concurrent requests', async () => {
      const delivery = await storedDead()
      const responses = await Promise.all(Array.from({ length: 10 }, () => retried(delivery)))
      const reasons = responses.map(({ reason }) => reason)
      expect(reasons).to.have.members([...Array.from({ length: 9 }, () => 'under_way'), null])
      await attempt(service.deps, delivery._id)
      expect(await one(delivery)).to.include({ status: 'DEAD', attempts: 9, maxAttempts: 9 })
      const [line, ...more] = await service.deps.AuditEvent.find({ subject: delivery._id }).lean()
      const actor = { kind: 'merchant', name: merchant.keyId, from: '127.0.0.1' }
      expect(line).to.deep.include({ act: 'delivery.requeued', businessId: merchant.businessId, actor })
      const statuses = [line?.before?.status, line?.after?.status]
      expect([...statuses, ...more]).to.deep.equal(['DEAD', 'RETRYING'])
    })
  })

  describe('on POST /dev/webhooks/events/retry', () => {
    const retry = (body: object, key?: string) =>
      service.http.post(`${path}/retry`).set(merchant.write(key)).send(body)
    const retried = async (body: object) => {
      const response = await retry(body)
      expect(response.status, response.text).to.equal(200)
      return response.body.data
    }
    const none = { delivered: 0, under_way: 0, endpoint_gone: 0 }

    it('considers each matching delivery once, oldest first, even if some die again meanwhile', async () => {
      const byId = (await deadDeliveries(service, merchant, 502)).map(({ _id }) => _id).toSorted()
      const first = await retry({ endpointId }, 'once')
      const { next, ...counts } = first.body.data
      expect(counts).to.deep.equal({ requeued: 500, skipped: none, hasMore: true })
      const plans = await service.deps.RequeuePlan.find({ 'result.next': next }).lean()
      expect(plans.map(({ deliveries }) => deliveries)).to.deep.equal([[]])
      expect((await ids('status=DEAD')).toSorted()).to.deep.equal(byId.slice(-2))
      expect((await retry({ endpointId }, 'once')).text).to.equal(first.text)
      const again = { $set: { status: 'DEAD', nextAttemptAt: null, attempts: 9 } } as const
      await service.deps.Delivery.updateMany({ endpointId, requeues: 1 }, again)
      const rest = { requeued: 2, skipped: none, hasMore: false, next: null }
      expect(await retried({ endpointId, after: next })).to.deep.equal(rest)
      expect(await service.deps.Delivery.countDocuments({ endpointId, requeues: 1 })).to.equal(502)
      const act = { businessId: merchant.businessId, act: 'delivery.requeued' } as const
      const lines = await service.deps.AuditEvent.find(act).sort({ at: 1, _id: 1 }).lean()
      expect(lines.map(({ subject, after }) => [subject, after])).to.deep.equal([
        [merchant.businessId, { statuses: ['DEAD'], endpointId, requeued: 500, skipped: none }],
        [merchant.businessId, { statuses: ['DEAD'], endpointId, after: next, requeued: 2, skipped: none }],
      ])
    })

    it('accepts every list filter and counts, by reason, the deliveries that get no attempt', async () => {
      const delivered = await attempted(200)
      const { _id: over, referenceNumber } = await storedDead()
      const [gone, retrying] = [await cancelled(), await attempted(404)]
      const every = { status: ['DEAD', 'RETRYING', 'CANCELLED'] }
      const from = delivered.createdAt.toISOString()
      const to = new Date(delivered.createdAt.getTime() - 1).toISOString()
      const steps: [filter: object, requeued: string | null, skipped?: object][] = [
        [{ ...every, to }, null],
        [{ ...every, responseStatus: '404', event: 'payment.expired' }, null],
        [{ from, referenceNumber }, over],
        [{ from }, null],
        [{ ...every, responseStatus: '4xx', event: 'payment.created' }, retrying._id],
        [{ status: ['CANCELLED'], after: null }, gone._id],
        [{ ...every, endpointId }, null, { under_way: 3 }],
      ]
      const requeuedIds: string[] = []
      for (const [filter, id, skipped] of steps) {
        const { requeued, ...rest } = await retried(filter)
        if (id !== null) requeuedIds.push(id)
        const expected = { skipped: { ...none, ...skipped }, hasMore: false, next: null }
        expect([requeued, rest], JSON.stringify(filter)).to.deep.equal([id === null ? 0 : 1, expected])
        const stored = await service.deps.Delivery.find({ endpointId, requeues: 1 }).lean()
        expect(stored.map(({ _id }) => _id)).to.have.members(requeuedIds)
      }
      await changeEndpoint({ active: false })
      expect((await retried(every)).skipped).to.deep.equal({ ...none, endpoint_gone: 3 })
    })

    it('returns 400 VALIDATION_ERROR for a missing or invalid filter and names the field', async () => {
      const wrong: [param: string, ...bodies: object[]][] = [
        ['body', {}, { after: 'a.b' }],
        ['status', { status: [] }, { status: 'DEAD' }],
        ['status[1]', { status: ['DEAD', 'DELIVERED'] }],
        ['event', { event: 'payment.paid' }, { event: null }],
        ['endpointId', { endpointId: 1 }, { endpointId: '\0' }],
        ['referenceNumber', { referenceNumber: { $ne: 1 } }],
        ['responseStatus', { responseStatus: '200' }, { responseStatus: 503 }],
        ['from', { from: 'yesterday' }, { from: '2026-01-02', to: '2026-01-01' }],
        ['after', { status: ['DEAD'], after: 'zzzzzzzzzzz.a' }, { status: ['DEAD'], after: '' }],
      ]
      for (const [param, ...bodies] of wrong)
        for (const body of bodies) await expectRefused(retry(body), 400, 'VALIDATION_ERROR', { param })
    })
  })
})
