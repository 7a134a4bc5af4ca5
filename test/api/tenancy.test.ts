import { apiBasePath } from '../../src/app.ts'
import type { Route } from '../../src/http/operations/route.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import { newId } from '../../src/platform/ids.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { withAnotherKey, withService } from '../support/service.ts'
import { createProduct, openLiveShop, type ProductResponse, readProduct } from '../support/store.ts'
import { expectRefused } from './refused.ts'
import { type Kind, kinds, type Side } from './resources.ts'

/** What an operation does to a resource, with a valid body. `state`: how it refuses a new resource. */
type Row =
  | { of: keyof typeof kinds; body?: object; state?: string; status?: number }
  | { lists: keyof typeof kinds }
  | { changes: 'delivery'; body: object }
  | { makes: keyof typeof kinds; body: object; needs?: keyof typeof kinds }

const endpoint = { url: 'https://shop.example/hook', events: ['payment.created'] }
const csv = 'handle,name,price\nrice,Rice,5\n'
const notRefundable = 'INTENT_REFUND_INVALID_STATUS'
const table: Record<string, Row> = {
  'post /dev/intents': { makes: 'intent', body: { amount: 5 } },
  'get /dev/intents': { lists: 'intent' },
  'get /dev/intents/:referenceNumber': { of: 'intent' },
  'post /dev/intents/:referenceNumber/cancel': { of: 'intent' },
  'post /dev/intents/:referenceNumber/simulate-payment': { of: 'intent', body: {} },
  'post /dev/intents/:referenceNumber/refund': { of: 'intent', body: {}, state: notRefundable },
  'get /dev/balance': { lists: 'booking' },
  'get /dev/balance/entries': { lists: 'booking' },
  'get /dev/refunds': { lists: 'booking' },
  'get /dev/statements': { lists: 'booking' },
  'get /dev/statements/:day': { lists: 'booking' },
  'get /dev/exports/payments': { lists: 'bookedPayment' },
  'get /dev/exports/refunds': { lists: 'booking' },
  'get /dev/exports/entries': { lists: 'booking' },
  'post /dev/webhooks/endpoints': { makes: 'endpoint', body: endpoint },
  'get /dev/webhooks/endpoints/:id': { of: 'endpoint' },
  'put /dev/webhooks/endpoints/:id': { of: 'endpoint', body: { active: false } },
  'delete /dev/webhooks/endpoints/:id': { of: 'endpoint' },
  'post /dev/webhooks/endpoints/:id/test': { of: 'endpoint', body: {} },
  'post /dev/webhooks/endpoints/:id/rotate-secret': { of: 'endpoint' },
  'get /dev/webhooks': { lists: 'endpoint' },
  'get /dev/webhooks/events': { lists: 'delivery' },
  'get /dev/webhooks/events/:id': { of: 'delivery' },
  'post /dev/webhooks/events/retry': { changes: 'delivery', body: { status: ['DEAD'] } },
  'post /dev/webhooks/events/:id/retry': { of: 'delivery' },
  'post /dev/webhooks/endpoints/:id/replay': { of: 'endpoint', body: { from: '2026-01-01' }, status: 201 },
  'get /dev/webhooks/endpoints/:id/replays': { of: 'endpoint' },
  'get /dev/webhooks/endpoints/:id/replays/:replayId': { of: 'replay' },
  'post /dev/webhooks/endpoints/:id/replays/:replayId/cancel': { of: 'replay' },
  'get /dev/events': { lists: 'event' },
  'get /dev/events/feed': { lists: 'event' },
  'get /dev/events/:id': { of: 'event' },
  'post /dev/store/products': { makes: 'product', body: { name: 'Rice', price: 5 } },
  'get /dev/store/products': { lists: 'product' },
  'get /dev/store/products/:id': { of: 'product' },
  'put /dev/store/products/:id': { of: 'product', body: { name: 'Tea' } },
  'delete /dev/store/products/:id': { of: 'product' },
  'patch /dev/store/products/:id/variants/:vid/stock': { of: 'product', body: { delta: -1 } },
  'post /dev/store/products/import-csv': { makes: 'product', body: { csv } },
  'get /dev/store/products/export-csv': { lists: 'product' },
  'post /dev/store/orders/simulate': { makes: 'order', body: {}, needs: 'product' },
  'get /dev/store/orders': { lists: 'order' },
  'get /dev/store/orders/:id': { of: 'order' },
}

