import { withAdmin } from '../admin/admin.ts'
import { signedIn } from '../admin/staff.ts'
import { relay } from '../support/actions.ts'
import { csvOf, postCsv, storedProducts, variantLines } from '../support/imports.ts'
import { receiveLive } from '../support/ledger.ts'
import { withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { createProduct, readProduct } from '../support/store.ts'

/** As typed or pasted, and as stored. Null means refused. */
type Forms = [typed: string, stored: string | null][]
const asStored = (form: string | null, ...typed: string[]): Forms => typed.map((each) => [each, form])
const references: Forms = [
  ...asStored('CMD-é 7', 'CMD-é 7', ' CMD-é 7', 'CMD-é 7\n', '\t CMD-é  \u00a0 7', '\ufeffCMD-é 7'),
  ...asStored('CMD-é 7', 'CMD-é 7\u200b', 'CMD-é\u2028\u0085 7', 'CMD-e\u0301 7', 'CMD\u2013é\r\n7'),
  ...asStored('CMD-é 7', '\u2060\u3164CMD\u2010é\u30007\ufe0f', 'CMD\u2015é 7\u00ad', 'CMD\u2011é\t7 \u200e'),
  ...asStored(null, 'CMD\u200b-7', 'CMD\u00ad7', 'CMD\ufeff7', 'CMD\u200d7', 'C\u202eMD', 'C\u034fMD'),
  ...asStored(null, 'C\u{e0041}x', 'CMD\u00007', 'CMD\u0007', '\u001bCMD', 'CMD\u009f', '', ' \n'),
  ...asStored(null, '\u200b\ufeff', '\u3164', '\u2800', 'x'.repeat(65), `${' '.repeat(2_000)}x`),
  ['C\u{e0041}', 'C'],
  ['cmd-é 7', 'cmd-é 7'],
  ['CMD\u2212é', 'CMD\u2212é'],
  [`${' '.repeat(500)}${'x'.repeat(64)}${'\u200b'.repeat(400)}`, 'x'.repeat(64)],
]

const names: Forms = [
  ...asStored('Café noir', 'Café noir', '\ufeffCafé noir', 'Cafe\u0301 noir ', 'Café\nnoir'),
  ...asStored('Café noir', 'Ca\u00adfé noir', 'Café \u200b noir', 'Caf\u200be\u200b\u0301 noir'),
  ...asStored('Café noir', '\u202eCafé noir\u202c', 'Café\u2060 \ufeffnoir', '\u2003Café\u205fnoir\u200d'),
  ['می\u200cخواهم', 'می\u200cخواهم'],
  ['👩\u200d🌾 ❤\ufe0f x', '👩\u200d🌾 ❤\ufe0f x'],
  ['T\u2013shirt', 'T\u2013shirt'],
  ...asStored(null, 'a\0', 'a\u0007b', '', '\u00a0', '\u200d', '\u200b\n\ufeff', '\u115f'),
]

describe('A name or reference typed in different Unicode forms', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const cli = withAdmin(service)
  const path = '/api/v1/dev'
  const get = (url: string, query: Record<string, string>) =>
    service.http.get(`${path}${url}`).query(query).set(merchant.read())
  const send = (url: string, body: object) =>
    service.http.post(`${path}${url}`).set(merchant.write()).send(body)

  it('counts as one reference, which belongs to one payable intent and is found in any form', async () => {
    for (const [typed, stored] of references) {
      const { status, body } = await send('/intents', { amount: 100, merchantReference: typed })
      const about = JSON.stringify(typed).slice(0, 80)
      const found = await get('/intents', { merchantReference: typed })
      if (stored === null) {
        const params = [body.error.param, found.body.error.param]
        expect(params, about).to.deep.equal(['merchantReference', 'merchantReference'])
        continue
      }
      if (status === 201) expect(body.data.merchantReference, about).to.equal(stored)
      else expect(body.error.code, about).to.equal('MERCHANT_REFERENCE_TAKEN')
      expect(found.body.data.items, about).to.have.length(1)
      expect(found.body.data.items[0].merchantReference, about).to.equal(stored)
    }
    const stored = await service.deps.Intent.find({ businessId: merchant.businessId }).lean()
    const forms = new Set(references.flatMap(([, form]) => form ?? []))
    expect(stored.map((each) => each.merchantReference)).to.have.members([...forms])
  })

  it("leaves an intent's label and metadata unchanged, byte for byte", async () => {
    const metadata = { ' e\u0301\u200b': '\ufeff a\u2010b \n' }
    const { body } = await send('/intents', { amount: 100, label: ' Cafe\u0301\n\u200b', metadata })
    expect(body.data).to.deep.include({ label: ' Cafe\u0301\n\u200b', metadata })
  })

  it('counts as one SKU when products are created, updated, filtered and imported', async () => {
    const { _id } = await createProduct(service, merchant, { sku: ' TV\u2011250\n' })
    expect((await readProduct(service, merchant, _id)).variants[0].sku).to.equal('TV-250')
    for (const sku of ['TV-250', '\ufeffTV\u2013250 \u200b']) {
      const again = await send('/store/products', { name: 'x', price: 1, sku })
      expect([again.status, again.body.error?.param], sku).to.deep.equal([400, 'sku'])
      expect((await get('/store/products', { sku })).body.data.items, sku).to.have.length(1)
      const imported = await postCsv(service, merchant, csvOf('handle,sku,price', `${_id},"${sku}",7`))
      expect(imported.body.data, sku).to.include({ created: 0 })
    }
    for (const sku of ['A\u200bB', 'A\u0007', '\u200b']) {
      expect((await send('/store/products', { name: 'x', price: 1, sku })).body.error.param).to.equal('sku')
      expect((await get('/store/products', { sku })).body.error.param).to.equal('sku')
    }
    expect((await readProduct(service, merchant, _id)).variants).to.have.length(1)
  })

  it('counts as one product name and variant in bodies, paths, orders, searches and imports', async () => {
    const variant = { label: 'Café noir', price: 500, stock: 99 }
    const { _id } = await createProduct(service, merchant, { name: 'Thé', variants: [variant] })
    const url = `/store/products/${_id}`
    const put = (body: object) => service.http.put(`${path}${url}`).set(merchant.write()).send(body)
    for (const [typed, stored] of names) {
      const about = JSON.stringify(typed)
      const created = await send('/store/products', { name: typed, variants: [{ label: typed, price: 1 }] })
      const order = () =>
        send('/store/orders/simulate', { items: [{ productId: _id, variantLabel: typed, quantity: 1 }] })
      const stockPath = `${path}${url}/variants/${encodeURIComponent(typed)}/stock`
      const stock = () => service.http.patch(stockPath).set(merchant.write()).send({ delta: 0 })
      const row = `${_id},"${typed}",500`
      const imported = () => postCsv(service, merchant, csvOf('handle,variant_label,price', row))
      if (stored === null) {
        expect(created.body.error?.param, about).to.equal('name')
        expect((await get('/store/products', { q: typed })).body.error.param, about).to.equal('q')
        expect((await order()).body.error.param, about).to.equal('items[0].variantLabel')
        expect((await stock()).status, about).to.equal(404)
        continue
      }
      const { name, variants } = created.body.data
      expect([name, variants[0].label], about).to.deep.equal([stored, stored])
      expect((await get('/store/products', { q: typed })).body.data.total, about).to.be.above(0)
      if (stored !== 'Café noir') continue
      const { body: changed } = await put({ variants: [{ label: typed, price: 500 }] })
      expect(changed.data.variants, about).to.have.length(1)
      expect((await order()).status, about).to.equal(201)
      expect((await stock()).body.data, about).to.include({ label: stored })
      expect((await imported()).body.data, about).to.include({ unchanged: 1 })
    }
  })

  it('counts as one handle, column or variant in an import, e.g. with a decomposed é', async () => {
    const first = csvOf('handle,name,variant_label,price', 'thé vert,Thé,Été,500')
    const second = csvOf(
      ' \u200bhandle,Price\u2060,variant_label',
      '"\ufeffthe\u0301  vert",600,E\u0301te\u0301\u00a0',
    )
    expect((await postCsv(service, merchant, first)).body.data).to.include({ created: 1 })
    const { body } = await postCsv(service, merchant, second)
    expect(body.data).to.include({ created: 0, updated: 1, variants: 1 })
    const refused = csvOf('handle,name,sku', '"a\u0007",b,c', 'd,"e\u0007",f', 'g,h,"i\u200bj"', 'k,\u200b,l')
    const { faults } = (await postCsv(service, merchant, refused)).body.error.details
    const named = faults.map(({ row, column }: { row: number; column: string }) => `${row} ${column}`)
    expect(named).to.deep.equal(['2 handle', '3 name', '4 sku', '5 name'])
    const [product, ...others] = await storedProducts(service, merchant)
    expect(product && variantLines(product)).to.deep.equal(['thé vert|Thé|Été||600|0'])
    expect(others).to.deep.equal([])
  })

  it('counts as one business and payout for operators and staff', async () => {
    const create = await cli.here('business', 'create', '--name', ' Chez\n Ne\u0301ma\u200b ', '--json')
    const { id } = JSON.parse(create.stdout)
    expect((await service.deps.Business.findById(id).lean())?.name).to.equal('Chez Néma')
    const pasted = '\u202aChez  Ne\u0301ma\u202c'
    const listed = JSON.parse((await cli.here('business', 'list', '--name', pasted, '--json')).stdout)
    expect(listed.items.map((each: { id: string }) => each.id)).to.deep.equal([id])
    await receiveLive(service, await withAnotherKey(service, merchant, { mode: 'live' }), 900)
    const pay = async (reference: string) => {
      const args = ['--amount', '400', '--reference', reference, '--json']
      return cli.here('business', 'payout', merchant.businessId, ...args)
    }
    const booked = await Promise.all(['TR-7', ' TR\u20117', 'TR-7\u200b', '\ufeffTR-7\n'].map(pay))
    for (const { stdout, stderr } of booked)
      expect(JSON.parse(stdout || stderr)).to.include({ reference: 'TR-7', balance: 500 })
    for (const reference of ['TR\u200b7', 'TR\u00077', '\u2060'])
      expect((await pay(reference)).exitCode).to.equal(1)
    const { body } = await send('/intents', { amount: 100, merchantReference: 'CMD-1042' })
    const staff = await signedIn(service, 'viewer')
    const search = async (q: string) => (await staff.act('/admin/search', { q })).location
    const pastedId = ` ${body.data.referenceNumber.replace('-', '\u2011')}\u200b`
    const typed = ['\u200bCMD\u20111042\n', pastedId.toLowerCase(), `(${pastedId}).`, `${body.data.payUrl}).`]
    for (const q of typed) expect(await search(q)).to.equal(`/admin/payments/${body.data.referenceNumber}`)
    await relay(service, merchant)
    for (const url of ['/events', '/webhooks/events']) {
      const filtered = (referenceNumber: string) => get(url, { referenceNumber })
      const { body: events } = await filtered(pastedId)
      const plain = await filtered(body.data.referenceNumber)
      expect(events.data, url).to.deep.equal(plain.body.data)
      expect((await filtered('PI\u200b-1')).status).to.equal(400)
      if (url === '/events') expect(events.data.total).to.equal(1)
    }
    expect(await search(pasted)).to.equal(`/admin/businesses/${id}`)
    const page = await staff.get(`/admin/businesses?name=${encodeURIComponent(pasted)}`)
    expect(page.text).to.include(`/admin/businesses/${id}`)
  })
})
