import { newApiKey } from '../../src/businesses/api-key.ts'
import { createBusiness } from '../../src/businesses/change-business.ts'
import { rotateApiKey } from '../../src/businesses/change-key.ts'
import { dayMs } from '../../src/platform/time.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { attempt, freshDelivery, relay, subscribe } from '../support/actions.ts'
import { deadDeliveries, shortRetryDelays } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { storeOrder } from '../support/orders.ts'
import { tester, withServiceAndMerchant } from '../support/service.ts'
import { readable, withStaff } from './staff.ts'

describe('The search page', () => {
  const { service, merchant } = withServiceAndMerchant(shortRetryDelays)
  const endpointServer = withEndpointServer()
  const staff = withStaff(service, 'viewer')
  before(() => {
    endpointServer.respondWith((res) => void res.writeHead(500).end())
    return subscribe(service, merchant, endpointServer.url)
  })
  afterEach(() => service.clock.freeze(null))

  const search = (q: string) => staff.act('/admin/search', { q })

  it('redirects a reference, id or unique name to its page, ignoring case and surrounding spaces', async () => {
    const { _id, referenceNumber, endpointId } = await freshDelivery(service, merchant)
    const payment = `/admin/payments/${referenceNumber}`
    const business = `/admin/businesses/${merchant.businessId}`
    const cases = [
      [referenceNumber, payment],
      [`  ${referenceNumber.toLowerCase()}\n`, payment],
      [_id, `/admin/deliveries/${_id}`],
      [endpointId, `/admin/endpoints/${endpointId}`],
      [merchant.businessId, business],
      ['éPICER', business],
      [merchant.keyId, `/admin/keys/${merchant.keyId}`],
      [`Authorization: Bearer ${merchant.key}`, `/admin/keys/${merchant.keyId}?matched=current`],
      [`sk_test_…${merchant.key.slice(-4)}`, `/admin/keys/${merchant.keyId}`],
    ]
    for (const [query = '', page = ''] of cases) {
      const got = await search(query)
      expect([got.status, got.location], query).to.deep.equal([303, page])
      expect((await staff.get(page)).status, page).to.equal(200)
    }
  })

  it("redirects an order number to the order's page, which doesn't show the customer", async () => {
    const customer = { name: 'Aïcha', phone: '22000001', email: null }
    const order = await storeOrder(service, merchant)
    const product = { productId: 'p', variantId: 'v', name: 'Thé <b>', variantLabel: 'S', sku: null }
    const items = [{ ...product, unitPrice: 150, quantity: 2, total: 300 }]
    await service.deps.Order.updateOne({ _id: order._id }, { $set: { items, total: 300, customer } })
    const path = `/admin/orders/${order.number}`
    expect((await search(order.number.toLowerCase())).location).to.equal(path)
    expect(await staff.read(path)).to.include('It has not been sent to the endpoints yet')
    await subscribe(service, merchant, endpointServer.url, ['order.new'])
    await relay(service, merchant)
    const { text } = await staff.get(path)
    expect(readable(text)).to.include('No attempt yet').and.include('2 × Thé <b>, S, at 1.50 MRU')
    expect(text).to.not.include('Aïcha').and.not.include('22000001')
    const delivery = await service.deps.Delivery.findOne({ referenceNumber: order.number }).orFail().lean()
    expect((await staff.get(`/admin/deliveries/${delivery._id}`)).text).to.include(`href="${path}"`)
    const unsubscribed = await storeOrder(service, await service.merchant())
    breaks(service, 'events once', unsubscribed.number)
    await service.deps.Order.updateOne({ _id: unsubscribed._id }, { $set: { outbox: [] } })
    const unheard = 'No active endpoint was subscribed to order.new when it happened'
    expect(await staff.read(`/admin/orders/${unsubscribed.number}`)).to.include(unheard)
    expect((await staff.get('/admin/orders/OR-NONE')).status).to.equal(404)
    expect((await search('OR-NONE')).status).to.equal(200)
  })

  it('explains why an API key was not found without repeating the key', async () => {
    const unknown = newApiKey('secret', 'live')
    const cases: [query: string, why: string][] = [
      [`${merchant.key}x`, 'mistyped or incomplete'],
      [`x${merchant.key.slice(0, -9)} `, 'mistyped or incomplete'],
      [merchant.key.toUpperCase(), 'mistyped or incomplete'],
      [unknown, 'well formed but unknown'],
      [`${unknown}, ${merchant.key}`, 'contains 2 API keys'],
    ]
    for (const [query, why] of cases) {
      const { status, text } = await search(query)
      expect([status, /[sp]k_(test|live)_\w{5}/i.test(text)], query).to.deep.equal([200, false])
      expect(readable(text)).to.include('Nothing was found.').and.include(why)
    }
  })

  it("says on the key's page whether you searched for its current or an earlier secret", async () => {
    const { key: first, keyId } = await service.merchant()
    const second = (await rotateApiKey(service.deps, keyId, 3600, tester))?.key ?? ''
    const page = async (key: string) => readable((await staff.get((await search(key)).location ?? '')).text)
    expect(await page(second)).to.include('Found by its current secret')
    expect(await page(first)).to.include('Found by an earlier secret, which works')
    service.clock.freeze(new Date(service.clock.now().getTime() + 3_601_000))
    expect(await page(`"${first}"`)).to.include('Found by an earlier secret, which has ended')
  })

  it('lists businesses whose names contain the query, taking every character literally', async () => {
    const names = ['Shop (a.b)*', 'shop axb', 'Shop <i>']
    for (const name of names) await createBusiness(service.deps, { name, liveApproved: false }, tester)
    const { status, text } = await search('SHOP')
    expect(status).to.equal(200)
    for (const name of names) expect(readable(text)).to.include(name)
    for (const part of ['a.b', '(a.b']) expect((await search(part)).status).to.equal(303)
    for (const pattern of ['.*', 'a|b', '^Shop', '[a-z]']) {
      const got = await search(pattern)
      const nothing = readable(got.text).includes('Nothing was found for')
      expect([got.status, nothing], pattern).to.deep.equal([200, true])
    }
  })

  it('says so if it finds nothing, whatever characters the query contains', async () => {
    const unknown = ['PI-NOTHERE', 'PI-', 'b'.repeat(24), `${'b'.repeat(24)}-${'c'.repeat(24)}`]
    const odd = ['é', 'unknown', '.*', '\\', '\0\0\0', '"><script>', '\u202E\u202E', 'x'.repeat(3000)]
    for (const query of [...unknown, ...odd]) {
      const { status, text } = await search(query)
      expect([status, readable(text).includes('Nothing was found for')], query).to.deep.equal([200, true])
    }
    for (const path of ['/admin', '/admin?q=unknown', '/admin?other=1']) {
      const { status, text } = await staff.get(path)
      expect([status, readable(text).includes('Nothing was found')], path).to.deep.equal([200, false])
    }
    expect((await search('  ')).location).to.equal('/admin')
    expect((await staff.get('/admin/search')).location).to.equal('/admin')
    expect((await staff.post('/admin/search', { q: 'PI-NOTHERE' })).status).to.equal(403)
  })

  it('counts the deliveries that are due, that are waiting, or that died in the last 30 days', async () => {
    const counts = async () => {
      const found = (await staff.read('/admin')).matchAll(/(?:Due now|attempt|30 days) (\d+) /g)
      return Array.from(found, ([, count]) => Number(count))
    }
    const [due = 0, waiting = 0, dead = 0] = await counts()
    const [old] = await deadDeliveries(service, merchant, 2)
    const deadAt = new Date(service.clock.now().getTime() - 30.1 * dayMs)
    await service.deps.Delivery.updateOne({ _id: String(old?._id) }, { $set: { deadAt } })
    await freshDelivery(service, merchant)
    service.clock.freeze(service.clock.now())
    await attempt(service.deps, (await freshDelivery(service, merchant))._id)
    expect(await counts()).to.deep.equal([due + 1, waiting + 1, dead + 1])
  })
})
