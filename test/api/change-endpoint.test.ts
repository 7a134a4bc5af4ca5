import type { ApiScope } from '../../schemas/scopes.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import {
  attempt,
  createIntent,
  deliveriesOf,
  freshDelivery,
  relay,
  storedDelivery,
  subscribe,
} from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { profiled } from '../support/profiled.ts'
import { type KeyOptions, withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const path = '/api/v1/dev/webhooks/endpoints'
const url = 'https://shop.example/hook'
const events = ['payment.created', 'order.new']

describe('The webhook endpoint API', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const endpointServer = withEndpointServer()
  let id: string
  beforeEach(async () => {
    ;({ id } = await subscribe(service, merchant, url, events))
  })

  const update = (body: unknown, as = merchant, target = id, key?: string) =>
    service.http.put(`${path}/${target}`).set(as.write(key)).type('json').send(JSON.stringify(body))
  const remove = (as = merchant, target = id, key?: string) =>
    service.http.delete(`${path}/${target}`).set(as.write(key))
  const act = (name: string, as = merchant, target = id) =>
    service.http.post(`${path}/${target}/${name}`).set(as.write())
  const readOne = (as = merchant, target = id) => service.http.get(`${path}/${target}`).set(as.read())
  const listed = async (as = merchant) =>
    (await service.http.get('/api/v1/dev/webhooks').set(as.read())).body.data.items
  const colleague = (options: Partial<KeyOptions>) => withAnotherKey(service, merchant, options)
  const deliverAll = async () => {
    await relay(service, merchant)
    const made = await deliveriesOf(service, merchant)
    for (const { _id } of made) await attempt(service.deps, _id)
    return Promise.all(made.map((each) => storedDelivery(service, each)))
  }

  it("returns the same 404 ENDPOINT_NOT_FOUND for an endpoint that never existed, was deleted or isn't yours", async () => {
    const stranger = await service.merchant()
    const { id: deleted } = await subscribe(service, merchant, url)
    await remove(merchant, deleted).expect(200)
    const others = ['none', deleted, '6b0149aca90c38bde3c47f5e', '%00', '%7B%22$ne%22:1%7D', 'x'.repeat(2000)]
    const cases = [[stranger, id] as const, ...others.map((target) => [merchant, target] as const)]
    const responses = await Promise.all(
      cases.flatMap(([as, target]) => [
        readOne(as, target),
        update({ active: false }, as, target),
        update({}, as, target),
        remove(as, target),
        act('test', as, target),
        act('rotate-secret', as, target),
      ]),
    )
    const errors = responses.map(({ body }) => ({ ...body.error, requestId: null }))
    for (const error of errors) expect(error).to.deep.equal(errors[0])
    expect(errors[0]).to.include({ code: 'ENDPOINT_NOT_FOUND', statusCode: 404 })
    expect((await listed())[0]).to.deep.include({ id, url, events, active: true })
  })

  it('returns one endpoint exactly as the list shows it, to keys that may list', async () => {
    const [expected] = await listed()
    expect((await readOne().expect(200)).body.data).to.deep.equal(expected)
    const reader = await colleague({ scopes: ['webhooks.endpoints:read'] })
    expect((await readOne(reader).expect(200)).body.data).to.deep.equal(expected)
    await expectRefused(readOne(await colleague({ mode: 'live' })), 403, 'SANDBOX_MISMATCH')
    const writer = await colleague({ scopes: ['webhooks.endpoints:write'] })
    await expectRefused(readOne(writer), 403, 'SCOPE_REQUIRED')
  })

  describe('on PUT /dev/webhooks/endpoints/{id}', () => {
    it('changes only the given fields and returns the endpoint without its 24-hour statistics', async () => {
      const [before] = await listed()
      const changes = [
        { url: 'https://shop.example/other' },
        { events: ['payment.failed', 'payment.failed'] },
        { active: false },
        { url: 'https://shop.example/', events: ['payment.created'], active: true },
        {},
      ]
      const expected = { ...before }
      for (const change of changes) {
        Object.assign(expected, change, change.events && { events: [...new Set(change.events)] })
        const { status, body } = await update({ ...change, secret: 'x', id: 'x', slot: 3, health: {} })
        expect(status, JSON.stringify(change)).to.equal(200)
        const { last24Hours: _figures, ...changed } = expected
        expect(body.data).to.deep.equal(changed)
        expect(await listed()).to.deep.equal([expected])
      }
    })

    it('validates its input like a create request, even if the endpoint is unknown', async () => {
      const [before] = await listed()
      const cases: [unknown, string, string][] = [
        [{ url: 'http://shop.example' }, 'INVALID_WEBHOOK_URL', 'url'],
        [{ url: 5 }, 'INVALID_WEBHOOK_URL', 'url'],
        [{ events: [] }, 'VALIDATION_ERROR', 'events'],
        [{ events: ['payment.created', 'nope'] }, 'INVALID_WEBHOOK_EVENT', 'events[1]'],
        [{ active: 'false' }, 'VALIDATION_ERROR', 'active'],
        [{ active: 0, url: 'http://x' }, 'INVALID_WEBHOOK_URL', 'url'],
        [[{}], 'VALIDATION_ERROR', 'body'],
        [null, 'VALIDATION_ERROR', 'body'],
      ]
      for (const [body, code, param] of cases)
        for (const target of [id, 'none'])
          await expectRefused(update(body, merchant, target), 400, code, { param })
      expect(await listed()).to.deep.equal([before])
    })

    it("refuses events outside the key's scopes, and a new URL or secret for an endpoint with such events", async () => {
      const only = (...more: ApiScope[]) => colleague({ scopes: ['webhooks.endpoints:write', ...more] })
      const payments = await only('payments.intents:read')
      const order = { code: 'EVENTS_NOT_PERMITTED', param: 'events', details: { events: ['order.new'] } }
      for (const body of [{ events: ['payment.failed', 'order.new'] }, { url: 'https://evil.example/' }])
        expect((await update(body, payments).expect(403)).body.error).to.deep.include(order)
      expect((await listed())[0]).to.deep.include({ url, events })
      await update({ active: false }, await only()).expect(200)
      await update({ url: 'https://new.example/', events: ['payment.created'] }, payments).expect(200)
      await update({ url: 'https://newer.example/' }, payments).expect(200)
      for (const request of [update({ url }, await only()), act('rotate-secret', await only())])
        await expectRefused(request, 403, 'EVENTS_NOT_PERMITTED')
    })

    it("cancels a deactivated endpoint's deliveries when they are due", async () => {
      service.allowHost(endpointServer.host)
      await update({ url: endpointServer.url, events: ['payment.created'] }).expect(200)
      const arrivedBefore = endpointServer.received.length
      const { _id } = await freshDelivery(service, merchant)
      const soon = new Date(service.clock.now().getTime() + 5_000)
      await service.deps.Delivery.updateOne({ _id }, { $set: { status: 'RETRYING', nextAttemptAt: soon } })
      await update({ active: false }).expect(200)
      expect((await storedDelivery(service, { _id })).status).to.equal('RETRYING')
      service.clock.advance(5_000)
      await createIntent(service, merchant)
      expect((await deliverAll()).map(({ status }) => status)).to.deep.equal(['CANCELLED'])
      expect(endpointServer.received).to.have.length(arrivedBefore)
      await update({ active: true }).expect(200)
      await createIntent(service, merchant)
      expect((await deliverAll()).map(({ status }) => status)).to.deep.equal(['CANCELLED', 'DELIVERED'])
    })
  })

  describe('on DELETE /dev/webhooks/endpoints/{id}', () => {
    it('returns {id, deleted: true} whatever the body, and 404 to a second request', async () => {
      const { status, body } = await remove(merchant, id, 'first').set('Content-Type', 'x/y').send('{')
      expect([status, body.data]).to.deep.equal([200, { id, deleted: true }])
      expect(await listed()).to.deep.equal([])
      await expectRefused(remove(), 404, 'ENDPOINT_NOT_FOUND')
      const again = await remove(merchant, id, 'first')
      expect([again.status, again.body.data]).to.deep.equal([200, { id, deleted: true }])
      expect(again.headers).to.include({ 'idempotent-replayed': 'true' })
    })

    it('takes effect only once, even if ten requests arrive at once', async () => {
      const responses = await Promise.all(Array.from({ length: 10 }, () => remove()))
      const counts = [200, 404].map((code) => responses.filter(({ status }) => status === code).length)
      expect(counts).to.deep.equal([1, 9])
    })

    it('cancels open deliveries immediately and discards the result of an attempt in progress', async () => {
      service.allowHost(endpointServer.host)
      await update({ url: endpointServer.url }).expect(200)
      const { id: kept } = await subscribe(service, merchant, endpointServer.url)
      for (let made = 0; made < 3; made += 1) await createIntent(service, merchant)
      await relay(service, merchant)
      const [hold] = (await deliveriesOf(service, merchant)).filter(({ endpointId }) => endpointId === id)
      if (hold === undefined) return expect.fail('no delivery')
      endpointServer.respondWith((res, _count, { json }) => {
        if (json.id !== hold._id) return res.end()
        void remove().then(() => res.end())
      })
      await attempt(service.deps, hold._id)
      endpointServer.respondWith((res) => void res.end())
      const after = await deliveriesOf(service, merchant)
      for (const { _id, endpointId, status, nextAttemptAt } of after) {
        const expected = endpointId === kept ? 'PENDING' : 'CANCELLED'
        expect(status, _id).to.equal(expected)
        expect(nextAttemptAt === null, _id).to.equal(expected !== 'PENDING')
      }
      expect(after).to.have.length(6)
    })

    const makeLike = async (like: Delivery, count: number, change: object) => {
      const at = service.deps.now().getTime()
      const many = Array.from({ length: count }, (_, index) => {
        return { ...like, _id: newId(), nextAttemptAt: new Date(at - index), ...change }
      })
      excuse(many.map((delivery) => delivery._id))
      await service.deps.Delivery.collection.insertMany(many as never[])
    }

    it("reads only the deleted endpoint's open deliveries, even among many others", async () => {
      const other = { endpointId: newId(), businessId: newId() }
      await subscribe(service, merchant, endpointServer.url)
      await freshDelivery(service, merchant)
      const own =
        (await deliveriesOf(service, merchant)).find(({ endpointId }) => endpointId === id) ?? expect.fail()
      await makeLike(own, 60, other)
      await makeLike(own, 40, { status: 'DELIVERED', nextAttemptAt: null })
      await makeLike(own, 30, { status: 'RETRYING' })
      const done = await profiled(service, () => remove().expect(200))
      const reads = done.filter(({ ns }) => ns.endsWith('.deliveries'))
      const examined = (count: 'keysExamined' | 'docsExamined') =>
        reads.reduce((sum, each) => sum + (each[count] ?? 0), 0)
      // Finding and writing each of its 31 deliveries, plus one index key per batch.
      expect(examined('keysExamined')).to.be.within(2 * 31, 2 * 31 + 20)
      expect(examined('docsExamined')).to.equal(31)
      const open = { nextAttemptAt: { $type: 'date' } } as const
      const filters = [
        { endpointId: id, ...open },
        { endpointId: id, status: 'CANCELLED' },
        { ...other, ...open },
      ]
      const counts = filters.map((filter) => service.deps.Delivery.countDocuments(filter as object))
      expect(await Promise.all(counts)).to.deep.equal([0, 31, 60])
    })

    it('keeps at most 100 deleted endpoints without deliveries', async () => {
      service.allowHost(endpointServer.host)
      const { _id: delivered } = await freshDelivery(service, merchant)
      await remove().expect(200)
      const kept = await subscribe(service, merchant, url)
      const { businessId } = merchant
      const template = await service.deps.Endpoint.findById(id).orFail().lean()
      const deletedAt = service.clock.now()
      const copies = Array.from({ length: 103 }, () => ({ ...template, _id: newId(), deletedAt }))
      await service.deps.Endpoint.collection.insertMany(copies as never[])
      await remove(merchant, (await subscribe(service, merchant, url)).id).expect(200)
      expect(await service.deps.Endpoint.countDocuments({ businessId })).to.equal(1 + 1 + 100)
      expect(await service.deps.Endpoint.findById(id)).not.to.equal(null)
      await service.http.get(`/api/v1/dev/webhooks/events/${delivered}`).set(merchant.read()).expect(200)
      expect((await listed()).map((each: { id: string }) => each.id)).to.deep.equal([kept.id])
    })

    it('lets you create another endpoint, but never allows more than five, even with concurrent requests', async () => {
      const ids = [id]
      while (ids.length < 5) ids.push((await subscribe(service, merchant, url)).id)
      const body = { url, events: ['payment.created'] }
      const create = (as = merchant, sent: object = body) =>
        service.http.post(path).set(as.write()).send(sent)
      const live = await colleague({ mode: 'live' })
      await expectRefused(create(), 400, 'MAX_ENDPOINTS_REACHED')
      await expectRefused(create(merchant, { ...body, url: 'http://x' }), 400, 'INVALID_WEBHOOK_URL')
      const [responses] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, (_, n) => create(n % 2 === 0 ? live : merchant))),
        Promise.all(ids.slice(0, 4).map((target) => remove(merchant, target).expect(200))),
      ])
      const made = responses.filter(({ status }) => status === 201).length
      expect(made).to.be.at.most(4)
      const counts = async () => ({ live: (await listed(live)).length, sandbox: (await listed()).length })
      const { live: ofLive, sandbox } = await counts()
      expect(ofLive + sandbox).to.equal(1 + made)
      for (let left = made; left < 4; left += 1) await create().expect(201)
      for (const as of [live, merchant])
        await expectRefused(create(as), 400, 'MAX_ENDPOINTS_REACHED', { details: await counts() })
      expect(await counts()).to.deep.equal({ live: ofLive, sandbox: 5 - ofLive })
    })
  })

  it("reports the endpoint's health, with every value null or zero before the first delivery", async () => {
    const health = { lastSuccessAt: null, lastFailureAt: null, failuresInRow: 0, lastError: null }
    expect((await listed())[0].health).to.deep.equal(health)
    expect((await update({})).body.data.health).to.deep.equal(health)
    const at = new Date('2031-01-02T03:04:05.678Z')
    const known = { lastSuccessAt: null, lastFailureAt: at, failuresInRow: 3, lastError: 'timeout' }
    await service.deps.Endpoint.updateOne({ _id: id }, { $set: { health: { ...known, lastStatus: null } } })
    const shown = { ...known, lastFailureAt: at.toISOString() }
    expect((await listed())[0].health).to.deep.equal(shown)
    expect((await update({})).body.data.health).to.deep.equal(shown)
    expect((await act('rotate-secret')).body.data.health).to.deep.equal(shown)
  })
})
