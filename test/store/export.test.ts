import { once } from 'node:events'
import { get } from 'node:http'
import express from 'express'
import type { Caller } from '../../src/businesses/caller.ts'
import { sendDownload } from '../../src/http/responses/download.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import { newId } from '../../src/platform/ids.ts'
import { exportProducts } from '../../src/store/exports/export-products.ts'
import { buildProduct, buildVariant } from '../../src/store/products/create.ts'
import type { Product } from '../../src/store/products/product.ts'
import { connectTo } from '../api/raw-request.ts'
import { expectRefused } from '../api/refused.ts'
import { openServer, shortTimeouts } from '../api/short-timeouts.ts'
import { openMongoProxy } from '../support/mongo-proxy.ts'
import { type Merchant, openService, type Service, withService } from '../support/service.ts'
import { createProduct, productRequests } from '../support/store.ts'
import { waitFor } from '../support/wait-for.ts'

const path = '/api/v1/dev/store/products/export-csv'
const header = 'handle,name,description,variant_label,sku,price,stock,active\r\n'

const stored = (businessId: string, count: number, description: string): Product => {
  const _id = newId()
  const variants = Array.from({ length: count }, (_, n) =>
    buildVariant({ label: `L${n}`, price: 1, stock: 1 }),
  )
  const shown = { name: 'Tea', description, images: [], active: true, variants }
  const at = new Date('2026-01-01T00:00:00Z')
  return buildProduct({ _id, businessId, sandbox: true, handle: _id, ...shown }, at)
}

