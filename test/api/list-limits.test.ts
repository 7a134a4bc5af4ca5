import mongoose from 'mongoose'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import { newId } from '../../src/platform/ids.ts'
import { signedIn } from '../admin/staff.ts'
import { createIntent } from '../support/actions.ts'
import { profiled } from '../support/profiled.ts'
import { type Merchant, withMerchant, withService } from '../support/service.ts'
import { createProduct, openLiveShop } from '../support/store.ts'
import { waitFor } from '../support/wait-for.ts'

const exported = '/api/v1/dev/store/products/export-csv'

describe('The list limiter', () => {
  const service = withService({ RATE_LIMIT_PER_SECOND: '0' })
  const lister = withMerchant(service)
  const neighbour = withMerchant(service, { mode: 'live' })
  before(() => openLiveShop(service, neighbour))
  const read = (path: string, { key }: Merchant) =>
    fetch(`${service.origin}${path}`, { headers: { Authorization: `Bearer ${key}` } })

  async function expectLimited(path: string, merchant: Merchant): Promise<void> {
    const refused = await read(path, merchant)
    expect([refused.status, refused.headers.get('retry-after')], path).to.deep.equal([429, '1'])
    const { error } = (await refused.json()) as { error: object }
    expect(error).to.deep.include({ code: 'RATE_LIMITED', details: { scope: 'lists', limit: 2 } })
  }

  function holdBoth(limit: 'lists' | 'queries', owner: string): () => void {
    const held = [1, 2].map(() => service.deps.capacity.takeNow([owner], { [limit]: 1 }))
    return () => {
      for (const slot of held) slot?.free()
    }
  }

  it('returns 429 with scope `lists` only to a merchant whose slots are all in use', async () => {
    await createProduct(service, neighbour)
    const free = holdBoth('lists', lister.businessId)
    const paths = ['intents', 'webhooks', 'webhooks/events', 'store/products', 'store/orders']
    const limited = Promise.all(paths.map((path) => expectLimited(`/api/v1/dev/${path}`, lister)))
    for (const path of paths)
      expect((await read(`/api/v1/dev/${path}`, neighbour)).status, path).to.equal(200)
    await createIntent(service, await service.merchant())
    await limited
    const { referenceNumber } = await createIntent(service, lister)
    expect((await read(`/api/v1/dev/intents/${referenceNumber}`, lister)).status).to.equal(200)
    const wrong = await read('/api/v1/dev/intents?status=LATE', lister)
    expect(wrong.status, 'an invalid query is refused first').to.equal(400)
    free()
    expect((await read('/api/v1/dev/intents', lister)).status).to.equal(200)
  })

  it('returns 429 only to a staff member whose slots are all in use', async () => {
    const [one, other] = await Promise.all([signedIn(service, 'viewer'), signedIn(service, 'support')])
    const viewer = await service.deps.Staff.findOne({ role: 'viewer' }).orFail().lean()
    const free = holdBoth('queries', `staff ${viewer._id}`)
    const paths = ['/admin', '/admin/dead', '/admin/audit', `/admin/businesses/${lister.businessId}`]
    const limited = Promise.all(paths.map((path) => one.get(path)))
    for (const path of paths) expect((await other.get(path)).status, path).to.equal(200)
    expect((await limited).map(({ status }) => status)).to.deep.equal([429, 429, 429, 429])
    free()
    expect((await one.get('/admin')).status).to.equal(200)
  })

  it('allows two exports per merchant and frees a slot when its client disconnects', async () => {
    const shop = await service.merchant()
    const made = await createProduct(service, shop, { description: '\u20ac'.repeat(5000) })
    const template = await service.deps.Product.findById(made._id).lean()
    const ids = Array.from({ length: 450 }, newId)
    const copies = ids.map((_id) => ({ ...template, _id, handle: _id, skus: [] }))
    await service.deps.Product.collection.insertMany(copies as never[])
    const stop = new AbortController()
    const headers = { Authorization: `Bearer ${shop.key}` }
    const slow = await Promise.all(
      [1, 2].map(() => fetch(`${service.origin}${exported}`, { headers, signal: stop.signal })),
    )
    expect(slow.map(({ status }) => status)).to.deep.equal([200, 200])
    await expectLimited(exported, shop)
    expect((await read('/api/v1/dev/store/products', shop)).status, 'a list').to.equal(200)
    expect((await read(exported, neighbour)).status, 'a neighbour').to.equal(200)
    stop.abort()
    await waitFor('the slots are free', () => service.deps.capacity.used().exports === 0)
    const again = await read(exported, shop)
    expect(again.status).to.equal(200)
    await again.body?.cancel()
  })

  it('sets a time limit for every query of a list, export or staff page', async () => {
    const staff = await signedIn(service, 'viewer')
    const lists = apiRoutes.filter((route) => 'isPage' in route && !route.path.includes(':'))
    const operations = await profiled(service, async () => {
      for (const path of [...lists.map((route) => `/api/v1${route.path}`), exported])
        expect((await read(path, neighbour)).status, path).to.equal(200)
      for (const path of ['/admin', '/admin/dead', '/admin/audit'])
        expect((await staff.get(path)).status).to.equal(200)
    })
    const ours = operations.filter(({ appName }) => appName === 'payment-intents lists')
    const unlimited = ours.filter(({ command }) => !('hello' in command || 'maxTimeMS' in command))
    expect(unlimited.map(({ ns, command }) => JSON.stringify([ns, command]))).to.deep.equal([])
    expect(new Set(ours.map(({ ns }) => ns)).size).to.be.greaterThan(5)
  })

  it('ends a query that takes too long and advises the client to narrow it', async () => {
    const client = await mongoose.mongo.MongoClient.connect(service.deps.config.mongodbUrl)
    const ignoreLimits = (mode: 'off' | 'alwaysOn') =>
      client.db('admin').command({ configureFailPoint: 'maxTimeNeverTimeOut', mode })
    await ignoreLimits('off')
    const slow = service.deps.lists.run('business x', ({ Intent }) =>
      Intent.find({ $where: 'sleep(1000) || true' }).maxTimeMS(1),
    )
    const refusal = await slow.catch((error: unknown) => error)
    await ignoreLimits('alwaysOn')
    await client.close()
    expect(refusal).to.include({ code: 'SERVICE_UNAVAILABLE' })
    expect(refusal).to.have.property('message').that.includes('Narrow it')
  })
})
