import type { Socket } from 'node:net'
import { itemMemoryBytes, maxItemBytes } from '../../src/http/responses/largest.ts'
import { maxBusinessBytes } from '../../src/limits/capacity.ts'
import { createIntent } from '../support/actions.ts'
import { copyIntents, intentTemplate } from '../support/copy-intents.ts'
import { intents, type Merchant, withServiceAndMerchant } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { waitFor } from '../support/wait-for.ts'
import { connectTo, crlf, expectFailure, readResponses } from './raw-request.ts'
import { openServer } from './short-timeouts.ts'

const page = `${intents}?limit=60`
/** JSON escapes it as six bytes, so this metadata is as large as possible. */
const long = '\u0001'
const metadata = Object.fromEntries(
  Array.from({ length: 50 }, (_, n) => [String(n).padEnd(255, long), long.repeat(500)]),
)

describe('A response that the client has not read', () => {
  const { service, merchant } = withServiceAndMerchant()
  const open = new Set<Socket>()
  before(async () => {
    const template = await intentTemplate(service, merchant)
    const stored = Object.entries(metadata).map(([key, value]) => ({ key, value }))
    await copyIntents(service, template, 60, () => ({ metadata: stored }))
  })
  afterEach(async () => {
    leave()
    await waitFor('all memory is released', () => taken() === 0)
  })

  const taken = () => service.deps.capacity.used().memory
  const takeMost = () =>
    service.deps.capacity.force([merchant.businessId], {
      memory: maxBusinessBytes - 61 * itemMemoryBytes('intent'),
    }).free

  async function request(origin: string, path: string, by: Merchant): Promise<Socket> {
    const socket = await connectTo(origin)
    socket.on('error', () => undefined)
    open.add(socket.pause())
    const key = `Authorization: Bearer ${by.key}`
    socket.write(crlf(`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', key, '', ''))
    return socket
  }
  function leave(): void {
    for (const socket of open) socket.destroy()
    open.clear()
  }
  const responseOf = async (socket: Socket) => {
    open.delete(socket)
    return (await readResponses(socket.resume()))[0]
  }

  it('causes 429 RATE_LIMITED once the business exceeds its share of memory', async () => {
    const free = takeMost()
    const sockets: Socket[] = []
    for (let n = 0; n < 3; n += 1) {
      const socket = await request(service.origin, page, merchant)
      await waitFor('the connection has something to read', () => socket.bytesRead > 0)
      sockets.push(socket)
    }
    expect(taken()).to.be.within(1, maxBusinessBytes)
    const responses = await Promise.all(sockets.map(responseOf))
    free()
    const refused = responses.filter((response) => response?.status === 429)
    expect(responses.filter((response) => response?.status === 200).length).to.be.within(1, 2)
    expect(refused.length).to.be.within(1, 2)
    for (const response of refused) {
      expectFailure(response, 429, 'RATE_LIMITED')
      expect(response?.headers.get('retry-after')).to.equal('1')
      const limitDetails = { scope: 'responses', limit: maxBusinessBytes }
      expect(JSON.parse(response?.body ?? '').error.details).to.deep.equal(limitDetails)
    }
    const { values } = await service.deps.metrics.rateLimited.get()
    expect(values).to.deep.include({ labels: { scope: 'responses' }, value: refused.length })
  })

  it('makes further requests wait for memory rather than fail while the client is still reading', async () => {
    const { capacity } = service.deps
    const earlier = capacity.force([merchant.businessId], { memory: maxBusinessBytes })
    const waiting = request(service.origin, page, merchant)
    await waitFor('the read waits', () => capacity.waiting(merchant.businessId) === 1)
    earlier.free()
    const response = await responseOf(await waiting)
    expect(response?.status).to.equal(200)
    const { data } = JSON.parse(response?.body ?? '')
    expect(data.items).to.have.length(60)
    expect(data).to.include({ page: 1, limit: 60, hasMore: false })
    expect(data.items[0].metadata).to.deep.equal(metadata)
  })

  it('is discarded, and the connection closed, if the client reads nothing or too slowly', async () => {
    const { origin, close } = await openServer(service)
    const silent = await request(origin, page, merchant)
    const dripping = await request(origin, page, merchant)
    const drip = setInterval(() => dripping.read(100_000), 50)
    for (const socket of [silent, dripping]) socket.once('close', () => open.delete(socket))
    await waitFor('the responses take memory', () => taken() > 0)
    await waitFor('the memory is released', () => taken() === 0)
    clearInterval(drip)
    await close()
  })

  it('never needs more memory than is reserved per intent, even for the largest one without refunds', async () => {
    const label = long.repeat(200)
    const { referenceNumber } = await createIntent(service, merchant, { amount: 500, label, metadata })
    const { text } = await service.http.get(`${intents}/${referenceNumber}`).set(merchant.read()).expect(200)
    expect(Buffer.byteLength(text)).to.be.within(maxItemBytes.intent * 0.9, maxItemBytes.intent)
  })

  it('never needs more memory than is reserved per product, even for the largest one', async () => {
    const { _id } = await createProduct(service, merchant, {
      name: '"'.repeat(200),
      description: long.repeat(5000),
      images: Array.from({ length: 10 }, () => `https://a.example/${'a'.repeat(2030)}`),
      variants: Array.from({ length: 100 }, (_, n) => ({
        label: String(n).padStart(2, '0') + '"'.repeat(98),
        sku: String(n).padStart(2, '0') + '"'.repeat(62),
        price: 1_000_000_000,
        stock: 1_000_000_000,
      })),
    })
    const path = `/api/v1/dev/store/products/${_id}`
    const { text } = await service.http.get(path).set(merchant.read()).expect(200)
    expect(Buffer.byteLength(text)).to.be.within(maxItemBytes.product * 0.9, maxItemBytes.product)
  })
})