describe('A product export', () => {
  const service = withService()

  const store = (merchant: Merchant, count: number, variants: number, description: string) =>
    rawCollection(service.deps.Product).insertMany(
      Array.from({ length: count }, () => stored(merchant.businessId, variants, description)),
    )
  /** Calls `see` with the number of each page that an export of this service reads. */
  function watchPages({ deps: { lists } }: Service, see: (page: number) => void): void {
    const { run } = lists
    let pages = 0
    lists.run = (owner, ...rest) => {
      if (owner.startsWith('export ')) see((pages += 1))
      return run(owner, ...rest)
    }
  }
  /** A second service on the same database, whose connection is cut before an export reads its second page. */
  async function cutAtSecondPage(act: (behind: Service) => Promise<unknown>): Promise<void> {
    const wire = await openMongoProxy(service.deps.config.mongodbUrl, {
      isDead: () => false,
      isLast: () => false,
      fate: 'lost',
      onEnd: () => undefined,
    })
    const behind = await openService({ MONGODB_URL: wire.url })
    watchPages(behind, (page) => page === 2 && wire.close())
    await act(behind)
    await behind.close()
    wire.close()
  }
  const read = (merchant: Merchant, query = '') => service.http.get(path + query).set(merchant.read())

  it('is a CSV file with one row per variant, oldest product first', async () => {
    const merchant = await service.merchant()
    const variants = [
      { label: '1 kg', price: 0, sku: '007' },
      { label: '٢ كغ', price: 1250, stock: 3 },
    ]
    const tea = await createProduct(service, merchant, {
      name: '=Tea, "green"',
      description: 'a\r\nb;c',
      variants,
    })
    const salt = await createProduct(service, merchant, { name: 'Sel', active: false })
    const gone = await createProduct(service, merchant)
    await productRequests(service, merchant).remove(gone._id).expect(200)
    const response = await read(merchant).buffer(true).expect(200)
    expect(response.headers).to.include({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="products.csv"',
      'cache-control': 'no-store',
    })
    expect(response.headers['x-request-id']).to.be.a('string')
    expect(response.text).to.equal(
      `${header}"${tea.handle}","=Tea, ""green""","a\r\nb;c","1 kg","007",0,0,"true"\r\n` +
        `"${tea.handle}",,,"٢ كغ",,1250,3,\r\n"${salt.handle}","Sel",,"Default",,1000,5,"false"\r\n`,
    )
  })

  it('uses semicolons and a byte order mark on request, as French spreadsheets expect', async () => {
    const merchant = await service.merchant()
    const { handle } = await createProduct(service, merchant, { name: 'Thé' })
    const { text } = await read(merchant, '?delimiter=;').buffer(true).expect(200)
    expect(text).to.equal(
      `\uFEFF${header.replaceAll(',', ';')}"${handle}";"Thé";;"Default";;1000;5;"true"\r\n`,
    )
    for (const [query, start] of Object.entries({
      '?bom=true': '\uFEFFhandle,',
      '?delimiter=;&bom=false': 'handle;',
    }))
      expect((await read(merchant, query).buffer(true).expect(200)).text).to.match(new RegExp(`^${start}`))
    for (const query of ['?delimiter=%09', '?delimiter=', '?delimiter=;&delimiter=,', '?bom=1'])
      await expectRefused(read(merchant, query), 400, 'VALIDATION_ERROR')
  })

  it('contains only the header row if there are no products', async () => {
    const merchant = await service.merchant()
    expect((await read(merchant).buffer(true).expect(200)).text).to.equal(header)
    const head = await service.http.head(path).set(merchant.read()).expect(200)
    expect(head.headers['content-type']).to.equal('text/csv; charset=utf-8')
    expect(head.text).to.equal(undefined)
    await expectRefused(service.http.post(path).set(merchant.write()), 404, 'ENDPOINT_NOT_FOUND')
  })

  it('reads from MongoDB no faster than the client reads', async () => {
    const merchant = await service.merchant()
    // 12 MB of text, far more than sockets hold.
    await store(merchant, 600, 1, '😀'.repeat(5000))
    let pages = 0
    watchPages(service, (page) => (pages = page))
    const [response] = await once(get(service.origin + path, { headers: merchant.read() }), 'response')
    await once(response, 'readable')
    response.destroy()
    await waitFor('the export has ended', () => service.deps.capacity.used().exports === 0)
    // Out of 12. Sockets buffer some unread data, and the system keeps an unread socket's buffer small.
    expect(pages).to.be.within(1, 10)
  })

  it('yields to other requests after every 100 rows', async () => {
    const merchant = await service.merchant()
    await store(merchant, 10, 100, 'Tea')
    await read(merchant).expect(200)
    const caller = { ...merchant, sandbox: true } as unknown as Caller
    let iterations = 0
    const seen: number[] = []
    for await (const _chunk of exportProducts(service.deps, caller, { delimiter: ',', hasBom: false })) {
      seen.push(iterations)
      setImmediate(() => void (iterations += 1))
    }
    expect(seen).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('keeps its slot for a while after it has ended, so that constant exports leave time for others', async () => {
    const running = () => service.deps.capacity.used().exports
    await waitFor('no export runs', () => running() === 0)
    const merchant = await service.merchant()
    // Enough rows for more than 10 ms.
    await store(merchant, 100, 100, 'Tea')
    await read(merchant).buffer(true).expect(200)
    expect(running()).to.equal(1)
    await waitFor('the slot is free', () => running() === 0)
  })

  it('returns an error if MongoDB fails before the first byte, and is cut off if it fails later', async () => {
    const [few, many] = await Promise.all([service.merchant(), service.merchant()])
    // With more variants, the first chunk is sent before the second page is read.
    await Promise.all([store(few, 60, 1, ''), store(many, 60, 10, '')])
    const early = cutAtSecondPage(({ http }) =>
      expectRefused(http.get(path).set(few.read()), 503, 'SERVICE_UNAVAILABLE'),
    )
    const late = cutAtSecondPage(async ({ origin }) => {
      const response = await fetch(origin + path, { headers: many.read() })
      expect(response.status).to.equal(200)
      expect(await response.text().catch(() => 'cut')).to.equal('cut')
    })
    await Promise.all([early, late])
  })

  it('is cut off if the client reads nothing for too long', async () => {
    let isOver = false
    async function* endless(): AsyncGenerator<string, void, undefined> {
      try {
        for (;;) yield 'x'.repeat(100_000)
      } finally {
        isOver = true
      }
    }
    const app = express()
    app.locals.stopping = new AbortController().signal
    app.locals.apiHeaders = new Map()
    const file = { contentType: 'text/csv', fileName: 'a.csv', first: '', pieces: endless() }
    app.get('/', (req, res) => sendDownload(req, res, file))
    const { origin, close } = await openServer(service, shortTimeouts, app)
    const socket = await connectTo(origin)
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await waitFor('the download ends', () => isOver)
    socket.destroy()
    await close()
  })
})