describe('The API for several businesses in both environments', () => {
  const service = withService()
  type Business = { test: Side; live: Side }
  async function openBusiness({ hasShop = true } = {}): Promise<Business> {
    const merchant = await service.merchant()
    if (hasShop) await openLiveShop(service, merchant)
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    return { test: { merchant, sandbox: true }, live: { merchant: live, sandbox: false } }
  }
  const openBusinesses = () => Promise.all([openBusiness(), openBusiness()])
  type Things = { side: Side; id: string }[]
  const listed = new Map<Kind, Things>()
  async function thingsOf(kind: Kind): Promise<Things> {
    const things = listed.get(kind) ?? []
    listed.set(kind, things)
    if (things.length === 0)
      for (const side of (await openBusinesses()).flatMap(({ test, live }) => [test, live]))
        things.push({ side, id: await kind.make(service, side) })
    return things
  }

  let withoutShop: Business
  let other: Business
  before(async () => {
    other = await openBusiness()
    withoutShop = await openBusiness({ hasShop: false })
  })

  async function send(route: Route, row: Row, { merchant }: Side, id: string) {
    const today = service.clock.now().toISOString().slice(0, 10)
    // The example replay has its endpoint's id.
    const withId = route.path.replace(':day', today).replace(':replayId', id).replace(/:\w+/, id)
    const request = service.http[route.method](apiBasePath + withId.replace(':vid', await variantIn(id)))
    return request.set(merchant.write()).send('body' in row ? row.body : undefined)
  }

  /** The operation may write before it reads, so it needs the variant's id. */
  const variantIn = async (id: string): Promise<string> =>
    (await service.deps.Product.findById(id).lean())?.variants[0]?._id ?? newId()

  /** A sandbox operation refuses every live key with SANDBOX_ONLY. */
  const refusal = (route: Route, side: Side, status: number, code: string): [number, string] =>
    route.sandboxOnly && !side.sandbox ? [403, 'SANDBOX_ONLY'] : [status, code]

  const businessOf = ({ merchant }: Side) => merchant.businessId
  const snapshot = (kind: Kind, ...sides: Side[]) => kind.stored(service, sides.map(businessOf))

  it('is tested with every operation', () =>
    expect(Object.keys(table)).to.have.members(apiRoutes.map(({ method, path }) => `${method} ${path}`)))

  it("takes stock for an order only from that business's products in that environment", async () => {
    const own = await openBusiness()
    const [mine, live, foreign] = await Promise.all(
      [own.test, own.live, other.test].map(({ merchant }) => createProduct(service, merchant)),
    )
    const order = (...products: (ProductResponse | undefined)[]) =>
      service.http
        .post(`${apiBasePath}/dev/store/orders/simulate`)
        .set(own.test.merchant.write())
        .send({ items: products.map((product) => ({ productId: product?._id, quantity: 1 })) })
    await expectRefused(order(mine, foreign), 404, 'PRODUCT_NOT_FOUND')
    await expectRefused(order(mine, live), 403, 'SANDBOX_MISMATCH')
    expect((await order(mine)).status).to.equal(201)
    const left = async (side: Side, product?: ProductResponse) =>
      (await readProduct(service, side.merchant, product?._id ?? '')).variants[0].stock
    const stocks = [left(own.test, mine), left(own.live, live), left(other.test, foreign)]
    expect(await Promise.all(stocks)).to.deep.equal([4, 5, 5])
  })

  for (const route of apiRoutes) {
    const name = `${route.method} ${route.path}`
    const row = table[name]
    if (row === undefined) continue
    if ('of' in row)
      it(`finds only objects of the key's business and environment: ${name}`, async () => {
        const kind: Kind = kinds[row.of]
        const own = await openBusiness()
        const unknown = await Promise.all(
          [other.test, other.live].map((stranger) => send(route, row, stranger, kind.unknown)),
        )
        for (const owner of [own.test, own.live]) {
          const sibling = owner.sandbox ? own.live : own.test
          const id = await kind.make(service, owner)
          const stored = await snapshot(kind, owner)
          for (const [index, stranger] of [other.test, other.live].entries()) {
            const refused = refusal(route, stranger, 404, kind.missing)
            const { body: foreign } = await expectRefused(send(route, row, stranger, id), ...refused)
            const error = { ...foreign.error, requestId: null }
            expect(error).to.deep.equal({ ...unknown[index]?.body.error, requestId: null })
          }
          const mismatch = refusal(route, sibling, 403, 'SANDBOX_MISMATCH')
          // A live key may delete test endpoints.
          const mayDelete = route.method === 'delete' && row.of === 'endpoint' && owner.sandbox
          if (!mayDelete) await expectRefused(send(route, row, sibling, id), ...mismatch)
          expect(await snapshot(kind, owner)).to.deep.equal(stored)
          const { status, body } = await send(route, row, mayDelete ? sibling : owner, id)
          const hindrance = route.sandboxOnly && !owner.sandbox ? 'SANDBOX_ONLY' : row.state
          expect(body.error?.code, JSON.stringify(body)).to.equal(hindrance)
          if (hindrance === undefined) expect(status).to.equal(row.status ?? 200)
        }
      })
    if ('lists' in row)
      it(`lists only objects of the key's business and environment: ${name}`, async () => {
        const things = await thingsOf(kinds[row.lists])
        for (const { side } of things) {
          const { status, text } = await send(route, row, side, '')
          expect(status, text).to.equal(200)
          const shown = things.filter(({ id }) => text.includes(id))
          expect(shown).to.deep.equal(things.filter((thing) => thing.side === side))
        }
      })
    if ('changes' in row)
      it(`changes only objects of the key's business and environment: ${name}`, async () => {
        const kind: Kind = kinds[row.changes]
        const [own, stranger] = await openBusinesses()
        const sides = [own.test, own.live, stranger.test, stranger.live]
        const ids: string[] = []
        for (const side of sides) ids.push(await kind.make(service, side))
        excuse(ids, 'delivery state')
        const end = { $set: { status: 'DEAD', nextAttemptAt: null, deadAt: service.clock.now() } } as const
        await service.deps.Delivery.updateMany({ _id: { $in: ids } }, end)
        for (const [index, side] of [own.test, own.live].entries()) {
          const before = await snapshot(kind, ...sides)
          const { body } = await send(route, row, side, '')
          expect(body.data, JSON.stringify(body)).to.include({ requeued: 1 })
          const after = await snapshot(kind, ...sides)
          const changed = after.filter((each, at) => JSON.stringify(each) !== JSON.stringify(before[at]))
          expect(changed.map(({ _id }) => _id)).to.deep.equal([ids[index]])
        }
      })
    if ('makes' in row)
      it(`creates objects only for the key's business and environment: ${name}`, async () => {
        const kind: Kind = kinds[row.makes]
        const own = await openBusiness()
        const sides = [own.test, own.live, other.test, other.live]
        if (row.needs !== undefined) for (const side of sides) await kinds[row.needs].make(service, side)
        for (const side of [own.test, own.live]) {
          const before = (await snapshot(kind, ...sides)).map(({ _id }) => _id)
          const { body } = await send(route, row, side, '')
          const mayMake = side.sandbox || route.sandboxOnly === undefined
          expect(body.error?.code, JSON.stringify(body)).to.equal(mayMake ? undefined : 'SANDBOX_ONLY')
          const made = (await snapshot(kind, ...sides)).filter(({ _id }) => !before.includes(_id))
          const { businessId } = side.merchant
          const owners = made.map((thing) => [thing.businessId, thing.sandbox])
          expect(owners).to.deep.equal(mayMake ? [[businessId, side.sandbox]] : [])
        }
      })
    if (route.path.startsWith('/dev/store/'))
      it(`refuses a live key, but no test key, if the business has no live shop: ${name}`, async () => {
        const { test, live } = withoutShop
        const { businessId } = test.merchant
        const id = 'of' in row ? kinds[row.of].unknown : ''
        const [status, code] = refusal(route, live, 404, 'SHOP_NOT_FOUND')
        await expectRefused(send(route, row, live, id), status, code)
        expect((await send(route, row, test, id)).body.error?.code).to.not.equal('SHOP_NOT_FOUND')
        if ('of' in row && row.of === 'product') {
          const { _id } = await createProduct(service, test.merchant)
          await expectRefused(send(route, row, live, _id), status, code)
        }
        expect(await service.deps.Shop.countDocuments({ businessId, sandbox: false })).to.equal(0)
      })
  }
})
