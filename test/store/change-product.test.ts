import { expectRefused } from '../api/refused.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import type { ProductResponse, VariantResponse } from '../support/store.ts'
import { createProduct, productRequests, readProduct } from '../support/store.ts'

const label = 'Taille M'

describe('A product change', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()

  const { change } = productRequests(service, merchant)
  const labelled = [
    { label: 'S', price: 100, stock: 1, sku: 'S' },
    { label, price: 200, stock: 2, sku: 'M' },
    { label: 'L', price: 300, stock: 3 },
  ]
  const three = () => createProduct(service, merchant, { variants: labelled })
  const idsOf = ({ variants }: ProductResponse) => variants.map(({ _id }) => _id)

  it('changes only the fields in the request', async () => {
    const made = await createProduct(service, merchant, { name: 'a', sku: 'A' })
    const expected: Record<string, unknown> = { ...made }
    const changes = [
      { name: 'b' },
      { description: 'Frais', images: ['https://shop.example/a.jpg'] },
      { active: false },
      { description: '', images: [], active: true, name: 'c' },
      {},
      { removeMissingVariants: true },
    ]
    for (const each of changes) {
      const { removeMissingVariants: _, ...fields } = { removeMissingVariants: true, ...each }
      service.clock.advance(1000)
      const { status, body } = await change(made._id, { ...each, _id: 'x', handle: 'x', createdAt: 'x' })
      expect(status, JSON.stringify(body)).to.equal(200)
      const { updatedAt } = body.data
      expect(updatedAt > String(expected.updatedAt)).to.equal(Object.keys(fields).length > 0)
      Object.assign(expected, fields, { updatedAt })
      expect(body.data).to.deep.equal(expected)
      expect(await readProduct(service, merchant, made._id)).to.deep.equal(expected)
    }
  })

  it('accepts price, stock and SKU outside `variants` if the product has only one variant', async () => {
    const { _id, variants } = await createProduct(service, merchant, { sku: 'A' })
    const changes = [{ price: 7 }, { stock: 0, sku: null }, { price: 0, sku: 'A' }, { sku: 'B' }]
    const expected = { ...variants[0] }
    for (const each of changes) {
      const { body } = await change(_id, each).expect(200)
      expect(body.data.variants).to.deep.equal([Object.assign(expected, each)])
    }
  })

  it('changes only the given fields of the variants that it names by _id or label', async () => {
    const made = await three()
    const [s, m, l] = made.variants as unknown as [VariantResponse, VariantResponse, VariantResponse]
    const swapped = { ...s, sku: 'M', stock: 9 }
    const renamed = { ...m, price: 250, label: 'S', sku: 'S' }
    const last = [{ ...swapped, label: 'XS', sku: null }, renamed, l]
    const swap = { _id: m._id, label: 'S', sku: 'S' }
    const cases: [given: object[], expected: object[]][] = [
      [[{ label, price: 250 }], [s, { ...m, price: 250 }, l]],
      // The second entry finds its variant by the label that the first entry takes.
      [
        [swap, { label: 'S', sku: 'M', stock: 9 }],
        [swapped, renamed, l],
      ],
      [[{ _id: s._id, sku: null, label: 'XS' }], last],
      [[], last],
      [[{ _id: l._id }], last],
    ]
    for (const [given, expected] of cases) {
      const { status, body } = await change(made._id, { variants: given })
      expect(status, JSON.stringify(body)).to.equal(200)
      expect(body.data.variants).to.deep.equal(expected)
    }
  })

  it('adds a variant for each new label', async () => {
    const made = await three()
    const { body } = await change(made._id, {
      variants: [
        { label: 'XL', price: 400, sku: 'XL' },
        { label: 'XL', price: 0, stock: 5 },
        { label: 'S', price: 1 },
      ],
    })
    const [s, m, l, ...added] = body.data.variants
    expect([s, m, l]).to.deep.equal([{ ...made.variants[0], price: 1 }, ...made.variants.slice(1)])
    expect(added.map(({ _id, ...rest }: VariantResponse) => rest)).to.deep.equal([
      { label: 'XL', sku: 'XL', price: 400, stock: 0 },
      { label: 'XL', sku: null, price: 0, stock: 5 },
    ])
    expect(new Set(body.data.variants.map(({ _id }: VariantResponse) => _id))).to.have.property('size', 5)
  })

  it('removes omitted variants only with removeMissingVariants', async () => {
    const made = await three()
    const [s, m] = idsOf(made)
    const kept = { variants: [{ label: 'New', price: 1, sku: 'S' }, { _id: m }], removeMissingVariants: true }
    const { body } = await change(made._id, kept)
    const left = body.data.variants.map((each: VariantResponse) => `${each.label} ${each._id === m}`)
    expect(left).to.deep.equal(['New false', `${label} true`])
    await expectRefused(change(made._id, { variants: [{ _id: s, price: 1 }] }), 404, 'VARIANT_NOT_FOUND')
    await createProduct(service, merchant, { sku: 'L' })
  })

  it('changes nothing if its input is invalid, and the error names the field', async () => {
    const made = await three()
    const [s, m, l] = idsOf(made)
    const of = (...variants: object[]) => ({ variants })
    const double = of(...Array.from({ length: 2 }, () => ({ label: 'x', price: 1 })))
    const ambiguous = await createProduct(service, merchant, { ...double, name: 'Two of a label' })
    await createProduct(service, merchant, { sku: 'taken' })
    const cases: [object, string, code?: string, status?: number][] = [
      [{ name: '' }, 'name'],
      [{ price: 1 }, 'price'],
      [{ sku: 'x', stock: 1 }, 'stock'],
      [{ ...of({ _id: s }), stock: 1 }, 'stock'],
      [of({}), 'variants[0].label'],
      [of({ price: 1 }), 'variants[0].label'],
      [of({ _id: s, price: -1 }), 'variants[0].price', 'AMOUNT_OUT_OF_RANGE'],
      [of({ label: 'New' }), 'variants[0].price'],
      [of({ _id: s }, { _id: 'none', label: 'S' }), 'variants[1]._id', 'VARIANT_NOT_FOUND', 404],
      [of({ _id: ambiguous.variants[0]._id }), 'variants[0]._id', 'VARIANT_NOT_FOUND', 404],
      [of({ _id: s }, { _id: s }), 'variants[1]._id'],
      [of({ _id: s, price: 1 }, { label: 'S', price: 1 }), 'variants[1].label'],
      [of({ _id: l, sku: 'S' }), 'variants[0].sku'],
      [of({ _id: l, sku: 'S' }, { _id: s, price: 1 }), 'variants[0].sku'],
      [of({ _id: l, sku: 'x' }, { _id: m, sku: 'x' }), 'variants[1].sku'],
      [of({ _id: s }, { _id: l, sku: 'taken' }), 'variants[1].sku'],
      [of({ label: 'New', price: 1, sku: 'taken' }), 'variants[0].sku'],
      [{ variants: [], removeMissingVariants: true }, 'variants'],
      [of(...Array.from({ length: 98 }, (_, n) => ({ label: `${n}`, price: 1 }))), 'variants'],
    ]
    for (const [body, param, code = 'VALIDATION_ERROR', status = 400] of cases)
      await expectRefused(change(made._id, body), status, code, { param })
    expect(await readProduct(service, merchant, made._id)).to.deep.equal(made)
    const more = { param: 'variants[0].label', details: { variantIds: idsOf(ambiguous) } }
    const unclear = change(ambiguous._id, of({ label: 'x', price: 1 }))
    await expectRefused(unclear, 400, 'VARIANT_LABEL_AMBIGUOUS', more)
  })
})
